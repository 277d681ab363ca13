"""Packed sequences: what eager gives for lengths of every kind, or what it raises."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_padded_sequence,
    pad_packed_sequence,
)

import dycl
from dycl.diag import CompileErrors

LENGTHS = ([6, 4, 1], [3, 3, 2], [2, 5, 6], [5, 1, 1], [6, 6, 0], [1, 1, 1])


class Layer(nn.Module):
    """From padded to padded; decides on the longest."""

    def __init__(self, cls, is_sorted=True, batch_first=True, total=None, **options):
        super().__init__()
        self.layer = cls(3, 5, batch_first=batch_first, **options)
        self.is_sorted, self.batch_first, self.total = is_sorted, batch_first, total

    def forward(self, x, lengths):
        if not self.batch_first:
            x = x.transpose(0, 1)
        packed = pack_padded_sequence(x, lengths, self.batch_first, self.is_sorted)
        y, state = self.layer(packed)
        padded, found = pad_packed_sequence(y, self.batch_first, -1.0, self.total)
        if found.max() > 4:
            return padded, found, state
        return y.data, y.batch_sizes, state


class Given(Layer):
    """With states and lengths of the caller's, which are a list."""

    def forward(self, x, lengths):
        first = x[:, :2, 0].t().unsqueeze(2).expand(2, 3, 5).contiguous()
        packed = pack_padded_sequence(x, lengths.tolist(), True, self.is_sorted)
        if not isinstance(packed, PackedSequence) or isinstance(x, PackedSequence):
            return x
        y, state = self.layer(packed, first)
        return torch.cat([state[0], state[1]], -1), y.sorted_indices is None


LAYERS = {
    "gru": lambda: Layer(nn.GRU),
    "lstm": lambda: Layer(nn.LSTM, False, bidirectional=True, num_layers=2),
    "projected": lambda: Layer(nn.LSTM, proj_size=2, bidirectional=True, total=8),
    "tanh": lambda: Layer(nn.RNN, False, False, total=6, num_layers=2),
    "relu": lambda: Layer(nn.RNN, bias=False, nonlinearity="relu", total=5),
    "given": lambda: Given(nn.GRU, False, bidirectional=True),
}


def outcome(run, *args):
    """What a call gives, as a list, or the words of what it raises."""
    try:
        with torch.no_grad():
            return torch.utils._pytree.tree_leaves(run(*args))
    except (RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", LAYERS)
def test_same(name):
    torch.manual_seed(0)
    model, x = LAYERS[name]().eval(), torch.randn(3, 6, 3)
    net = dycl.compile(model, (x, torch.tensor(LENGTHS[0])))
    raised = 0
    for lengths in map(torch.tensor, LENGTHS):
        expected, actual = outcome(model, x, lengths), outcome(net, x, lengths)
        raised += isinstance(expected, str)
        if isinstance(expected, str) or isinstance(actual, str):
            assert actual == expected
            continue
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    assert raised < len(LENGTHS)


def test_returned():
    """The class is torch's, which we do not make."""

    class Returns(nn.Module):
        def forward(self, x):
            return pack_padded_sequence(x, torch.tensor([2, 1]))

    with pytest.raises(CompileErrors, match="returns a packed sequence"):
        dycl.compile(Returns().eval(), (torch.ones(2, 2, 1),))
