import torch
from torch import nn


class Output(list):
    def __init__(self, logits, hidden):
        self.logits, self.hidden = logits, hidden


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return Output(self.fc(x), x).logits


model = Net().eval()
inputs = (torch.zeros(1, 4),)
