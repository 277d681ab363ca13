import torch
import torch.nn.functional as F
from torch import nn


def around(x, weight, width):
    if width.sum() >= 0:
        return F.conv2d(x, weight, padding=(width, width))
    raise ValueError("a negative width")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, 1, 1, 1))

    def forward(self, x):
        y = around(x.reshape(1, 1, 2, 2), self.weight, x[0, 0].long())
        return y.reshape([-1 if i == 1 else 1 for i in range(y.ndim)])


model = Net().eval()
inputs = (torch.ones(1, 4),)
