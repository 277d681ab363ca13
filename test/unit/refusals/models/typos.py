import torch
from torch import nn


class Net(nn.Module):
    """Names that torch does not have, and calls that eager refuses as well."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return [
            torch.rleu(x),
            x.sotfmax(-1),
            x.sum(dims=1),
            self.fc(x) + x,
            {"a": x}["b"],
            x(2),
        ]


model = Net().eval()
inputs = (torch.zeros(1, 4),)
