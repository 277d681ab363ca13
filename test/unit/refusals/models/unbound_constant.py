import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            times, act = 3, torch.relu
        else:
            bias = 1
        wide = x.mean() > 1
        if wide:
            unit = 2
        if wide:  # decided before: it has a value here
            x = x * unit
        return act(x * times), bias


model = Net().eval()
inputs = (torch.zeros(1, 4),)
