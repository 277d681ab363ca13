import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        seen = {1, 2}
        if x.sum() > 0:
            seen.add(3)
        y = self.fc(x)
        for k in seen:
            y = y * k + 1
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
