import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.sum() > 0:
            return torch.einsum("bij->i", y[None])
        return y, torch.einsum("bij->b", x.unsqueeze(0))


model = Net().eval()
inputs = (torch.zeros(1, 4),)
