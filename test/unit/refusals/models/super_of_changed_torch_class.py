import torch
from torch import nn


class Net(nn.Conv2d):
    def forward(self, x):
        if x.sum() > 0:
            return super().forward(x)
        return x

    def _conv_forward(self, x, weight, bias):
        return super()._conv_forward(x, weight * 2, bias)


model = Net(4, 4, 1).eval()
inputs = (torch.zeros(1, 4, 2, 2),)
