import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.jit.trace(nn.Linear(4, 4), torch.zeros(1, 4))
        self.rest = nn.Sequential(nn.ReLU(), torch.jit.script(nn.Linear(4, 4)))

    def forward(self, x):
        return self.rest(self.first(x))


model = Net().eval()
inputs = (torch.zeros(1, 4),)
