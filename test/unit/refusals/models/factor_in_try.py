import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        try:
            return torch.linalg.cholesky(x)
        except RuntimeError:
            return torch.zeros_like(x)


model = Net().eval()
inputs = (torch.eye(3),)
