"""Three small dynamic networks that are raced beside the subjects of the paper.

One of each kind: skipped blocks, early exits, a loop that stops when the data says so.
Each module has `cases()`, as the examples have; `bench.rewrites` has the same by hand.
"""

import torch

IMAGES = 20
"""How many each network is fitted to, and raced on the ways that they take."""


def image(size, brightest, seed=0):
    """The inputs of a run: noise of shape 1x3xSIZExSIZE, some brighter than others."""
    generator = torch.Generator().manual_seed(seed)
    brightness = torch.rand(1, generator=generator) * brightest
    return (torch.randn(1, 3, size, size, generator=generator) * brightness,)
