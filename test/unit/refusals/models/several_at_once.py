import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        scale = [lambda v: v * i for i in range(3)][0]
        if x.sum() > 0:
            print("large", x)
            return self.fc(x)
        try:
            return scale(x)[0].int() // x[0].int()
        except RuntimeError:
            return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
