import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        layer = self.layers[int(x.argmax()) % 2]
        while x.sum() > 1:
            x = layer(x)
            layer = self.layers[int(x.argmax()) % 2]
        return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
