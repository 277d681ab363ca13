import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        seen = [x]
        for y in seen:
            if y.sum() < 3:
                seen.append(self.fc(y) + 1)
        return torch.stack(seen)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
