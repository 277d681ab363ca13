import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        steps = ()
        while x.sum() > 0:
            x = x - self.layer(x).abs() - 0.1
            steps = (*steps, x)
        return x, steps


model = Net().eval()
inputs = (torch.zeros(1, 4),)
