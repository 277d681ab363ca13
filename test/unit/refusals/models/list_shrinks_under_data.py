import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        rows = []
        while x.sum() > len(rows):
            rows.append(x[0])
        rows.remove(rows[0])
        rows.append(x[0])
        return torch.stack(rows)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
