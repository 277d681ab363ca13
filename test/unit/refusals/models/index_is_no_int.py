import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.scales = {0: 1.0, 1: 2.0}

    def forward(self, x):
        y = self.layers[x.max().item()](x)
        return y * self.scales[x.argmax()]


model = Net().eval()
inputs = (torch.zeros(1, 4),)
