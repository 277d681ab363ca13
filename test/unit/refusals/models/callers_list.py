import torch
from torch import nn


class Net(nn.Module):
    def forward(self, xs, ys):
        zs = xs if xs[0].sum() > 0 else ys
        while zs[-1].sum() < 9:
            zs.append(zs[-1] * 2)
        return zs[-1]


model = Net().eval()
x = torch.zeros(1, 4)
inputs = ([x], [x])
