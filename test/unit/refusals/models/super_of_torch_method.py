import torch
from torch import nn


class Net(nn.LSTM):
    def forward(self, x):
        super().flatten_parameters()
        return x


model = Net(4, 4).eval()
inputs = (torch.zeros(1, 4),)
