import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2 ** int(x.sum())


model = Net().eval()
inputs = (torch.zeros(1, 4),)
