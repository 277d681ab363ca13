import torch
from torch import nn


class Net(nn.Module):
    """Asks whether two weights are one, which nobody knows where it runs."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.ones(4))
        self.second = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x if self.first.data_ptr() == self.second.data_ptr() else x + 1


model = Net().eval()
inputs = (torch.ones(4),)
