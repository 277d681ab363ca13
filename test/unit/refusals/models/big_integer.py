import torch
from torch import nn

BIG = 2**70


class Net(nn.Module):
    def forward(self, x):
        y = x * BIG
        if x.sum() > 0:
            return y + 99999999999999999999
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
