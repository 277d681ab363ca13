import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        z = y * 2
        z[:, 1:].mul_(z[:, :-1])
        y += y[0]
        return z, y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
