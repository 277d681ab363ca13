import functools

import torch
from torch import nn


calls = []


@functools.lru_cache(maxsize=8)
def some(n):
    calls.append(n)
    return torch.ones(n)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) * some(x.shape[1])


model = Net().eval()
inputs = (torch.zeros(1, 4),)
