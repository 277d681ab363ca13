import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        y = x.exp() + 1
        z = y.bfloat16()
        return y * 2, z, y.sqrt()


model = Net().eval()
inputs = (torch.zeros(3),)
