from torch import nn


def doubled(x):
    return x * 2


class Net(nn.Module):
    def forward(self, x):
        return x


model = Net()
model.forward = doubled
