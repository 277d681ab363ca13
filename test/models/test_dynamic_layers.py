"""Ordinary layers and functions, compiled once, are equal to eager at every size.

Sizes of 0 and 1 are among them, and the largest; what eager raises for, a run does too.
"""

from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dycl
from dycl.diag import CompileErrors

MOST = 40
TEXTS = ("b", "n", 6)
IMAGES = (2, 3, "h", "w")
BATCHES = ("b", 3, 12, 10)
LENGTHS = (2, 4, "n")
ROWS = ("n", 5)
STEPS = ("n", 1, 6)
SMALL = (0, 1, 2, 3, 7)
SIZES = {
    TEXTS: [*product(SMALL, SMALL), (MOST, 3), (3, MOST)],
    IMAGES: [(1, 1), (2, 3), (7, 5), (8, 8), (13, 16), (MOST, MOST), (0, 3)],
    BATCHES: [(b,) for b in (*SMALL, MOST)],
    ROWS: [(n,) for n in (*SMALL, MOST)],
    LENGTHS: [(n,) for n in (*SMALL, MOST)],
    STEPS: [(n,) for n in (*SMALL, MOST)],
}


class Attention(nn.Module):
    """Heads of which each has a batch and a length of any size."""

    def __init__(self):
        super().__init__()
        self.heads = nn.MultiheadAttention(6, 2, batch_first=True)

    def forward(self, x):
        return self.heads(x, x, x, need_weights=False)[0]


def resized(mode, **how):
    return lambda x: F.interpolate(x, mode=mode, **how)


def resizing():
    """`interpolate` in all modes, by a factor and to a size."""
    modes = ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
    found = {"linear": (resized("linear", scale_factor=2), LENGTHS)}
    found["to 7"] = (resized("linear", size=7), LENGTHS)
    for mode in modes:
        by = resized(mode, scale_factor=1.5 if mode == "bilinear" else 2)
        to = resized(mode, size=(9, 11))
        found |= {f"{mode} of images, to 9x11": (to, IMAGES)}
        found |= {f"{mode} of batches": (by, BATCHES)}
        if mode != "area":
            found |= {f"{mode} of images": (by, IMAGES)}
    aligned = {"scale_factor": 2, "align_corners": True}
    return found | {
        "half as large": (resized("bilinear", scale_factor=0.5), IMAGES),
        "corners": (resized("bilinear", **aligned), IMAGES),
        "as another": (
            lambda x: F.interpolate(x[:, :, ::2, ::2], x.shape[2:], mode="bilinear"),
            IMAGES,
        ),
        "as a map": (
            lambda x: F.interpolate(F.max_pool2d(x, 2, ceil_mode=True), x.shape[-2:]),
            IMAGES,
        ),
    }


def layers():
    torch.manual_seed(0)
    return {
        **resizing(),
        "means of windows": (lambda x: F.adaptive_avg_pool2d(x, (3, 4)), IMAGES),
        "means of rows": (lambda x: F.adaptive_avg_pool1d(x, 4), LENGTHS),
        "largest of windows": (lambda x: F.adaptive_max_pool2d(x, 3), IMAGES),
        "largest of all": (lambda x: F.adaptive_max_pool1d(x, 1), LENGTHS),
        "dilated windows": (lambda x: F.max_pool2d(x, 3, 1, 1, 2), IMAGES),
        "reflected": (lambda x: F.pad(x, (1, 2, 2, 1), "reflect"), IMAGES),
        "distances": (lambda x: torch.cdist(x, x * 2), TEXTS),
        "spaced": (lambda x: torch.linspace(-1, 1, x.size(1)), TEXTS),
        "one of them": (lambda x: x[:, :, :1].squeeze(-1) + 1, TEXTS),
        "medians": (lambda x: (x.median(1), x.median(0)[0], x.median()), TEXTS),
        "taken": (
            lambda x: torch.take_along_dim(x, x.argmax(1, keepdim=True), 1),
            TEXTS,
        ),
        "blocks": (lambda x: torch.kron(x, torch.tensor([[1.0], [2.0]])), ROWS),
        "parts": (lambda x: (x.tensor_split(3, 1), x.tensor_split((1, 2))), TEXTS),
        "largest of rows": (lambda x: F.max_pool1d(x, 3, 2, 1), LENGTHS),
        "largest of some": (nn.MaxPool1d(3, 1, dilation=2, ceil_mode=True), LENGTHS),
        "alike": (lambda x: F.cosine_similarity(x[:, None], x[None], -1), ROWS),
        "attention": (Attention(), TEXTS),
        "steps": (nn.TransformerEncoderLayer(6, 2, 20), STEPS),
        "graph": (lambda x: ((x @ x.t()).relu() @ x, x.t() @ x[:, :3]), ROWS),
        "by hand": (lambda x: ((x @ x.mT + 1).softmax(-1) - 0.1) @ x, TEXTS),
        "rows": (lambda x: x.view(-1, 6), TEXTS),
        "as many rows": (lambda x: x.reshape(x.size(0) * x.size(1), 6), TEXTS),
        "pairs": (lambda x: (x + 1).view(-1, 2, 3), TEXTS),
        "halves": (lambda x: (x + 1).view(2, -1, 3), TEXTS),
        "all in one": (lambda x: (x + 1).view(-1), TEXTS),
        "flat": (lambda x: (x + 1).flatten(1), TEXTS),
        "flat rows": (lambda x: (x > 0).flatten(0, 1), TEXTS),
        "heads": (lambda x: x.view(x.size(0), x.size(1) * 2, 3) * 2, TEXTS),
        "pixels": (lambda x: x.flatten(2).transpose(1, 2) + 1, IMAGES),
    }


LAYERS = layers()


def compiled(name):
    """The layer, what it compiles to, and its shape."""
    layer, shape = LAYERS[name]
    if isinstance(layer, nn.Module):
        layer.eval()
    some = iter((7, 9))
    example = torch.randn([next(some) if isinstance(n, str) else n for n in shape])
    named = {
        place: dycl.Dim(n, max=MOST)
        for place, n in enumerate(shape)
        if isinstance(n, str)
    }
    return layer, dycl.compile(layer, (example,), dynamic_shapes=(named,)), shape


def of_size(shape, size):
    given = iter(size)
    return torch.randn([next(given) if isinstance(n, str) else n for n in shape])


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_at_every_size(name):
    layer, net, shape = compiled(name)
    for size in SIZES[shape]:
        x = of_size(shape, size)
        try:
            with torch.no_grad():
                wanted = layer(x)
        except (RuntimeError, ValueError, IndexError) as error:
            with pytest.raises((dycl.runtime.InputError, type(error))):
                net(x)
            continue
        torch.testing.assert_close(net(x), wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def pairs(x):
    return F.pdist(x)


def test_what_holds_for_one_size_only_is_refused():
    shapes = {"x": {0: dycl.Dim("n", max=MOST)}}
    with pytest.raises(CompileErrors, match="for fixed sizes only"):
        dycl.compile(pairs, (torch.randn(7, 6),), dynamic_shapes=shapes)
