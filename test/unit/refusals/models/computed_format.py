import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.depth = 3

    def forward(self, x):
        width = 4
        name = f"{self.depth:{width}}"
        return self.fc(x) if name == "   3" else x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
