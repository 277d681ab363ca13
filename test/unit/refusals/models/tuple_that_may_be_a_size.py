import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x.new((1, 4)) + x


model = Net().eval()
inputs = (torch.zeros(1, 2),)
