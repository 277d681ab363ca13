"""The dynamic sizes of what a network returns are formulas of those of its inputs."""

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime.saved import Saved
from dycl.tools.about import about, lines_of

SIZES = (0, 1, 2, 3, 8, 31, 200)


class Mixed(nn.Module):
    """Sizes of many kinds; a branch decides one of them, and the data another."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 6, 3, stride=2, padding=1)

    def forward(self, x):
        twice = torch.cat([x, x * 2, torch.zeros(2, 4, 3)], 2)
        flat = [(x * 2).flatten(), x.sum(2), x]
        if x.sum() > 0:
            either, other = twice, x * 5
        else:
            either, other = x * 3, twice * 3
        unlike = torch.cat([either, either, other], 2)
        if x.sum() > 4:
            return self.conv(twice), flat, unlike, twice[twice > 0], x[:, :, 1:]
        return x.mean(0)


def leaves(value):
    """The tensors, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [leaf for item in items for leaf in leaves(item)]


def entries(described):
    """The tensors that a manifest describes, in order."""
    if "shape" in described:
        return [described]
    ((kind, items),) = described.items()
    items = [item for _, item in items] if kind == "dict" else items
    return [leaf for item in items for leaf in entries(item)]


@pytest.fixture(scope="module")
def net():
    n = dycl.Dim("n", max=300)
    example = (torch.randn(2, 4, 9),)
    return dycl.compile(Mixed().eval(), example, dynamic_shapes=({2: n},))


def shown_of(entry):
    """A text for each dimension of a tensor."""
    plain = ["?" if size < 0 else str(size) for size in entry["shape"]]
    return entry.get("sizes", plain)


def test_formulas_are_the_sizes_of_each_call(net, tmp_path):
    net.save(tmp_path / "net.dycl")
    long, short = about(Saved(tmp_path / "net.dycl"))["outputs"]
    of_branch = []
    for n in SIZES:
        for sign in (1, -1):
            found = leaves(net(sign * torch.rand(2, 4, n) + sign))
            described = entries(short if len(found) == 1 else long)
            of_branch.append(len(found) == 1)
            assert len(found) == len(described)
            for tensor, entry in zip(found, described, strict=True):
                for text, size in zip(shown_of(entry), tensor.shape, strict=True):
                    known = {"n": n, "Min": min, "Max": max}
                    assert text == "?" or eval(text, known) == size, (n, text)
    assert set(of_branch) == {True, False}
    conv, flat, *rest, unlike, masked, _ = map(shown_of, entries(long))
    assert "?" not in [*conv, *flat, *rest[0], *rest[1], *shown_of(entries(short)[0])]
    assert (unlike, masked) == (["2", "4", "?"], ["?"])


def test_they_are_shown(net, tmp_path):
    net.save(tmp_path / "net.dycl")
    text = "\n".join(lines_of(about(Saved(tmp_path / "net.dycl"))))
    assert "[float32[8 * n], float32[2, 4], float32[2, 4, n]]" in text
    assert "float32[2, 4, ?], float32[?]" in text
    assert "float32[4, n]" in text
