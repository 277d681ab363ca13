import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 10:
            return self.fc(x), f"too large: {x}"
        return self.fc(x), "fine"


model = Net().eval()
inputs = (torch.zeros(1, 4),)
