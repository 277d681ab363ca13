import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        y = x
        try:
            if x > 0:
                y = x + 1
        except RuntimeError:
            y = x - 1
        return y


model = Net().eval()
inputs = (torch.zeros(2, 3),)
