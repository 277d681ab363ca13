import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = "low"

    def forward(self, x):
        y = x * 2 if self.mode == "high" else x
        self.mode = "high" if x.sum() > 0 else "low"
        return y


model = Net().eval()
inputs = (torch.zeros(1, 4),)
