import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        total = self.fc(x)
        for row in x:
            total = total + self.fc(row)
        return total


model = Net().eval()
inputs = (torch.zeros(200, 4),)
