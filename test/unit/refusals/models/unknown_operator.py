import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            return torch.linalg.eigvals(x @ x.T).abs()
        return self.fc(x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
