import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        outs, seen = [], [x]
        both = (seen, outs)
        while x.sum() < 3:
            x = self.fc(x) + 1
            outs.append((x, 1))
            seen.append(x)
        return both


model = Net().eval()
inputs = (torch.zeros(1, 4),)
