import torch
from torch import nn


MEAN = torch.tensor([0.1, 0.2, 0.3, 0.4])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return (self.fc(x) - MEAN) / 2


model = Net().eval()
inputs = (torch.zeros(1, 4),)
