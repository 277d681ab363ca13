import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        while x.sum() > 1:
            x = x[x > 0] - 0.1
        return x


model = Net().eval()
inputs = (torch.zeros(4),)
