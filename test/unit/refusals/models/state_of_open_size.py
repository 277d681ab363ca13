import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(8, 4)

    def forward(self, x):
        n = int(x.sum())
        if n > self.table.size(0):
            self.table = torch.ones(n, 4)
        return self.table[:n]


model = Net().eval()
inputs = (torch.ones(1, 4),)
