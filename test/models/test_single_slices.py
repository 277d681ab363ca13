"""A slice of dynamic size that is broadcast has one row in a run; or the run raises.

To a kernel such a size would be that of the other tensor, and it would read beside it.
"""

from itertools import product

import pytest
import torch

import dycl


def first(x):
    return x - x[:1]


def last(x):
    return x * x[:, -1:]


def one_inside(x):
    return x * x[:, 3:4], x[:, :2] * x[:, 1:2]


def middle(x):
    return x + x[x.size(0) // 2 : x.size(0) // 2 + 1]


def chosen(x):
    return torch.where(x > 0, x, x[:, :1])


def expanded(x):
    return x[:, :1].expand(-1, 4) * 2, x[:, 2:3].expand(-1, x.size(1))


def seldom(x):
    return x[:, ::100] + x


def before_last(x):
    return x[-2:-1] * x, x[-2:-1] * 2


def squeezed(x):
    return x[:, -1:].squeeze(1) + x[:, 0]


def not_broadcast(x):
    return torch.cat([x, x, x[:1]]), torch.cat([x, x[:, -1:]], 1), x[:, 3:4] * 2


EVERY = [
    *(first, last, one_inside, middle, chosen, expanded, seldom, before_last),
    *(squeezed, not_broadcast),
]
BOTH = {0: dycl.Dim("b", max=40), 1: dycl.Dim("n", max=40)}
SIZES = (0, 1, 2, 3, 5, 9)


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("function", EVERY)
def test_equals_eager(function, dims):
    shapes = ({dim: BOTH[dim] for dim in dims},)
    net = dycl.compile(function, (torch.randn(6, 7),), dynamic_shapes=shapes)
    ranges = [SIZES if dim in dims else (size,) for dim, size in enumerate((6, 7))]
    ran = 0
    for b, n in product(*ranges):
        x = torch.randn(b, n)
        try:
            wanted = function(x)
        except (RuntimeError, IndexError):
            with pytest.raises((dycl.runtime.InputError, RuntimeError, IndexError)):
                net(x)
            continue
        try:
            found = net(x)
        except dycl.runtime.InputError:
            if max(b, n) < 5 or 0 in (b, n) or 1 in (b, n):
                continue
            raise
        torch.testing.assert_close(found, wanted)
        ran += 1
    assert ran > 2 * len(dims)


def test_without_rows():
    net = dycl.compile(not_broadcast, (torch.randn(6, 7),), dynamic_shapes=(BOTH,))
    for b, n in ((0, 5), (0, 0), (1, 1), (1, 0)):
        x = torch.randn(b, n)
        torch.testing.assert_close(net(x), not_broadcast(x))
