from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = self.a
        self.c = nn.Linear(2, 2, bias=False)
        self.c.weight = self.a.weight

    def forward(self, x):
        return self.c(self.b(self.a(x)))


model = Net()
