import functools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 1

    @functools.cached_property
    def scale(self):
        return self.fc.weight.mean() * self.calls

    def forward(self, x):
        self.calls = self.calls + 1
        return self.fc(x) * self.scale


model = Net().eval()
inputs = (torch.zeros(1, 4),)
