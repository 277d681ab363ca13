import torch
from torch import nn


class Net(nn.Module):
    kind = "fast"

    def __init__(self):
        super().__init__()
        self.threshold = 0.5

    def gate(self, x):
        return x.mean() > self.threshold

    def forward(self, x):
        if self.kind == "fast" and self.gate(x):
            return x
        return torch.tanh(x)


model = Net()
