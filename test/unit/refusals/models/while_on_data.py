import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        total = 0
        while total < 10:
            x = torch.cat([x, self.fc(x)])
            total = total + x.sum().item()
        return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
