"""Convolutions that stay in rows, against eager: odd sizes, edges, empty, NaN."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from dycl.kernels.cpu import CpuBackend

pytestmark = pytest.mark.each_target

Agree = Callable[..., None]
NAN, INF = float("nan"), float("inf")


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def in_rows(text: str, target: str) -> bool:
    """Whether a kernel packs no image and has a nest in rows."""
    stages = CpuBackend(target=target).compile(text).stages()
    return "-rows" in stages["linalg"] and "@copy." not in stages["memref"]


@pytest.mark.parametrize(
    ("channels", "filters", "size", "batch"),
    [
        (40, 33, (16, 16), 1),
        (3, 10, (7, 9), 2),
        (1, 1, (4, 4), 1),
        (70, 100, (1, 31), 1),
        # A strip of pixels holds fewer than the image has.
        (100, 17, (61, 53), 2),
    ],
)
def test_one_tap(
    channels: int,
    filters: int,
    size: tuple[int, int],
    batch: int,
    agree: Agree,
    target: str,
    torch_text: Callable[..., str],
    alike_by_threads: Callable[..., None],
) -> None:
    def function(*given: torch.Tensor) -> torch.Tensor:
        x, w, b, also = given
        return (F.conv2d(x, w, b) + also).relu()

    x = randn(batch, channels, *size)
    x[0, 0, 0, 0], x[-1, -1, -1, -1] = INF, NAN
    w = randn(filters, channels, 1, 1) / channels**0.5
    tensors = (x, w, randn(filters), randn(batch, filters, *size))
    agree(function, *tensors)
    text = torch_text(function, *tensors)
    assert in_rows(text, target)
    alike_by_threads(text, *tensors)


@pytest.mark.parametrize("filters", [1, 3, 4, 6])
@pytest.mark.parametrize(
    ("kernel", "stride", "width"),
    [
        *[(3, 1, 16), (3, 2, 31), ((1, 9), 1, 47), (5, (1, 2), 80)],
        *[(2, (2, 1), 14), (9, 1, 77), ((3, 1), 3, 45)],
    ],
)
def test_few_filters(
    filters: int,
    kernel: Any,
    stride: Any,
    width: int,
    agree: Agree,
    target: str,
    torch_text: Callable[..., str],
    alike_by_threads: Callable[..., None],
) -> None:
    rows, columns = (kernel, kernel) if isinstance(kernel, int) else kernel
    padding = (rows // 2, columns // 2)

    def function(*given: torch.Tensor) -> torch.Tensor:
        x, w, b = given
        return F.conv2d(x, w, b, stride, padding).relu()

    step = stride if isinstance(stride, int) else stride[1]
    across = (width - 1) * step + columns - 2 * padding[1]
    x = randn(2, 10, 33, across)
    x[0, 0, 0, 0], x[1, 2, 7, -1], x[1, 5, -1, 3] = INF, NAN, -INF
    tensors = (x, randn(filters, 10, rows, columns) / 9, randn(filters))
    assert function(*tensors).shape[-1] == width
    agree(function, *tensors)
    text = torch_text(function, *tensors)
    assert in_rows(text, target) == (step < 3)
    alike_by_threads(text, *tensors)


def test_few_filters_behind_blocks_and_before_them(agree: Agree) -> None:
    """Also over the rows of sequences, and dilated."""

    def function(*given: torch.Tensor) -> torch.Tensor:
        x, v, w, u = given
        y = F.conv2d(F.conv2d(x, v, padding=1).relu(), w, padding=2, dilation=2)
        return F.conv2d(torch.cat([y, y.sigmoid()], 1), u, padding=1)

    weights = randn(32, 20, 3, 3) / 9, randn(4, 32, 3, 3) / 9, randn(40, 8, 3, 3) / 9
    agree(function, randn(1, 20, 17, 33), *weights)
    agree(lambda x, w: F.conv1d(x, w, padding=3), randn(3, 40, 70), randn(2, 40, 7))


def test_one_tap_of_one_dimension_and_as_it_is(agree: Agree) -> None:
    """Neither bias nor epilogue; a result that is asked for twice."""

    def function(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = F.conv1d(x, w)
        return y, y.exp()

    agree(function, randn(2, 20, 45), randn(24, 20, 1) / 5)


def test_no_images(agree: Agree) -> None:
    x = torch.empty(0, 20, 16, 16)
    agree(lambda x, w: F.conv2d(x, w), x, randn(24, 20, 1, 1))
    agree(lambda x, w: F.conv2d(x, w, padding=1, groups=20), x, randn(20, 1, 3, 3))


def test_other_dtypes(agree: Agree) -> None:
    x, w = randn(1, 20, 16, 16).double(), randn(24, 20, 1, 1).double()
    agree(lambda x, w: F.conv2d(x, w), x, w)
    deep = randn(20, 1, 3, 3).double()
    agree(lambda x, w: F.conv2d(x, w, padding=1, groups=20), x, deep)


@pytest.mark.parametrize("width", [14, 16, 31, 47, 109])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("kernel", [3, 5, (1, 9), 2, (25, 3), (1, 65)])
def test_depthwise(
    width: int,
    stride: int,
    kernel: Any,
    agree: Agree,
    target: str,
    torch_text: Callable[..., str],
    alike_by_threads: Callable[..., None],
) -> None:
    rows, columns = (kernel, kernel) if isinstance(kernel, int) else kernel
    padding = (rows // 2, columns // 2)
    high = max(19, rows)
    # As many results in a row as `width`, of images of odd and of even rows.
    across = (width - 1) * stride + columns - 2 * padding[1] + (stride - 1)

    def function(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return F.conv2d(x, w, b, stride, padding, 1, 6).clamp(0, 6)

    x = randn(2, 6, high, across)
    x[0, 0, 0, 0], x[1, 2, 7, -1], x[1, 5, -1, 3] = INF, NAN, -INF
    tensors = (x, randn(6, 1, rows, columns) / 3, randn(6))
    assert function(*tensors).shape[-1] == width
    agree(function, *tensors)
    text = torch_text(function, *tensors)
    assert in_rows(text, target)
    alike_by_threads(text, *tensors)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    size=st.tuples(st.integers(1, 9), st.integers(10, 70)),
    window=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 2)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 3)),
    padding=st.tuples(st.integers(0, 5), st.integers(0, 5), *[st.integers(0, 2)] * 2),
)
# Two vectors of a row begin at the same pixel, and the second one is short.
@example(
    size=(9, 35), window=(3, 5), stride=(3, 1), dilation=(2, 4), padding=(2, 7, 2, 2)
)
# Of the last vector less than half reads the image.
@example(
    size=(2, 47), window=(3, 3), stride=(3, 2), dilation=(1, 1), padding=(2, 7, 0, 3)
)
def test_depthwise_of_any_shape(
    size: tuple[int, int],
    window: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: tuple[int, int, int, int],
    agree: Agree,
) -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return F.conv2d(F.pad(x, padding), w, None, stride, 0, dilation, 5)

    left, right, top, bottom = padding
    assume(size[0] + top + bottom > dilation[0] * (window[0] - 1))
    assume(size[1] + left + right > dilation[1] * (window[1] - 1))
    x = randn(2, 5, *size)
    x[0, 0, 0, 0], x[1, 2, -1, -1] = INF, NAN
    agree(function, x, randn(5, 1, *window))
