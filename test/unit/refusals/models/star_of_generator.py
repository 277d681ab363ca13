import torch
from torch import nn


class Net(nn.Module):
    def sizes(self):
        yield 1
        yield True

    def forward(self, x):
        given = list(self.sizes())
        return torch.sum(x, *given)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
