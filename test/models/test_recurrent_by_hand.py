"""Steps written by hand, with a state that is None at first, of any number."""

import pytest
import torch
from torch import nn

import dycl

SIZE = 8


class Steps(nn.Module):
    """An LSTM called for each step, which is left once two classes are apart."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, SIZE, batch_first=True), nn.Linear(SIZE, 3)

    def forward(self, x):
        state, votes = None, x.new_zeros(x.size(0), 3)
        for t in range(x.size(1)):
            y, state = self.lstm(x[:, t : t + 1], state)
            votes = votes + self.head(y[:, 0]).softmax(-1)
            top = votes.topk(2).values
            if (top[:, 0] - top[:, 1]).min() > 0.35:
                return votes, t
        return votes, -1


class Pairs(nn.Module):
    """A cell with a state of two, over the steps that `unbind` gives."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(4, SIZE), nn.Linear(SIZE, 3)

    def forward(self, x):
        h = c = None
        for t, step in enumerate(x.unbind(1)):
            if h is None:
                h = x.new_zeros(x.size(0), SIZE)
                c = torch.zeros_like(h)
            h, c = self.cell(step, (h, c))
            if h.norm() > 1.2:
                return self.head(h), t
        return x.new_zeros(x.size(0), 3), -1


class While(nn.Module):
    """A cell in a `while`, which is left by `break`."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(4, SIZE), nn.Linear(SIZE, 3)

    def forward(self, x):
        h, t = None, 0
        while t < x.size(1):
            h = self.cell(x[:, t], h)
            if h.abs().max() > 0.4:
                break
            t += 1
        if h is None:
            return x.new_zeros(x.size(0), 3), t
        return self.head(h), t


@pytest.mark.parametrize("kind", [Steps, Pairs, While])
def test_a_state_is_none_before_the_first_step(kind):
    torch.manual_seed(1)
    model = kind().eval()
    sizes = {"x": {1: dycl.Dim("t", max=64)}}
    net = dycl.compile(model, (torch.randn(2, 5, 4),), dynamic_shapes=sizes)
    python, lengths = net.with_python_host(), set()
    for steps in 5, 1, 0, 9, 2, 30:
        for scale in 0.1, 1.0, 5.0:
            x = torch.randn(2, steps, 4) * scale
            with torch.no_grad():
                wanted, at = model(x)
            for found in net(x), python(x):
                torch.testing.assert_close(found[0], wanted, rtol=1e-4, atol=1e-5)
                assert found[1] == at
            lengths.add(at < steps if at >= 0 else None)
    assert True in lengths
    assert lengths & {False, None}
