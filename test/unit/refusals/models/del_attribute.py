import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.last = None

    def forward(self, x):
        del self.last
        return self.fc(x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
