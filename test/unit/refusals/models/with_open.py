import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with open("scale.txt") as file:
            scale = float(file.read())
        return self.fc(x) * scale


model = Net().eval()
inputs = (torch.zeros(1, 4),)
