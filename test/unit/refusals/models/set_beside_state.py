from contextvars import ContextVar

import torch
from torch import nn

SEEN = ContextVar("seen", default=None)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = {"a": 2.0, "b": 3.0}

    def forward(self, x):
        token = SEEN.set({"all": []})
        try:
            for name in set(self.scales):
                x = x * self.scales[name]
                if x.sum() > 3:
                    SEEN.get()["all"].append(x)
        finally:
            SEEN.reset(token)
        return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
