import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 2**70

    def forward(self, x):
        return torch.nobody(x) if x.sum() > self.limit else x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
