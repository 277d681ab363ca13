import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.seen = set()

    def forward(self, x):
        y = self.fc(x)
        if "forward" not in self.seen:
            y = y + 1
        self.seen.add("forward")
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
