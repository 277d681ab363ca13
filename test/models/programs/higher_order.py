"""`torch.cond` and its like, written into a model; `torch.vmap`; `in` of a tensor."""

import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.while_loop import while_loop


class Conditional(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        def positive(x):
            return self.a(x), x.sum()

        def negative(x):
            return self.b(x), x.sum() * 2

        y, s = torch.cond(x.sum() > 0, positive, negative, [x])
        return torch.cond(x.size(0) > 2, self.a, self.b, (y,)), s


class Loop(nn.Module):
    """It ends at once, after some steps, or at the bound."""

    def forward(self, x):
        steps, y = while_loop(
            lambda i, y: (i < 3) & (y.sum() < 4),
            lambda i, y: (i + 1, y + 1),
            (torch.tensor(0), x),
        )
        return y, steps


class Mapped(nn.Module):
    def forward(self, x):
        rows = x.view(2, 2)
        if x.sum() > 0:
            return torch.vmap(lambda row: row * row.sum())(rows)
        return map_rows(lambda row, k: row.sum() * k, rows, x.max())


class MappedAlongDims(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 4, 2))

    def forward(self, x):
        def one(w, x):
            return x @ w, (x @ w).sum()

        y, s = torch.vmap(one, in_dims=(0, None), out_dims=(1, 0))(self.w, x)
        outer = torch.vmap(torch.vmap(torch.mul, (None, 0)), (0, None))
        return (outer(s, s) if s.sum() > 0 else s), y


class Contains(nn.Module):
    """The largest is an element of itself, unless it is NaN."""

    def forward(self, x):
        if (x > 0).sum().item() not in torch.arange(2, 5):
            return x
        return x * 2 if x.max() in x[:, :2] else x * 3


PROGRAMS = [Conditional, Loop, Mapped, MappedAlongDims, Contains]


class MapsUnlike(nn.Module):
    def forward(self, x):
        return torch.vmap(torch.add)(x.view(4, 1), x.view(2, 2))


class MapsAList(nn.Module):
    def forward(self, x):
        return map_rows(lambda pair: pair[0] + pair[1], (x, x))


class MapsToADict(nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: {"y": row + 1})(x)


REFUSED = {
    MapsUnlike: ("DY112", "the same size in the mapped dimension", "torch.vmap("),
    MapsAList: ("DY301", "`map` over a structure", "map_rows(lambda pair"),
    MapsToADict: ("DY301", "a mapped function that gives neither", "torch.vmap("),
}
