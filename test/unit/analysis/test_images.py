"""Folding and enlarging, as Python runs the rules, against eager's."""

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from dycl.analysis.torch_fixes import images


@pytest.mark.parametrize(
    "given",
    [
        ((28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
        ((9, 7), (3, 2), (2, 1), (1, 0), (2, 1)),
        ((8, 8), (4, 4), (1, 1), (0, 0), (4, 4)),
        ((5, 5), (2, 2), (1, 1), (0, 0), (2, 2)),
    ],
)
def test_fold_has_the_bits_of_eager(given: Any) -> None:
    torch.manual_seed(0)
    x = F.unfold(torch.randn(2, 3, *given[0]), *given[1:])
    x += torch.randn(x.shape) * 1e6
    x[0, 0, 0], x[1, 0, 0] = float("inf"), float("nan")
    op = torch.ops.aten.col2im.default
    for part in (x, x[0]):
        wanted = F.fold(part, *given)
        found = images.folded(op, part, *given)
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


SIZES: list[dict[str, Any]] = [
    {"size": (56, 40)},
    {"size": (7, 11)},
    {"size": (1, 1)},
    {"size": (3, 50)},
    {"scale_factor": [2.0, 2.0]},
    {"scale_factor": [0.5, 0.5]},
    {"scale_factor": [1.7, 2.3]},
]


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_bilinear(dtype: Any, corners: bool) -> None:
    torch.manual_seed(0)
    op = torch.ops.aten.upsample_bilinear2d.vec
    for shape in ((2, 3, 28, 20), (1, 1, 1, 1), (1, 2, 9, 5)):
        x = torch.randn(shape) * 40 + 120
        x = x.clamp(0, 255).to(dtype)
        for kind in SIZES:
            size, scale = kind.get("size"), kind.get("scale_factor")
            if scale and min(int(shape[2 + i] * scale[i]) for i in range(2)) < 1:
                continue
            wanted = F.interpolate(x, mode="bilinear", align_corners=corners, **kind)
            found = images.bilinear(op, x, size, corners, scale)
            assert found.dtype == dtype
            torch.testing.assert_close(
                found.float(),
                wanted.float(),
                rtol=1e-2 if dtype == torch.bfloat16 else 1e-5,
                atol=0,
            )
