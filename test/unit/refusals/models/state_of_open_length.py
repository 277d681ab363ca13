import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, x):
        rows = []
        while x.sum() > len(rows):
            rows.append(x)
            x = x * 0.9
        y = x if self.kept is None else x + 1
        self.kept = rows
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
