import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) * self.scale

    @property
    def scale(self):
        return 2.0


model = Net().eval()
inputs = (torch.zeros(1, 4),)
