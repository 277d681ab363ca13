import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        steps = [lambda v: v * i for i in range(3)]
        return steps[0](x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
