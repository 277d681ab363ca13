import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x):
        self.calls = self.calls + 1
        if self.calls > 3:
            return x
        return self.fc(x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
