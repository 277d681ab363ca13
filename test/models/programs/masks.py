"""Sizes that a mask decides, and indices that a run reads: functions of self and x.

x is 6x3; there are inputs that select nothing, everything, and some.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Masked(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(3, 2)
        self.experts = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
        self.register_buffer("table", torch.arange(15.0).view(5, 3).cos())

    def forward(self, x):
        return self.function(self, x)


def inputs():
    """Mixed ones, and ones of one sign; the first element says which index is read."""
    generator = torch.Generator().manual_seed(2)
    found = [torch.randn(6, 3, generator=generator) for _ in range(4)]
    found += [found[0].abs() + 0.1, -found[1].abs() - 0.1, torch.zeros(6, 3)]
    found += [torch.full((6, 3), value) for value in (2.0, -3.0, 4.0)]
    shifts = torch.tensor([[4.0, 0, 0], [0, 4, 0], [0, 0, 4], [-1, 4, 4], [-1.2, 0, 0]])
    found += [found[0] + shift for shift in shifts]
    found[-1][0, 0] = 1
    return found


def nonzero(self, x):
    found = (x > 0).nonzero()
    rows, columns = torch.where(x > 0.5)
    (first,) = torch.nonzero(x[:, 0].relu(), as_tuple=True)
    return found, rows, columns, first, torch.argwhere(x[0] < 0), found.size(0)


def masks_as_index(self, x):
    kept = x[x[:, 0] > 0]
    picked = x[x > 0], x[:, x[0] > 0], x[x[:, 1] > 0, 2], x[1:][x[1:, 0] < 0, :2]
    return self.linear(kept), picked, kept.sum(), len(kept), kept.mean(0).isnan()


def masked_select(self, x):
    return torch.masked_select(x, x > 0), torch.masked_select(x, x[:, :1] < 0)


def unique(self, x):
    y = (x * 2).long()
    values, inverse, counts = torch.unique(y, return_inverse=True, return_counts=True)
    return values, inverse, counts, y.unique(), torch.unique(x[:, 0])


def mask_of_a_selection(self, x):
    kept = x[x[:, 0] > 0]
    again = kept[kept[:, 1] > 0]
    return again, (kept > 0).nonzero(), torch.masked_select(kept, kept < 0)


def decides_on_the_count(self, x):
    rows = (x[:, 0] > 0).nonzero().squeeze(-1)
    if rows.numel() == 0:
        return x
    if len(rows) > 3:
        return self.linear(x[rows]).sum()
    return x[rows] * 2


def experts_by_token(self, x):
    """Mixture of experts as it is written: each expert sees the tokens routed to it."""
    weights, chosen = x.softmax(1).topk(2)
    out = torch.zeros_like(x)
    for number, expert in enumerate(self.experts):
        rows, place = torch.where(chosen == number)
        out.index_add_(0, rows, expert(x[rows]) * weights[rows, place, None])
    return out


def experts_that_are_asked(self, x):
    chosen = x.argmax(1)
    out = torch.zeros(6, 3)
    for number, expert in enumerate(self.experts):
        mine = chosen == number
        if mine.any():
            out[mine] = expert(x[mine])
    return out


def experts_by_index(self, x):
    chosen = x.argmax(1)
    out = torch.zeros(6, 3)
    for number, expert in enumerate(self.experts):
        rows = (chosen == number).nonzero().squeeze(-1)
        if rows.numel() == 0:
            continue
        out[rows] += expert(x[rows])
    return out


def stores_at_masks(self, x):
    y = x * 1
    y[x > 0] = x[x > 0] * 2
    y[x[:, 0] > 0, 1] = 5
    y[x[:, 0] < 0] = self.table[0]
    y[x[:, 1] < 0] *= self.table[1]
    y[:, x[0] > 0] += 1
    y[1:][y[1:] > 3] = 3
    y[..., x[1] < 0] = y[:, x[1] < 0] - x[:, x[1] < 0]
    return y


def stores_what_may_not_fit(self, x):
    y = x * 1
    y[x > 0] = x[x.roll(1, 0) > 0.3]
    return y


def one_element_for_all(self, x):
    y = x * 1
    y[x > 0] = self.table[0, :1]
    y[x < 0] = x[:1, 0]
    return y


def index_from_the_data(self, x):
    k = int(x[0, 0])
    t = x[0, 0].long()
    part = self.table[k], self.table[..., k], self.table[1, k : k + 1], self.table[t]
    return part, self.table[:, t].is_contiguous(), self.table.select(0, k)


def negative_index_of_a_selection(self, x):
    kept = x[x[:, 0] > 0]
    return kept[int(x[0, 0])] + 1


def narrowed(self, x):
    k = int(x[0, 0])
    return self.table.narrow(0, k, 2).sum()


def two_indices(self, x):
    rows, columns = torch.where(x > 0)
    y = torch.zeros(6, 3)
    y[rows, columns] = x[rows, columns] * 3
    return y, x[rows.flip(0), columns], x[:, None][rows, 0, columns]


def padded(self, x):
    kept = x[x[:, 0] > 0]
    count = kept.shape[0]
    whole = F.pad(kept, (0, 0, 0, 6 - count), value=-1.0)
    return whole, F.pad(x, (count, 1, 0, count)), F.pad(kept, (2, 0, 1, 0))


def pairs_of_others(self, x):
    others = ~torch.eye(6, dtype=torch.bool)
    return (x @ x.t())[others].view(6, -1).softmax(1)


def in_rows_of_two(self, x):
    return x[x > 0].view(2, -1).mean(1), x[x < 0].reshape(-1, 3)


def cropped(self, x):
    return F.pad(x[x[:, 0] > 0], (0, -1, 1, -1), value=2.0)


def shrinks_in_a_loop(self, x):
    kept = x.flatten()
    while kept.sum() > 1:
        kept = kept[kept > 0] - 0.5
    return kept


def padded_after_growing(self, x):
    while x.abs().sum() < 40:
        x = torch.cat([x, x + 1], dim=0)
    return torch.nn.functional.pad(x, (0, 0, 2, 0)).mean()


def suppressed(self, x):
    """Boxes by falling score: each drops those behind it that overlap too much."""
    rows = x[x[:, 2] > 0.1]
    rows = rows[rows[:, 2].argsort(descending=True)]
    picked = []
    while rows.shape[0] > 0:
        picked.append(rows[0])
        if rows.shape[0] == 1:
            break
        shared = torch.min(rows[0, :2], rows[1:, :2]).prod(1)
        size = rows[:, :2].prod(1)
        overlap = shared / (size[0] + size[1:] - shared + 1e-6)
        rows = rows[1:][overlap < 0.4]
    return torch.stack(picked) if picked else x[:0]


PROGRAMS = [
    nonzero,
    masks_as_index,
    masked_select,
    unique,
    mask_of_a_selection,
    decides_on_the_count,
    experts_by_token,
    experts_that_are_asked,
    experts_by_index,
    stores_at_masks,
    one_element_for_all,
    two_indices,
    padded,
    padded_after_growing,
    pairs_of_others,
    shrinks_in_a_loop,
    suppressed,
]
"""Programs that never raise."""


def largest_of_a_selection(self, x):
    kept = x[x[:, 0] > 0]
    return kept.max(), kept.sum(), kept[:, 0].amin()


def masked_by_others(self, x):
    """The mask fits if as many rows are positive as there are in the mask."""
    kept = x[x[:, 0] > 0]
    return kept[x[x[:, 1] > 0].sum(1) > 0.5]


def stores_at_places_of_others(self, x):
    """It fits if as many elements are positive as there are large ones, or one is."""
    y = x * 1
    large = (x.abs() > 0.8).nonzero(as_tuple=True)
    y[large] = x[(x > 0).nonzero(as_tuple=True)]
    return y


def adds_at_places(self, x):
    """It fits if four elements are positive."""
    y = x.flatten()
    y[(y > 0).nonzero()[:, 0]] += x[0]
    return y


RAISING = [
    masked_by_others,
    stores_at_places_of_others,
    adds_at_places,
    largest_of_a_selection,
    cropped,
    in_rows_of_two,
    stores_what_may_not_fit,
    index_from_the_data,
    negative_index_of_a_selection,
    narrowed,
]
"""Programs that raise for some of the inputs."""


def two_masks_at_once(self, x):
    return x[x[:, 0] > 0, x[0] > 0]  # refused


def stored_at_two_masks(self, x):
    y = x * 1
    y[x[:, 0] > 0, x[0] > 0] = 0  # refused
    return y


REFUSED = {
    two_masks_at_once: "depends on the values",
    stored_at_two_masks: "several masks",
}
