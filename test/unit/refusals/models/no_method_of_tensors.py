import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x.normalised()
        return x


model = Net().eval()
inputs = (torch.zeros(2, 4),)
