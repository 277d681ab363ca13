"""Lists that were changed before they are compared, or are sizes."""

import torch
from torch import nn


class Compared(nn.Module):
    """As the list is by then, not as it was made."""

    def forward(self, x):
        n = int(x.argmax())
        appended, set_, maybe = [1], [1], [1]
        appended.append(n)
        set_[0] = n
        if x.sum() > 0:
            maybe.append(2)
        return appended == [1, 2], appended < [1, 3], set_ == [1], maybe == [1, 2]


class Sizes(nn.Module):
    """`split`, `view` and `zeros` by lists that were filled before."""

    def forward(self, x):
        n = int(x.argmax())
        parts, shape, new = [n], [1], [x.argmax()]
        parts.append(4 - n)
        shape.append(n + 1)
        new.append(2)
        rows = torch.arange(n + 1)
        return x.split(parts, 1), rows.view(shape), torch.zeros(new)


class Held(nn.Module):
    """Lists that other lists and dicts were given, and lead to, after a decision."""

    def forward(self, x):
        groups, stored, rows, pairs = {}, {}, [], []
        deep = [x]
        groups.setdefault(0, []).append(x)
        stored[1] = [x]
        rows.append([x, x + 1])
        pairs.append((1, {"deep": deep}))
        if x.sum() > 0:
            groups.setdefault(0, []).append(x)
            stored[1].append(x * 2)
            rows[0].append(x * 3)
            deep.append(x * 4)
        found = groups.setdefault(0, []), stored[1], rows[0], pairs[0][1]["deep"]
        return [(len(one), sum(one)) for one in found]


class StoresTooMany(nn.Module):
    """A slice with a step takes as many items as it has, or Python raises."""

    def forward(self, x):
        parts = [x, x + 1, x + 2, x + 3]
        if x.sum() > 3:
            parts[::2] = [x, x, x]
        return parts[0] * 2 + parts[3]


PROGRAMS = (Compared, Held, Sizes, StoresTooMany)
