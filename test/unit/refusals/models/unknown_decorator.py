import functools

import torch
from torch import nn


def traced(function):
    @functools.wraps(function)
    def run(*args):
        print("in", function.__name__)
        return function(*args)

    return run


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) * self.scale(x)

    @traced
    def scale(self, x):
        return x.mean()


model = Net().eval()
inputs = (torch.zeros(1, 4),)
