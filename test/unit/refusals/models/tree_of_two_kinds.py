import torch
from torch import nn

import dycl


class Net(nn.Module):
    def forward(self, items):
        return items[0] + items[1]


model = Net().eval()
inputs = (dycl.Tree([1, torch.ones(3), 2]),)
