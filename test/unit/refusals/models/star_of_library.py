import inspect

import torch
from torch import nn


class Net(nn.Module):
    def scale(self, x, by=2):
        return x * by

    def forward(self, x):
        names = inspect.signature(self.scale).parameters
        given = {name: 3 for name in names if name != "x"}
        return self.scale(x, **given)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
