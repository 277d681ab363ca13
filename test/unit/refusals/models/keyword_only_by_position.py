import torch
from torch import nn


class Net(nn.Module):
    def scaled(self, x, *, by):
        return x * by

    def shifted(self, x, /, by):
        return x + by

    def forward(self, x):
        if x.sum() > 0:
            return self.scaled(x, 2.0)
        if x.max() > 1:
            return self.shifted(x=x, by=1.0)
        return self.scaled(x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
