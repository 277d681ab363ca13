"""One step of an LSTM, its four matrix products in two: exporters want no `nn.LSTM`."""

import torch
from torch.nn import functional as F


def step(given, state, w_ih, w_hh, b_ih, b_hh):
    """The next (h, c), each 1xN, of the weights as `nn.LSTMCell` has them."""
    h, c = state
    gates = F.linear(given, w_ih, b_ih) + F.linear(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def cell_step(cell, given, state):
    """The same of a `nn.LSTMCell`."""
    weights = cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh
    return step(given, state, *weights)
