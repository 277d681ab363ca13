import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            y = self.fc(x)
        else:
            y = x[:, :2]
        return y * 2


model = Net().eval()
inputs = (torch.zeros(1, 4),)
