import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        return torch.relu(y)


model = Net()
