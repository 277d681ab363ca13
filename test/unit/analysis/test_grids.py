"""Sampling at points, as Python runs the rules, against eager's."""

import itertools

import pytest
import torch

from dycl.analysis.torch_fixes import grids

RULES = list(itertools.product((0, 1, 2), (0, 1, 2), (False, True)))
"""Mode, padding, whether corners are aligned."""
BESIDE = (None, float("nan"), float("inf"), -float("inf"), 3e4)


@pytest.mark.parametrize(("mode", "padding", "corners"), RULES)
def test_points_between_and_beside_pixels(
    mode: int, padding: int, corners: bool
) -> None:
    torch.manual_seed(0)
    op = torch.ops.aten.grid_sampler_2d.default
    for shape in ((2, 3, 5, 4), (1, 16, 7, 9), (1, 1, 1, 1), (2, 9, 1, 6)):
        x = torch.randn(shape)
        grid = torch.randn(shape[0], 6, 5, 2) * 1.2
        # On corners, in the middle, between two pixels, and far away.
        grid[0, 0, :, 0] = torch.tensor([1.0, -1.0, 0.0, 1.5, -7.0])
        for special in BESIDE:
            points = grid.clone()
            if special is not None:
                points[0, 1, 1, 0] = points[0, 2, 2, 1] = special
            wanted = torch.grid_sampler_2d(x, points, mode, padding, corners)
            found = grids.sampler_2d(op, x, points, mode, padding, corners)
            torch.testing.assert_close(
                found, wanted, equal_nan=True, atol=2e-4, rtol=2e-4
            )
