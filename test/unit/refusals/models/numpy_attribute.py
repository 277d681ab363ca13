import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.weights = np.ones(1 << 15)

    def forward(self, x):
        return self.fc(x) * self.weights[0]


model = Net().eval()
inputs = (torch.zeros(1, 4),)
