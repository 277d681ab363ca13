import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        try:
            y.view(3)
            y = y + 1
        except RuntimeError:
            y = y - 1
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
