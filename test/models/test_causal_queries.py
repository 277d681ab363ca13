"""Causal attention of dynamic queries over more keys, or fewer, equal to eager."""

import pytest
import torch.nn.functional as F
from torch import arange

from tools.size_sweep.comparing import same_at_every_size

KEYS = arange(288.0).reshape(1, 2, 18, 8).sin()


def over_known_keys(x):
    """The queries that are left over of sixteen may not look further than they may."""
    return F.scaled_dot_product_attention(x, KEYS, KEYS, is_causal=True)


def over_part(x):
    """Keys are fewer than queries, by half."""
    part = x[:, :, : x.size(2) // 2]
    return F.scaled_dot_product_attention(x, part, part, is_causal=True)


@pytest.mark.parametrize("function", [over_known_keys, over_part])
def test_equals_eager(function):
    same_at_every_size(function, (1, 2, "n", 8), sizes=(2, 3, 5, 16, 17, 19, 40))
