import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvals(x.long())


model = Net().eval()
inputs = (torch.zeros(2, 2),)
