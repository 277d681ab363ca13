import functools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) * self.scale(x)

    @functools.lru_cache(maxsize=0)
    def scale(self, x):
        return x.mean()


model = Net().eval()
inputs = (torch.zeros(1, 4),)
