import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        index = int(x.argmax())
        return self.layers[index](x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
