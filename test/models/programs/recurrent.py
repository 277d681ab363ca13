"""Recurrent cells and layers inside `forward`: one step, sequences of known length."""

import torch
from torch import nn


class _Chosen(nn.Module):
    """Runs a cell or layer, and once more on what it gave where a decision says so."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.inner = module

    def forward(self, x):
        y = self.inner(x)
        if x.sum() > 0:
            return y
        return self.again(x, y), y

    def again(self, x, y):
        return self.inner(x, y)


class _ChosenLayer(_Chosen):
    def again(self, x, y):
        return self.inner(x, y[1])


class StateInLoop(nn.Module):
    """Greedy decoding: a loop that the data ends carries the state of a layer."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 6)
        self.layer = nn.LSTM(6, 6, num_layers=2, batch_first=True)
        self.out = nn.Linear(6, 5)

    def forward(self, x):
        tokens = []
        y, state = self.layer(x)
        while len(tokens) < 2:
            token = self.out(y[:, -1]).argmax(-1).item()
            if y.sum() > 0.1:
                break
            tokens.append(token)
            y, state = self.layer(self.embed(torch.tensor([[token]])), state)
        return tokens, state


class StateInBranch(nn.Module):
    """A step that the data skips leaves the state as it is."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(6, 6)

    def forward(self, x):
        y, state = self.layer(x[:1])
        for step in x[1:]:
            if step.mean() > 0.1:
                y, state = self.layer(step[None], state)
        return y, state


class Functions(nn.Module):
    """The cells as functions, without modules and without biases."""

    def __init__(self) -> None:
        super().__init__()
        rows = (24, 24, 18, 18, 6, 6)
        self.w = nn.ParameterList([torch.randn(n, 6) / 3 for n in rows])

    def forward(self, x):
        h = torch.zeros(3, 6)
        if x.sum() > 0:
            h, c = torch.lstm_cell(x, (h, h + 1), self.w[0], self.w[1])
            return h, torch.gru_cell(x, c, self.w[2], self.w[3])
        h = torch.rnn_tanh_cell(x, h, self.w[4], self.w[5])
        return torch.rnn_relu_cell(x, h, self.w[4], self.w[5])


class TwoCells(nn.Module):
    """A stack of cells over a sequence, with an exit."""

    def __init__(self) -> None:
        super().__init__()
        self.low, self.high = nn.LSTMCell(6, 5), nn.GRUCell(5, 6)

    def forward(self, x):
        state, top = None, None
        for step in x:
            state = self.low(step, state)
            top = self.high(state[0], top)
            if top.sum() * step.sum() > 0:
                return top, state
        return top, state


CELLS = {
    "LSTMCell": (nn.LSTMCell, {}),
    "LSTMCell without bias": (nn.LSTMCell, {"bias": False}),
    "GRUCell": (nn.GRUCell, {}),
    "GRUCell without bias": (nn.GRUCell, {"bias": False}),
    "RNNCell": (nn.RNNCell, {}),
    "RNNCell relu": (nn.RNNCell, {"nonlinearity": "relu"}),
}
LAYERS = {
    "LSTM": (nn.LSTM, {}),
    "LSTM batch first": (nn.LSTM, {"batch_first": True}),
    "LSTM both ways": (nn.LSTM, {"bidirectional": True}),
    "LSTM two layers both ways": (nn.LSTM, {"num_layers": 2, "bidirectional": True}),
    "LSTM with projection": (nn.LSTM, {"proj_size": 3}),
    "GRU": (nn.GRU, {"bias": False}),
    "GRU two layers": (nn.GRU, {"num_layers": 2}),
    "GRU both ways": (nn.GRU, {"bidirectional": True}),
    "RNN relu": (nn.RNN, {"nonlinearity": "relu"}),
    "RNN both ways": (nn.RNN, {"bidirectional": True}),
}


def cell(name):
    """A program with this cell."""
    make, options = CELLS[name]
    return _Chosen(make(6, 5, **options))


def layer(name):
    """A program with this layer."""
    make, options = LAYERS[name]
    return _ChosenLayer(make(6, 5, **options))
