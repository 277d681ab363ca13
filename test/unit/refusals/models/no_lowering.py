import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.sum() > 0:
            return nn.functional.max_pool3d(y.view(1, 4, 1, 1).long(), 1)
        return y, nn.functional.max_pool3d(x.view(1, 1, 4, 1).long(), 1)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
