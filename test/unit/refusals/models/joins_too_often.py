import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 4) for _ in range(14))

    def forward(self, x):
        found = []
        for head in self.heads:
            y = None
            if x.max() > 0.5:
                y = head(x)
            x = torch.relu(x - 1)
            found.append(y)
        return found


model = Net().eval()
inputs = (torch.zeros(1, 4),)
