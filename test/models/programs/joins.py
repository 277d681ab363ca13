"""Paths that meet with values of no one type: each must equal eager.

All take `x`, 1x4 float32. Every decision goes both ways over the test's inputs.
"""

import torch
from torch import nn
from torch.nn import functional


class Joined(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.wide, self.narrow = nn.Linear(4, 8), nn.Linear(4, 2)

    def forward(self, x):
        return self.function(self, x)


def shapes(self, x):
    y = x[:, :2] if x.sum() > 0 else x
    return y.sum()


def shapes_returned(self, x):
    if x.sum() > 0:
        y = self.a(x)
    else:
        x = self.wide(x)
        y = x + 1
    return y * 2


def dtypes(self, x):
    y = x.double() if x.sum() > 0 else x
    return (y * 2).mean(), y


def none_or_tensor(self, x):
    h = None
    if x.sum() > 0:
        h = self.a(x)
    x = torch.relu(x)
    if h is not None:
        x = x + h
    return x


def none_returned(self, x):
    h = self.a(x) if x.sum() > 0 else None
    return x, h


def number_or_tensor(self, x):
    scale = self.a(x) if x.sum() > 0 else 0.5
    return x * scale


def int_or_float(self, x):
    return x * (1 if x.sum() > 0 else 2.5)


def int_or_float_returned(self, x):
    n = 1 if x.sum() > 0 else 2.5
    return n, n * 3, x


def bool_or_int(self, x):
    return True if x.sum() > 0 else 3


def text(self, x):
    return "positive" if x.sum() > 0 else "negative"


def text_with_more(self, x):
    label = "none"
    if x[0, 0] > 0:
        label = "first"
    return {"label": label, "logits": self.a(x)}


def structures(self, x):
    if x.sum() > 0:
        return x, self.wide(x)
    y = self.narrow(x)
    return {"y": y, "n": 2} if y.max() > 0.5 else [y]


def early_shapes(self, x):
    if x.sum() > 0:
        return self.wide(x)
    y = self.a(x)
    if y.sum() > 0:
        return y[0], None
    return y > 0


def lists(self, x):
    if x.sum() > 0:
        parts = [x, self.a(x)]
    else:
        parts = [self.b(x)]
        x = x + 1
    y = torch.cat(parts, 1)
    for part in parts:
        y = y + part.sum()
    return y


def nested(self, x):
    if x.sum() > 0:
        y = self.wide(x) if x[0, 0] > 0 else x
        z = torch.tanh(x)
    else:
        y, z = self.wide(x) * 2, x
    y = torch.relu(y)
    return y.sum() + z


def modules(self, x):
    layer = self.a if x.sum() > 0 else self.wide
    return layer(x)


def functions(self, x):
    act = torch.relu if x.sum() > 0 else torch.tanh
    return self.a(act(self.b(x)))


def narrowed(self, x):
    if x.sum() > 0:
        return self.wide(x)
    return self.narrow(x) if x[0, 0] > 0 else x


def from_a_call(self, x):
    y = narrowed(self, x)
    return y.mean() + x


def exit_between(self, x):
    y = self.wide(x) if x.sum() > 0 else x
    if x[0, 0] > 0.5:
        return y.mean()
    y = torch.tanh(y)
    return y.sum() + x


def widths(self, x):
    """Three decisions in a row, two widths: two copies of each step, not eight."""
    y = self.wide(x) if x.sum() > 0 else self.a(x)
    for i in range(2):
        y = torch.relu(y)
        y = y[:, :4] if x[0, i] > 0 else torch.cat([y, y], 1)[:, :8]
    return y * 2


def slimmable(self, x):
    width = 2 if x.sum() > 0 else 4
    y = functional.linear(x, self.a.weight[:width], self.a.bias[:width])
    return functional.linear(y, self.b.weight[:, :width])


def two_widths(self, x):
    k = 2 if x.sum() > 0 else 4
    m = k * 2 if x[0, 0] > 0 else k
    return self.wide(x)[:, :m] * m


def reshaped(self, x):
    rows = 2 if x.sum() > 0 else 4
    return x.view(rows, -1)


def appended(self, x):
    found = [x]
    if x.sum() > 0:
        found.append(self.a(x))
    return torch.cat(found, 1) * 2


def appended_on_many_paths(self, x):
    found = []
    if x.sum() > 0:
        found.append(x)
        if x[0, 0] > 0.5:
            found.append(self.a(x))
    if x[0, 1] > 0:
        found.append(self.b(x))
    return found


def other_keys(self, x):
    found = {}
    if x.sum() > 0:
        found["a"] = x
    else:
        found["b"] = self.wide(x)
    return found


def none_before_a_loop(self, x):
    h = None
    while x.sum() > 0:
        if h is None:
            h = self.a(x)
        h = torch.tanh(h)
        x = x - 1
    return x if h is None else x + h


def int_before_a_loop(self, x):
    total = 0
    while x.sum() > 0:
        total = total + 0.5
        x = x - 1
    return total, x


def dtype_before_a_loop(self, x):
    y = torch.zeros(1, 4, dtype=torch.int64)
    while y.sum() < x.sum():
        y = y + x.abs() * 0.1 + 0.1
    return y


def wider_after_one_iteration(self, x):
    y, k = x, 0
    while k < 3 and x.sum() > 0:
        y = self.wide(y[:, :4])
        x = x - 0.5
        k += 1
    return y


def last_before_a_break(self, x):
    last = None
    while True:
        x = x - 0.5
        if x.max() < 0.2:
            break
        last = self.a(x)
    return x, last


def best_so_far(self, x):
    best = None
    while x.sum() > 0:
        y = self.a(x)
        if best is None or y.sum() > best.sum():
            best = y
        x = x - 0.7
    return best, x


def counted(self, x):
    h = None
    for _ in range(int(x.abs().sum() * 3) % 4):
        h = self.a(x) if h is None else torch.relu(h) + x
    return h


PROGRAMS = [
    *(shapes, shapes_returned, dtypes, none_or_tensor, none_returned),
    *(number_or_tensor, int_or_float, int_or_float_returned, bool_or_int, text),
    *(text_with_more, structures, early_shapes, lists, nested, modules, functions),
    *(from_a_call, exit_between, widths, slimmable, two_widths, reshaped),
    *(appended, appended_on_many_paths, other_keys, none_before_a_loop),
    *(int_before_a_loop, wider_after_one_iteration, last_before_a_break),
    *(best_so_far, counted, dtype_before_a_loop),
]
