"""Convolutions, pools and matrix products of all shapes, through the nests, against
eager: sums are taken in another order, so they agree to 1e-4 of unit-variance data."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import dycl
from dycl.kernels.cpu import CpuBackend
from dycl.runtime.targets import NATIVE, why_no_bf16
from dycl.schedules.schedule import WIDE, Shape
from dycl.schedules.tiles import matmul

pytestmark = pytest.mark.each_target

Agree = Callable[..., None]
NAN, INF = float("nan"), float("inf")


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def nests(module_text: str) -> int:
    """How many nests are called by the kernels of a module."""
    memref = CpuBackend().compile(module_text).stages()["memref"]
    return memref.count("call @nest.")


SHAPES = [
    # channels, filters, height, width, batch
    (16, 16, 8, 8, 1),
    (32, 64, 7, 9, 2),
    (24, 40, 5, 17, 1),
    (3, 10, 6, 6, 3),
    (1, 1, 3, 31, 1),
    (100, 16, 4, 4, 1),
]


@pytest.mark.parametrize(("channels", "filters", "height", "width", "batch"), SHAPES)
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (3, {"padding": 1}),
        (1, {}),
        (3, {"padding": 1, "stride": 2}),
        (3, {"padding": 2, "dilation": 2}),
    ],
)
def test_convolution_with_bias_and_relu(
    channels: int,
    filters: int,
    height: int,
    width: int,
    batch: int,
    kernel: int,
    options: dict[str, Any],
    agree: Agree,
) -> None:
    agree(
        lambda x, w, b: F.relu(F.conv2d(x, w, b, **options)),
        randn(batch, channels, height, width),
        randn(filters, channels, kernel, kernel) / channels**0.5,
        randn(filters),
    )


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (1, {}),
        (3, {"padding": 1, "stride": 2}),
        (3, {"padding": 2, "dilation": 2, "stride": (1, 2)}),
    ],
)
def test_strips_of_an_image_that_is_not_padded_in_memory(
    kernel: int, options: dict[str, Any]
) -> None:
    """It comes in blocks, as from another kernel, and only its reader pads it."""

    class Two(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Conv2d(3, 64, 1, bias=False)
            self.deep = torch.nn.Conv2d(64, 64, kernel, groups=64, **options)
            self.last = torch.nn.Conv2d(64, 32, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.first(x)
            if y.sum() > 0:
                return self.last(self.deep(y)).mean((2, 3))
            return y.mean((2, 3))

    torch.manual_seed(0)
    net, x = Two().eval(), randn(2, 3, 97, 45)
    compiled = dycl.compile(net, (x,))
    assert "memref.copy" not in compiled.kernel_stages["memref"]
    taken: set[bool] = set()
    for sign in (1, -1):
        with torch.no_grad():
            taken.add(bool(net.first(sign * x).sum() > 0))
            wanted = net(sign * x)
        torch.testing.assert_close(compiled(sign * x), wanted, rtol=1e-4, atol=1e-5)
    assert taken == {True, False}


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (3, {"padding": 1}),
        (3, {"stride": 2, "padding": 1, "output_padding": 1}),
        (4, {"stride": 2, "padding": 1}),
        (2, {"stride": 2}),
        (3, {"stride": 3, "dilation": 2, "output_padding": 2}),
        (3, {"stride": 2, "dilation": 2, "padding": (2, 0)}),
        (1, {"stride": 2}),
        ((3, 5), {"stride": (1, 3), "padding": (2, 1)}),
        (3, {"stride": 2, "groups": 2}),
        (4, {"stride": 2, "padding": 1, "groups": 4}),
        ((2, 3), {"stride": (2, 3), "dilation": (3, 2), "groups": 4}),
    ],
)
@pytest.mark.parametrize("size", [(7, 5), (4, 2), (2, 13)])
def test_transposed_convolution(
    kernel: Any, options: dict[str, Any], size: tuple[int, int], agree: Agree
) -> None:
    """Each phase has taps and edges of its own; none is left out, none meets twice."""
    groups = options.get("groups", 1)
    window = (kernel, kernel) if isinstance(kernel, int) else kernel
    x, w = randn(2, 32, *size), randn(32, 24 // groups, *window) / 8
    agree(
        lambda x, w, b: F.conv_transpose2d(x, w, b, **options).relu(), x, w, randn(24)
    )


def test_transposed_convolution_of_one_dimension(agree: Agree) -> None:
    x, w = randn(2, 20, 9), randn(20, 24, 4) / 8
    agree(lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1), x, w)


def test_transposed_convolution_has_no_products_with_zeros(agree: Agree) -> None:
    """An infinite weight meets pixels only, as in eager."""
    x, w = randn(1, 16, 6, 6), randn(16, 16, 2, 2)
    w[3, 5, 0, 1] = INF
    agree(lambda x, w: F.conv_transpose2d(x, w, stride=2), x, w)


@pytest.mark.parametrize("size", [(61, 45), (5, 1), (1, 31), (3, 5)])
@pytest.mark.parametrize("stride", [1, 2])
def test_pointwise_convolution_with_a_residual(
    size: tuple[int, int], stride: int, agree: Agree
) -> None:
    """Tiles run on from row to row; the last strip and the last tile are shorter."""

    def block(x: torch.Tensor, v: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        y = F.conv2d(x, v, stride=stride).relu()
        return (F.conv2d(y, w) + y).relu()

    agree(block, randn(2, 40, *size), randn(72, 40, 1, 1) / 6, randn(72, 72, 1, 1) / 8)


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (1, {}),
        (3, {"padding": 1, "stride": 2}),
        (3, {"padding": 2, "dilation": 2, "stride": (1, 2)}),
    ],
)
def test_large_image_in_strips(
    kernel: int, options: dict[str, Any], agree: Agree
) -> None:
    # The last strip is lower than the others, and the last tile is narrower.
    x, w = randn(2, 56, 61, 45), randn(40, 56, kernel, kernel) / 7
    agree(lambda x, w: F.conv2d(x, w, **options).relu(), x, w)


@pytest.mark.parametrize(
    ("groups", "options"),
    [
        (40, {"padding": 1}),
        (40, {"padding": 1, "stride": 2}),
        (40, {"padding": (4, 2), "dilation": (4, 2), "stride": (1, 2)}),
        (10, {"padding": 1}),
    ],
)
def test_depthwise_and_pointwise(
    groups: int,
    options: dict[str, Any],
    agree: Agree,
    torch_text: Callable[..., str],
    alike_by_threads: Callable[..., None],
) -> None:
    def function(*given: torch.Tensor) -> torch.Tensor:
        x, w, b, pointwise, c, also = given
        y = F.conv2d(x, w, b, groups=groups, **options)
        return (F.conv2d(y.clamp(0, 6), pointwise, c) + also).relu()

    # Forty channels do not fill their blocks; the last strip of rows is lower.
    channels = 40 if groups == 40 else 80
    x, w = randn(2, channels, 113, 45), randn(channels, channels // groups, 3, 3) / 3
    x[0, 3, 57, 22], x[1, 0, 0, 0] = INF, NAN
    size = F.conv2d(x, w, groups=groups, **options).shape[2:]
    pointwise = randn(24, channels, 1, 1) / 7
    given = (x, w, randn(channels), pointwise, randn(24), randn(2, 24, *size))
    agree(function, *given)
    alike_by_threads(torch_text(function, *given), *given)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    channels=st.integers(1, 50),
    filters=st.integers(1, 50),
    size=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    window=st.tuples(st.integers(1, 4), st.integers(1, 5)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    batch=st.integers(1, 3),
)
def test_convolution_of_any_shape(
    channels: int,
    filters: int,
    size: tuple[int, int],
    window: tuple[int, int],
    stride: tuple[int, int],
    batch: int,
    agree: Agree,
) -> None:
    padding = (window[0] // 2, window[1] // 2)
    agree(
        lambda x, w: F.conv2d(x, w, stride=stride, padding=padding),
        randn(batch, channels, *size),
        randn(filters, channels, *window) / channels**0.5,
    )


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    channels=st.sampled_from([3, 16, 40, 64]),
    is_depthwise=st.booleans(),
    size=st.tuples(st.integers(1, 17), st.integers(1, 17)),
    window=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    padding=st.tuples(*[st.integers(0, 3)] * 4),
)
def test_products_with_zeros_around_an_image_are_left_out(
    channels: int,
    is_depthwise: bool,
    size: tuple[int, int],
    window: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: tuple[int, int, int, int],
    agree: Agree,
) -> None:
    groups, filters = (channels, channels) if is_depthwise else (1, 96)

    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return F.conv2d(F.pad(x, padding), w, None, stride, 0, dilation, groups)

    left, right, top, bottom = padding
    for extent, span in (
        (size[0] + top + bottom, dilation[0] * (window[0] - 1)),
        (size[1] + left + right, dilation[1] * (window[1] - 1)),
    ):
        assume(extent > span)
    x = randn(2, channels, *size)
    x[0, 0, 0, 0], x[1, 2, -1, -1] = INF, NAN
    agree(function, x, randn(filters, channels // groups, *window) / channels**0.5)


@pytest.mark.parametrize(
    ("channels", "filters", "groups"),
    [
        (64, 64, 2),
        (64, 96, 2),
        (96, 32, 2),
        (144, 48, 3),
        (32, 32, 16),
        (32, 32, 8),
        (48, 48, 6),
        (16, 32, 4),
        (12, 12, 3),
        (15, 10, 5),
        (48, 72, 2),
        (14, 14, 2),
        (20, 24, 4),
        (6, 102, 6),
        (51, 3, 3),
        (20, 20, 20),
        (8, 16, 8),
    ],
)
@pytest.mark.parametrize("stride", [1, 2])
def test_convolution_in_groups(
    channels: int, filters: int, groups: int, stride: int, agree: Agree
) -> None:
    agree(
        lambda x, w, b: F.relu(F.conv2d(x, w, b, stride, 1, 1, groups)),
        randn(2, channels, 7, 5),
        randn(filters, channels // groups, 3, 3) / channels**0.5,
        randn(filters),
    )


@pytest.mark.parametrize(
    ("groups", "width", "kernel", "options"),
    [
        (8, 23, 3, {"padding": 1}),
        (4, 21, (1, 5), {"padding": (0, 2), "stride": (2, 1)}),
        (2, 12, 3, {"padding": 2, "dilation": 2}),
        (4, 1, 3, {"padding": 1}),
        (8, 19, (3, 2), {"padding": 1, "stride": 2, "dilation": (1, 3)}),
        (2, 30, (2, 33), {"padding": (1, 16)}),
        (4, 7, 1, {}),
    ],
)
def test_pixels_that_are_read_once_for_all_sums(
    groups: int, width: int, kernel: Any, options: dict[str, Any], agree: Agree
) -> None:
    """Of small groups: windows of one row and of many taps, over each other or not."""
    window = (kernel, kernel) if isinstance(kernel, int) else kernel
    channels = 16 * groups
    agree(
        lambda x, w, b: F.relu(F.conv2d(x, w, b, groups=16, **options)),
        randn(2, channels, 5, width),
        randn(channels, groups, *window) / channels**0.5,
        randn(channels),
    )


@pytest.mark.parametrize(("channels", "filters"), [(1, 16), (3, 20), (10, 100)])
@pytest.mark.parametrize(
    ("size", "kernel", "options"),
    [
        ((5, 5), 3, {"padding": 1}),
        ((7, 23), (1, 9), {"padding": (0, 4)}),
        ((9, 14), (3, 2), {"padding": 1, "stride": (1, 2), "dilation": 2}),
        ((3, 3), 3, {}),
    ],
)
def test_windows_over_few_channels(
    channels: int,
    filters: int,
    size: tuple[int, int],
    kernel: Any,
    options: dict[str, Any],
    agree: Agree,
) -> None:
    window = (kernel, kernel) if isinstance(kernel, int) else kernel
    agree(
        lambda x, w, b: F.relu(F.conv2d(x, w, b, **options)),
        randn(2, channels, *size),
        randn(filters, channels, *window) / 3,
        randn(filters),
    )


@pytest.mark.parametrize("channels", [3, 4, 5, 12, 16, 24])
def test_groups_bring_each_other_no_infinities(channels: int, agree: Agree) -> None:
    x = randn(1, 4 * channels, 3, 3)
    x[0, channels - 1, 1, 1] = INF
    x[0, 2 * channels, 2, 1] = NAN
    w = randn(4 * channels, channels, 1, 1)
    agree(lambda x, w: F.conv2d(x, w, groups=4), x, w)


@pytest.mark.parametrize(("channels", "groups"), [(20, 4), (32, 8), (48, 2), (20, 20)])
def test_rows_in_groups(channels: int, groups: int, agree: Agree) -> None:
    agree(
        lambda x, w, b: F.conv1d(x, w, b, padding=2, stride=2, groups=groups),
        randn(2, channels, 37),
        randn(channels, channels // groups, 5),
        randn(channels),
    )


@pytest.mark.parametrize("channels", [2, 5, 32])
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (4, {"stride": 2, "padding": 1}),
        (3, {"padding": 1}),
        ((2, 3), {"stride": (1, 3), "output_padding": (0, 2), "dilation": 2}),
    ],
)
@pytest.mark.parametrize("biased", [True, False])
def test_transposed_convolution_of_single_channels(
    channels: int, kernel: Any, options: dict[str, Any], biased: bool, agree: Agree
) -> None:
    window = (kernel, kernel) if isinstance(kernel, int) else kernel
    agree(
        lambda x, w, *b: F.conv_transpose2d(x, w, *b, **options, groups=channels),
        randn(2, channels, 5, 7),
        randn(channels, 1, *window),
        *[randn(channels)][: int(biased)],
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_transposed_rows_of_single_channels(dtype: torch.dtype, agree: Agree) -> None:
    agree(
        lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, groups=6),
        randn(2, 6, 11).to(dtype),
        randn(6, 1, 4).to(dtype),
        randn(6).to(dtype),
    )


@pytest.mark.parametrize("groups", [2, 5])
def test_transposed_rows_in_groups(groups: int, agree: Agree) -> None:
    agree(
        lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1, groups=groups),
        randn(2, 20, 17),
        randn(20, 3, 4),
    )


def test_convolution_of_a_row(agree: Agree) -> None:
    agree(
        lambda x, w, b: F.relu(F.conv1d(x, w, b, padding=2, dilation=2)),
        randn(2, 20, 37),
        randn(24, 20, 3),
        randn(24),
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4, 8), (8, 4)),
        ((1, 100), (100, 10)),
        ((17, 33), (33, 70)),
        ((3, 5, 7), (3, 7, 9)),
        ((2, 3, 1, 64), (2, 3, 64, 65)),
    ],
)
def test_matrix_product(
    left: tuple[int, ...], right: tuple[int, ...], agree: Agree
) -> None:
    agree(lambda a, b: torch.relu(a @ b), randn(*left), randn(*right))


@pytest.mark.parametrize("rows", [1, 2, 15, 16, 30])
def test_product_with_a_transposed_matrix(rows: int, agree: Agree) -> None:
    a, b = randn(2, rows, 20), randn(2, 35, 20)
    agree(lambda a, b: a @ b.transpose(-1, -2), a, b)


def test_padded_channels_bring_in_no_infinities(agree: Agree) -> None:
    """0 * inf is NaN: lanes that do not exist may not be multiplied."""
    x = randn(1, 20, 5, 5)
    x[0, 3, 2, 2] = INF
    agree(
        lambda x, w, v: F.conv2d(F.conv2d(x, w).exp(), v),
        x,
        randn(24, 20, 1, 1),
        randn(8, 24, 1, 1).abs(),
    )


def test_nan_goes_through(agree: Agree) -> None:
    x = randn(1, 16, 5, 5)
    x[0, 3, 2, 2] = NAN
    x[0, 5, 0, 0] = -INF
    weights = randn(16, 16, 3, 3)
    agree(lambda x, w: F.relu(F.conv2d(x, w, padding=1)), x, weights)
    agree(lambda x, w: F.max_pool2d(F.conv2d(x, w, padding=1), 2), x, weights)


def test_sums_that_are_a_result_are_stored(agree: Agree) -> None:
    """What an epilogue reads may be wanted by the caller as well."""

    def both(x: Any, w: Any) -> Any:
        y = x @ w
        return y, F.relu(y)

    agree(both, randn(16, 32), randn(32, 48))


def residual(x: Any, w1: Any, w2: Any, g: Any, b: Any, m: Any, v: Any) -> Any:
    y = F.relu(F.batch_norm(F.conv2d(x, w1, padding=1), m, v, g, b))
    return F.relu(F.conv2d(y, w2, padding=1) + x)


def shortcut(x: Any, w1: Any, w2: Any, s: Any, b: Any) -> Any:
    y = F.conv2d(F.relu(F.conv2d(x, w1, b, stride=2, padding=1)), w2, padding=1)
    return F.relu(y + F.conv2d(x, s, stride=2))


def two_readers(x: Any, w: Any, v: Any) -> Any:
    y = F.conv2d(x, w, padding=1)
    return F.conv2d(y, v, padding=1), y.sum(), torch.sigmoid(y) * y


def dense(x: Any, w: Any, v: Any) -> Any:
    y = torch.cat([x, F.relu(F.conv2d(x, w, padding=1))], 1)
    return F.avg_pool2d(F.conv2d(y, v), 2)


def head(x: Any, w: Any, v: Any) -> Any:
    y = F.adaptive_avg_pool2d(F.relu(F.conv2d(x, w)), 1).flatten(1)
    return F.linear(y, v)


def to_itself(x: Any, w: Any) -> Any:
    for _ in range(3):
        x = x + F.conv2d(x, w, padding=1)
    return x


BLOCKS: dict[str, tuple[Callable[..., Any], Callable[[int], list[torch.Tensor]]]] = {
    "residual": (
        residual,
        lambda c: [
            randn(1, c, 8, 8),
            randn(c, c, 3, 3) / 9,
            randn(c, c, 3, 3) / 9,
            *(randn(c).abs() + 0.5 for _ in range(4)),
        ],
    ),
    "shortcut": (
        shortcut,
        lambda c: [
            randn(2, c, 9, 9),
            randn(2 * c, c, 3, 3) / 9,
            randn(2 * c, 2 * c, 3, 3) / 9,
            randn(2 * c, c, 1, 1),
            randn(2 * c),
        ],
    ),
    "two readers": (
        two_readers,
        lambda c: [
            randn(1, c, 8, 8),
            randn(c, c, 3, 3) / 9,
            randn(c, c, 3, 3) / 9,
        ],
    ),
    "dense": (
        dense,
        lambda c: [
            randn(1, c, 8, 8),
            randn(c, c, 3, 3) / 9,
            randn(c, 2 * c, 1, 1) / 9,
        ],
    ),
    "head": (
        head,
        lambda c: [randn(2, c, 8, 8), randn(2 * c, c, 1, 1), randn(10, 2 * c)],
    ),
    "to itself": (
        to_itself,
        lambda c: [randn(1, c, 8, 8), randn(c, c, 3, 3) / 20],
    ),
}


@pytest.mark.parametrize("channels", [8, 16, 24])
@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_a_network(name: str, channels: int, agree: Agree) -> None:
    function, tensors = BLOCKS[name]
    agree(function, *tensors(channels))


def test_equal_contractions_share_a_nest(torch_text: Callable[..., str]) -> None:
    text = torch_text(to_itself, randn(1, 16, 8, 8), randn(16, 16, 3, 3))
    memref = CpuBackend().compile(text).stages()["memref"]
    assert memref.count("call @nest.") == 3
    assert memref.count("func.func private @nest.") <= 2


@pytest.mark.parametrize(
    ("function", "tensors"),
    [
        (lambda x, w: F.conv2d(x, w), [randn(1, 4, 5, 5), randn(4, 4, 3, 3)]),
        (lambda x: F.max_pool2d(x, 2), [randn(1, 4, 6, 6)]),
        (
            lambda x, w: F.conv2d(x, w, groups=16),
            [randn(1, 16, 5, 5), randn(16, 1, 3, 3)],
        ),
    ],
)
def test_it_is_a_nest(
    function: Any, tensors: list[torch.Tensor], torch_text: Callable[..., str]
) -> None:
    assert nests(torch_text(function, *tensors)) == 1


@pytest.mark.parametrize(
    ("rows", "inner", "columns"), [(1, 5, 3), (2, 64, 300), (37, 77, 51), (64, 96, 80)]
)
def test_products_of_doubles(
    rows: int, inner: int, columns: int, agree: Agree, torch_text: Callable[..., str]
) -> None:
    def both(x: Any, w: Any, b: Any) -> Any:
        return F.relu(x @ w + b), torch.bmm(x[None], w[None])

    x, w, b = randn(rows, inner), randn(inner, columns), randn(columns)
    given = [tensor.double() for tensor in (x, w, b)]
    agree(both, *given)
    given[0][0, 0], given[1][-1, -1], given[0][-1, :4] = NAN, INF, 1e-310
    agree(both, *given)
    assert nests(torch_text(both, *given)) == 2


def test_one_matrix_for_a_batch(agree: Agree) -> None:
    """It is read where it stands, and not repeated."""

    def product(w: Any, x: Any) -> Any:
        return torch.bmm(w.expand(5, 24, 18), x)

    w, x = randn(24, 18), randn(5, 18, 33)
    agree(product, w, x)
    agree(product, w.double(), x.double())


@pytest.mark.parametrize(
    ("batch", "rows"), [(16, 2), (3, 2), (2, 2), (33, 5), (9, 7), (5, 1)]
)
def test_matrices_of_few_rows_meet_one_weight(
    batch: int,
    rows: int,
    target: str,
    torch_text: Callable[..., str],
    weights_of: Callable[..., str],
    run_prepared: Any,
) -> None:
    """As tokens of several texts do, in the order of time; each row is itself."""

    def product(x: Any, w: Any, b: Any) -> Any:
        return F.relu(F.linear(x.transpose(0, 1), w, b))

    x, w, b = randn(rows, batch, 40), randn(96, 40) / 7, randn(96)
    x[0, -1, 3], x[-1, 0, 5] = NAN, INF
    text = weights_of(torch_text(product, x, w, b), [1, 2])
    library = CpuBackend(target=target).compile(text)
    (result,) = run_prepared(library["kernel"], [x, w, b])
    wanted = product(x, w, b)
    torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize(
    ("batch", "rows", "outer"),
    [(16, 2, 1), (9, 7, 1), (16, 8, 0), (2, 2, 0), (4, 5, 0)],
)
def test_weights_are_read_for_as_many_rows_as_there_are_registers_for(
    batch: int, rows: int, outer: int
) -> None:
    sizes = {0: batch, 1: rows, 2: 96, 3: 40}
    shape = Shape(out=(0, 1, 2), sizes=sizes, reduce=(3,), block=48)
    assert matmul(shape, WIDE).order[0] == outer
    dynamic = replace(shape, dynamic=frozenset({0}))
    assert matmul(dynamic, WIDE).order[0] == 0


def test_doubles_with_weights() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(70, 100), torch.nn.Linear(100, 33))
    net = net.double().eval()
    for rows in (1, 2, 23):
        x = randn(rows, 70).double()
        (got, want) = dycl.compile(net, (x,))(x), net(x)
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)
        for how in ({"weight_dtype": "bf16"}, {"matmul_dtype": "bf16"}):
            if "matmul_dtype" in how and why_no_bf16(NATIVE):
                continue
            assert torch.equal(dycl.compile(net, (x,), **how)(x), got), how


def test_other_dtypes_are_plain_loops(torch_text: Callable[..., str]) -> None:
    text = torch_text(
        lambda x, w: F.conv2d(x, w),
        randn(1, 4, 5, 5).double(),
        randn(4, 4, 3, 3).double(),
    )
    assert nests(text) == 0


def test_what_became_plain_loops_is_known(torch_text: Callable[..., str]) -> None:
    doubles = randn(1, 4, 5, 5).double(), randn(4, 4, 3, 3).double()
    library = CpuBackend().compile(torch_text(lambda x, w: F.conv2d(x, w), *doubles))
    assert [p.what for p in library.plain] == ["linalg.conv_2d_nchw_fchw"]
    assert library.plain[0].kernel == "kernel"
    floats = [tensor.float() for tensor in doubles]
    library = CpuBackend().compile(torch_text(lambda x, w: F.conv2d(x, w), *floats))
    assert library.plain == ()
