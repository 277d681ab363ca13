import torch
from torch import nn


class Net(nn.Linear):
    def forward(self, x):
        if x.sum() > 0:
            return super().forward(x)
        return x


model = Net(4, 4).eval()
inputs = (torch.zeros(1, 4),)
