import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = torch.rand_like(x)
        z = nn.functional.max_pool3d(self.fc(x).view(1, 4, 1, 1).long(), 1)
        if x.sum() > 0:
            print(z)
        return y + 1, z


model = Net().eval()
inputs = (torch.zeros(1, 4),)
