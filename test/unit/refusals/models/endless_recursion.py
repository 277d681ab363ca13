import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.step(x)

    def step(self, x):
        if x.sum() > 10:
            return x
        return self.step(self.fc(x) + 1)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
