import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        parts = [x, x + 1, x + 2, x + 3]
        parts[::2] = [x * 2, x * 3, x * 4]
        return parts[0] + parts[1]


model = Net().eval()
inputs = (torch.zeros(1, 4),)
