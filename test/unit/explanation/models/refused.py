import torch
from torch import nn


class Refused(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def step(self, x):
        if x.max() > 2:  # kept
            print("large", x)  # refused
        return x - 1

    def forward(self, x):
        x = self.fc(x)
        while x.sum() > 0:  # kept
            x = self.step(x)
        noise = torch.rand_like(x)  # refused
        for _ in range(3):  # settled
            x = x + noise
        return x


def build():
    return Refused().eval()


def example_inputs():
    return (torch.zeros(1, 4),)


model, inputs = build(), example_inputs()
