import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        before = getattr(self, "before", None)
        self.before = x
        return x if before is None else x + before


model = Net().eval()
inputs = (torch.zeros(1, 2),)
