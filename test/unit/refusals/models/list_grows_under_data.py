import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        outs = [x]
        if x.sum() > 0:
            outs.append(self.fc(x))
        return torch.cat(outs, 1) * 2


model = Net().eval()
inputs = (torch.zeros(1, 4),)
