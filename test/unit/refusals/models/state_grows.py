import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.cache = []

    def forward(self, x):
        self.cache.append(self.fc(x))
        return torch.cat(self.cache)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
