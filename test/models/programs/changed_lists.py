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


PROGRAMS = (Compared, Sizes)
