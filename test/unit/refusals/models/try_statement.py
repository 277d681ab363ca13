import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        try:
            return self.fc(x)[0].int() // x[0].int()
        except RuntimeError:
            return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
