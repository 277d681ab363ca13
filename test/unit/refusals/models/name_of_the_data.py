import torch
from torch import nn


class Net(nn.Module):
    """Which function it is depends on the input; eager finds one."""

    def forward(self, x):
        name = "re" + "lu" * int(x[0])
        return getattr(torch, name)(x)


model = Net().eval()
inputs = (torch.ones(4),)
