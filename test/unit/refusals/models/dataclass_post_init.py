from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Output:
    logits: torch.Tensor
    hidden: torch.Tensor

    def __post_init__(self):
        object.__setattr__(self, "logits", self.logits * 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return Output(self.fc(x), x)


model = Net().eval()
inputs = (torch.zeros(1, 4),)
