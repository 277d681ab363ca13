import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        n = int(x.sum())
        y = x.reshape(1, 4, 1, n)
        return y * y.new_ones([4 if i == 1 else 1 for i in range(y.ndim)])


model = Net().eval()
inputs = (torch.ones(4),)
