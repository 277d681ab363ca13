import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        y = x.exp().expand(3, 4)
        y[0] = 1
        z = x.exp().unfold(1, 3, 1)
        z += 1
        a, b = torch.broadcast_tensors(x.exp(), torch.zeros(3, 4))
        a.mul_(2)
        n = x[x > 0][None].expand(3, -1)
        n[0] = 5
        same = x.exp().expand(3, 4)
        same.fill_(2)
        one = x.exp().expand(1, 4)
        one += 1
        copy = x.exp().expand(3, 4).contiguous()
        copy[0] = 1
        return y, z, a, b, n, same, one, copy


model = Net().eval()
inputs = (torch.ones(1, 4),)
