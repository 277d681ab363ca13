"""A layer takes one size of its input: that is no size for each call to decide."""

import torch
from torch import nn

import dycl


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        return self.head(x)


model = Net().eval()
inputs = (torch.ones(1, 8),)
options = {"dynamic_shapes": {"x": {1: dycl.Dim("n", min=1)}}}
