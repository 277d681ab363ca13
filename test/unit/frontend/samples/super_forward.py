from torch import nn


class Base(nn.Module):
    def forward(self, x):
        return x * 2


class Net(Base):
    def forward(self, x):
        return super().forward(x) + 1


model = Net()
