import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.gate(self.fc(x))

    @classmethod
    def gate(cls, x):
        return x * 2


model = Net().eval()
inputs = (torch.zeros(1, 4),)
