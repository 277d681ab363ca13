import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        outs = [x, self.fc(x)]
        del outs[0]
        return outs[0]


model = Net().eval()
inputs = (torch.zeros(1, 4),)
