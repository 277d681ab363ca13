import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.cache = [None, None]

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            if x.sum() > i:
                k = layer(x)
                if self.cache[i] is not None:
                    k = torch.cat([self.cache[i], k])
                self.cache[i] = k
                x = x + k.mean(0, keepdim=True)
        return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
