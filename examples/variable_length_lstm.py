"""An LSTM over padded sentences of different length: only the real steps are run.

Input: token ids 1x20 int64, padded with 0, and the length, int64 []; result: logits 1x2
from the mean of the states of the real steps. An empty sentence gets the answer that
the model has learnt for it.
"""

import torch
from torch import nn


class VariableLengthLSTM(nn.Module):
    """Embedding, an LSTM cell as often as the sentence is long, a linear layer."""

    def __init__(self, vocabulary=40, embedding=12, hidden=20, classes=2):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(vocabulary, embedding, padding_idx=0)
        self.cell = nn.LSTMCell(embedding, hidden)
        self.empty = nn.Parameter(torch.randn(1, classes))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids, length):
        if length == 0:
            return self.empty
        h = c = torch.zeros(1, self.hidden)
        total = torch.zeros(1, self.hidden)
        for t in range(int(length)):
            h, c = self.cell(self.embed(ids[:, t]), (h, c))
            total += h
        return self.head(total / length)


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return VariableLengthLSTM().eval()


def example_inputs(seed=0, length=None):
    """Return one padded sentence, 1x20 int64, and its length, int64 []."""
    generator = torch.Generator().manual_seed(seed)
    if length is None:
        length = seed % 21
    ids = torch.randint(1, 40, (1, 20), generator=generator)
    ids[:, length:] = 0
    return ids, torch.tensor(length)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(21)])]
