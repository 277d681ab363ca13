import torch
from torch import nn


class Net(nn.Module):
    def mean(self, *parts):
        return sum(parts) / len(parts)

    def forward(self, x):
        parts = [x]
        while parts[-1].sum() > 1:
            parts.append(parts[-1] / 2)
        return self.mean(*parts)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
