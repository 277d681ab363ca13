"""Lists and dicts of which a loop over data sets items; functions of self and x."""

import torch
from torch import nn


class Items(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.cells = nn.ModuleList(nn.GRUCell(4, 4) for _ in range(2))
        self.linear = nn.Linear(4, 4)
        self.lstm = nn.LSTMCell(4, 4)

    def forward(self, x):
        return self.function(self, x)


def states_of_layers(self, x):
    """A stack of recurrent cells, whose states stand in a list."""
    h = [torch.zeros(1, 4), torch.zeros(1, 4)]
    steps = 0
    while steps < 4 and x.sum() > -0.35:
        for n, cell in enumerate(self.cells):
            x = h[n] = cell(x, h[n])
        steps += 1
        if x.max() < 0.02:
            break
    return h, steps


def left_in_the_middle(self, x):
    h = [x, x * 2]
    i = 0
    while i < 3:
        i += 1
        h[0] = self.linear(h[1])
        if h[0].sum() > 0.5:
            return h[0], i
        if h[0].max() < 0:
            continue
        h[1] = h[1] - h[0]
    return h[1], i


def by_key(self, x):
    state = {"h": x, "n": 0}
    while state["n"] < 3 and state["h"].sum() > 0:
        state["h"] = state["h"] * 0.5 - 0.2
        state["n"] += 1
    return state


def in_nested_loops(self, x):
    h, best = [x, x * 0.5], [0, 0]
    i = 0
    while i < 3 and x.sum() < 2:
        i += 1
        j = 0
        while j < 2 and h[0].max() > 0:
            j += 1
            h[0] = h[0] * 0.5 - 0.1
            best[0] += j
            if h[1].max() > 0.9:
                break
        else:
            best[1] = i
        if h[1].sum() > 0.2:
            break
        h[1] = h[1] + 0.3
    return torch.cat(h), best


def swapped(self, x):
    a = [x, x + 1]
    i = 0
    while a[0].sum() < 2 and i < 4:
        i += 1
        a[0], a[-1] = a[1], a[0] + 0.5
    return sum(t.sum() for t in a), len(a), a[i % 2]


def on_one_side(self, x):
    a = [x, x]
    if x.sum() > 0:
        i = 0
        while a[0].max() > 0.2:
            i += 1
            a[0] = a[0] * 0.5
            if i == 2:
                break
    else:
        a[1] = -x
    return a


def by_two_names(self, x):
    a = b = [x, x]
    i = 0
    while i < 2 and a[i].sum() > 0:
        i += 1
        a[0] = b[1] + i
        b[1] = a[0] * 0.5
    return a, b


def first_without_a_type(self, x):
    """A name that an iteration gives its first value, of a type found late."""
    a = [x, x * 2]
    n = x.sum()
    i = 0
    while a[0].sum() > -0.2 and i < 3:
        i += 1
        a[0], a[1] = a[1] * 0.5 - 1, a[0]
        n = len(a) + sum(t.sum() for t in a)
    return n if i else 0


def weights_in_a_list(self, x):
    weights = [self.linear.weight, self.cells[0].weight_hh[:4]]
    if x.sum() > 0:
        x = x @ weights[0] + sum(weights)[:1]
    same = [self.linear.bias, self.linear.bias]
    return x, torch.cat(weights), torch.stack(same), {"w": same}


def constants_and_data(self, x):
    one, three = [1], [3]
    a = one + [x]  # noqa: RUF005
    a[0] = 2
    if x.sum() > 0:
        a = three + a
    n = [4, 5]
    n = n + [len(a)]  # noqa: RUF005
    n[0] += 1
    return a, n, tuple(one) + (x,)  # noqa: RUF005


def keys_of_a_dict(self, x):
    d = {"a": x, "b": x * 2}
    if x.sum() > 0:
        d["b"] = x + 1
    return d, {k: v * 2 for k, v in d.items()}, [*d], {k for k in d} == {"a", "b"}


def a_copy_that_is_changed(self, x):
    a = list((x, x * 2))
    b = list(a)
    a[0] = x + 3
    b.append(x)
    if x.sum() > 0:
        b[1] = -x
    total = x
    for t in a:
        total = total + t
    return total, [t + i for i, t in enumerate(b)], [t for t in reversed(a)]


def counts_by_place(self, x):
    """How often each place is the largest; one place is chosen by a comparison."""
    counts = [0] * 4
    counts[x.argmax()] += 1
    counts[(x.roll(1, 1) * 2 - x).argmax()] += 2
    counts[int(x.sum() > 0) - 1] -= 2
    if counts[x.argmin().item()] > 0:
        return counts, max(counts)
    return x * counts[1]


def loads_of_experts(self, x):
    """In a loop over data, which carries all of them."""
    loads, used = [0.0] * 3, [False, False, False]
    steps = 0
    while steps < 4 and x.sum() > -0.3:
        expert = (x[0, steps] > 0).long() + (x[0, 0] > 0.3).long()
        loads[expert.item()] += x[0, steps].item()
        used[expert.item()] = True
        if loads[1] > 0.5:
            x = x - 0.2
        steps += 1
    return x, loads, used, sum(used)


def rows_by_place(self, x):
    """Tensors; the first store is seen by the second."""
    rows = [x, x * 2, self.linear(x)]
    place = (x[:, :3] > 0.2).sum().item() - 1
    rows[place] = rows[place] + 10
    if rows[0].sum() > 9:
        rows[place - 1] = x - 1
    return torch.cat(rows), rows[place]


def parts_of_a_module(self, x):
    """What a recurrent layer gives, gone over beside something else."""
    total = x
    for state, cell in zip(self.lstm(x), self.cells, strict=True):
        total = total + cell(x, state)
    first, last = map(torch.tanh, self.lstm(total))
    if (first > 0.12).byte().any() and (last < 0.4).byte().all():
        return first
    return total, [k + t for k, t in enumerate(self.lstm(x)[:2])]


def sorted_in_place(self, x):
    """By a key, by data, the other way round."""
    layers = [("b", 2), ("a", 1), ("c", 0)]
    layers.sort(key=lambda pair: pair[1])
    places = [2, 0, 1]
    places.sort(key=lambda i: x[0, i].item(), reverse=True)
    if x[0, places[0]] > 0.5:
        layers.sort(reverse=True)
        return x * layers[0][1], places
    return x + layers[1][1], [name for name, _ in layers]


PROGRAMS = (
    parts_of_a_module,
    sorted_in_place,
    counts_by_place,
    loads_of_experts,
    rows_by_place,
    states_of_layers,
    left_in_the_middle,
    by_key,
    in_nested_loops,
    swapped,
    on_one_side,
    by_two_names,
    first_without_a_type,
    weights_in_a_list,
    constants_and_data,
    keys_of_a_dict,
    a_copy_that_is_changed,
)
