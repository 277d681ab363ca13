import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def forward(self, x):
        while x.sum() < 10:
            x = torch.cat([x, x + 1], dim=0)
        return F.pad(x, (0, 0, 2, 0)).mean()


model = Net().eval()
inputs = (torch.ones(1, 3),)
