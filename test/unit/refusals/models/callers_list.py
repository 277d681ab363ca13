import torch
from torch import nn


class Net(nn.Module):
    def forward(self, xs, table):
        xs[0] = xs[0] + 1
        while xs[-1].sum() < 9:
            xs.append(xs[-1] * 2)
        own = [xs[0], xs[1]]
        own[0] = own[1]
        if own[0].sum() > 0:
            table.update(b=own[0])
        return own[0], table


model = Net().eval()
x = torch.zeros(1, 4)
inputs = ([x, x], {"a": x})
