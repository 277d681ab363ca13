"""`einops` over tensors of dynamic sizes, and the dicts of sizes that it is given."""

import einops
import pytest
import torch

from tools.size_sweep.comparing import same_at_every_size


def patterns(x):
    return (
        einops.rearrange(x, "a b -> b 1 a"),
        einops.rearrange([x, x + 1], "two a b -> a (two b)"),
        einops.reduce(x, "a b -> b", "mean"),
        einops.repeat(x, "a b -> (2 a) b c", c=3),
        einops.repeat(x, "a b -> c a b", c=x.size(0)),
    )


def halves(x):
    pairs = einops.rearrange(x, "(a two) b -> two a b", two=2)
    return pairs, einops.reduce(x, "(a 2) b -> a b", "sum")


def packed(x):
    y, shapes = einops.pack([x, torch.stack([x, x * 2], 2)], "n m *")
    one, other = einops.unpack(y, [[2], [-1]], "n m *")
    rows, places = einops.pack([x, x[0]], "* b")
    return y, one, other, einops.unpack(y, shapes, "n m *"), rows, len(places)


def products(x):
    sizes = einops.parse_shape(x, "_ width")
    both = torch.cat([x, x])
    return (
        einops.einsum(x, x, "a b, c b -> a c"),
        einops.einsum(x, x[0], "a b, ... -> b a ..."),
        einops.einsum(x, "row column -> column"),
        einops.rearrange(both, "(two h) width -> h two width", two=2, **sizes),
    )


def scaled(x, factor, k0, k1):
    return x * factor + k1 - k0


def dicts(x):
    sizes = {}
    for d, name in enumerate(("rows", "columns")):
        sizes = {**sizes, **{name: x.size(d)}}
    given = {**{"factor": 2}, **{f"k{d}": x.size(d) for d in range(2)}}
    sizes |= {"k0": 3}
    whole = x.reshape([sizes["rows"] * sizes["columns"]])
    return whole, scaled(x, **given) + sizes["k0"], len(x.shape), len(x.shape[1:])


@pytest.mark.parametrize("shape", [("n", 5), (3, "n")], ids=str)
@pytest.mark.parametrize("function", [dicts, patterns, packed, products])
def test_at_every_size(function, shape):
    same_at_every_size(function, shape)


def test_a_size_that_has_to_be_even():
    same_at_every_size(halves, ("n", 5))
