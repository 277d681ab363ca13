"""Lists and tuples of a fixed structure that a loop replaces: caches of decoders."""

from typing import NamedTuple

import torch
from torch import nn


class Net(nn.Module):
    """Base: two layers, each with a cache of its own in what follows."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(4, 8)])

    def step(self, x):
        """How a loop goes on."""
        return x.abs() + 0.4


class NewCaches(Net):
    """Keys and values of each layer in a new list for each token, and its place."""

    def forward(self, x):
        past = [(torch.zeros(0, 4), torch.zeros(0, 4)) for _ in self.layers]
        start, total = 0, x.sum()
        while total < 5:
            present = []
            for (keys, values), layer in zip(past, self.layers, strict=True):
                k, v = layer(x).chunk(2, -1)
                keys, values = torch.cat([keys, k]), torch.cat([values, v])
                x = torch.softmax(x @ keys.T, -1) @ values
                present.append((keys, values))
            past = present
            x = x + torch.arange(start, start + 4) * 0.1
            start, total = start + 4, total + 1.5
        return x, past


class Comprehension(Net):
    def forward(self, x):
        past = [(x, x * 2) for _ in self.layers]
        while x.sum() < 5:
            x = self.step(x)
            past = [(a + x, b * x) for a, b in past]
        return past


class TupleOfTuples(Net):
    def forward(self, x):
        past = ((torch.zeros(1, 4), torch.ones(1, 4)),) * 2
        while x.sum() < 5:
            x = self.step(x)
            new = ()
            for i, _ in enumerate(self.layers):
                a, b = past[i]
                new = (*new, (a + x, b * x))
            past = new
        return x, past


class Window(Net):
    """The last three states; the oldest goes first."""

    def forward(self, x):
        window = [x * 0, x * 0, x]
        while x.sum() < 5:
            x = self.step(x)
            window = [*window[1:], x]
        return torch.cat(window), window


class Nested(Net):
    """A loop in a loop replaces the same list."""

    def forward(self, x):
        pair = [x, x + 1]
        while x.sum() < 5:
            x = self.step(x)
            while pair[0].sum() < x.sum():
                pair = [a + 1 for a in pair]
            pair = [b * 0.5 for b in pair]
        return pair


class Grows(Net):
    """One item more in each turn: no length holds, and the list is one of the run."""

    def forward(self, x):
        outs = [x]
        while x.sum() < 5:
            x = self.step(x)
            outs = outs + [x]  # noqa: RUF005
        return torch.cat(outs), outs


class Chosen(Net):
    """One side of a branch makes the list anew, the other leaves it."""

    def forward(self, x):
        pair = [x, x + 1]
        while x.sum() < 5:
            x = self.step(x)
            if x.sum() > 2:
                pair = [a + x for a in pair]
        return pair[0] + pair[1], x


class NoneAtFirst(Net):
    """There is no cache before the first token."""

    def forward(self, x):
        past = None
        while x.sum() < 5:
            k, v = self.layers[0](x).chunk(2, -1)
            if past is not None:
                k, v = torch.cat([past[0], k]), torch.cat([past[1], v])
            past = (k, v)
            x = self.step(x) + torch.softmax(x @ k.T, -1) @ v * 0.1
        return x


class NonesAtFirst(Net):
    """None for each layer, and set one by one."""

    def forward(self, x):
        past = [None] * 2
        while x.sum() < 5:
            for i, layer in enumerate(self.layers):
                k, v = layer(x).chunk(2, -1)
                if past[i] is not None:
                    k = torch.cat([past[i][0], k])
                    v = torch.cat([past[i][1], v])
                past[i] = (k, v)
                x = x + torch.softmax(x @ k.T, -1) @ v * 0.1
            x = self.step(x)
        return x


class Counted(Net):
    """A range of positions begins where the data says, below zero as well."""

    def forward(self, x):
        start = int(x.sum() * 3) - 6
        places = torch.arange(start, start + 4)
        some = x[0][: int(x.argmax()) + 1]
        end = start + 3
        odd = torch.arange(end - 3, end, 2)
        return x + places, some * start, some > start, odd


class State(NamedTuple):
    h: torch.Tensor
    count: int
    done: bool


class ReplacedFields(Net):
    """A named tuple of which each iteration replaces fields."""

    def forward(self, x):
        state = State(x, 0, False)
        while not state.done and state.count < 6:
            h = torch.tanh(self.layers[0](state.h))[:, :4] + state.h * 0.5
            is_small = bool(h.abs().max() < 0.7)
            state = state._replace(h=h, count=state.count + 1, done=is_small)
            if state.h.sum() > 1.5:
                break
        return state


PROGRAMS = (
    NewCaches,
    ReplacedFields,
    Comprehension,
    TupleOfTuples,
    Window,
    Nested,
    Grows,
    Chosen,
    NoneAtFirst,
    NonesAtFirst,
    Counted,
)
