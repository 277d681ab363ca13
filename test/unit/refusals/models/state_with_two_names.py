import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.outputs = []
        self.log = self.outputs
        self.register_buffer("total", torch.zeros(4))
        self.first = self.total[:2]

    def forward(self, x):
        self.log.append(self.fc(x))
        self.total.add_(x[0])
        return x + self.first.sum()


model = Net().eval()
inputs = (torch.zeros(1, 4),)
