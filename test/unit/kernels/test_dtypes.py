"""Common ops in every dtype, on values at the edge of it, against eager."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils._pytree import tree_leaves

import dycl

pytestmark = pytest.mark.usefixtures("children_go_on")

NAN, INF = float("nan"), float("inf")
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.float32, torch.float64]


def integers(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Both signs and both ends of the dtype; the second has no zero."""
    least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    x = [3, -4, 5, 0, 7, -2, least, most, 1, -1, 100, -100]
    y = [2, 3, -2, -1, -3, 7, 3, -2, most, least, 1, 2]
    return torch.tensor(x, dtype=dtype).view(3, 4), torch.tensor(y, dtype=dtype).view(
        3, 4
    )


def floats(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    x = [0.5, -1.5, 2.5, -2.5, 0.0, -0.0, NAN, INF, -INF, 60000.0, -3.75, 1.0]
    y = [-0.5, 2.0, 2.5, NAN, 2.0, 3.0, 1.0, -2.0, INF, 2.0, 1.25, 0.125]
    return torch.tensor(x).to(dtype).view(3, 4), torch.tensor(y).to(dtype).view(3, 4)


FLAGS = torch.tensor([[True, False, True], [False, False, True]])


def agree(function: Any, *tensors: torch.Tensor) -> None:
    expected = tree_leaves(function(*tensors))
    results = tree_leaves(dycl.compile(function, tensors)(*tensors))
    assert len(results) == len(expected)
    for number, (got, wanted) in enumerate(zip(results, expected, strict=True)):
        exact = not wanted.dtype.is_floating_point
        half = torch.float16 in (wanted.dtype, *(t.dtype for t in tensors))
        tolerance = 0 if exact else 1e-2 if half else 1e-4
        assert got.dtype == wanted.dtype, number
        torch.testing.assert_close(
            got,
            wanted,
            rtol=tolerance,
            atol=tolerance / 10,
            equal_nan=True,
            msg=lambda text, number=number: f"result {number}: {text}",
        )


def arithmetic(x: Any, y: Any) -> Any:
    sums = x + y, x - y, x * y, x + 1, 3 - x, x * -2, -x, x.abs(), x.sign()
    return (sums, x / y, x / 3, x * 0.5, x**2, x**3, x.square())


def division(x: Any, y: Any) -> Any:
    floors = x // y, x // 3, x // -3, torch.div(x, y, rounding_mode="trunc")
    return (floors, x % y, x % 3, x % -3, x.fmod(y), x.fmod(3))


def division_by_numbers(x: Any, y: Any) -> Any:
    floors = x // 3, x // -3, y // 7, torch.div(x, 2, rounding_mode="trunc")
    return (floors, x % 3, x % -3, y % 5, x.fmod(3))


def comparison(x: Any, y: Any) -> Any:
    pairs = x == y, x != y, x < y, x <= y, x > y, x >= y
    return (pairs, x == 1, x != 0, x <= -1, x > 0.5, x < 2, x.logical_and(y))


def bits(x: Any, y: Any) -> Any:
    return x & y, x | y, x ^ y, ~x, x & 3, x << 3, x >> 1


def extremes(x: Any, y: Any) -> Any:
    pairs = torch.maximum(x, y), torch.minimum(x, y), torch.max(x, y)
    whole = x.max(), x.amin(1), x.amax(0), x.argmax(1), x.argmin(), x.max(1)[0]
    return (pairs, whole, x.clamp(-1, 2), x.clamp(min=0), F.relu(x), F.relu6(x))


def reductions(x: Any, y: Any) -> Any:
    flags = x.any(), x.all(1), x.count_nonzero(1)
    return x.sum(), y.sum(1), x.cumsum(1), y.prod(1), x.float().mean(), flags


def selections(x: Any, y: Any) -> Any:
    chosen = torch.where(x > y, x, y), torch.where(x > 0, x, 0), x[:, [0, 2]]
    index = torch.tensor([[0, 1], [2, 3], [1, 1]])
    joined = torch.cat([x, y], 1), torch.stack([x, y]), x.gather(1, index)
    made = torch.full_like(x, 3), torch.zeros_like(x), torch.arange(4) + x
    return (chosen, joined, made, x.sort(1)[0], y.topk(2, 1)[0], F.pad(x, (1, 1)))


def products(x: Any, y: Any) -> Any:
    x, y = x.clamp(-9, 9), y.clamp(-9, 9)
    image = x.view(1, 1, 3, 4)
    conv = F.conv2d(image, y[:2, :2].reshape(1, 1, 2, 2))
    return x @ y.t(), x[0] @ y[0], F.linear(x, y), conv


def casts(x: Any) -> Any:
    wide = x.double(), x.float(), x.half(), x.long(), x.int()
    return (wide, x.to(torch.int16), x.to(torch.int8), x.bool())


@pytest.mark.parametrize(
    "function",
    [
        arithmetic,
        division_by_numbers,
        comparison,
        bits,
        extremes,
        reductions,
        selections,
        products,
    ],
)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(function: Any, dtype: torch.dtype) -> None:
    agree(function, *integers(dtype))


@pytest.mark.parametrize("function", [arithmetic, division, comparison, extremes])
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(function: Any, dtype: torch.dtype) -> None:
    agree(function, *floats(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_finite_floats(dtype: torch.dtype) -> None:
    x = torch.tensor([[0.5, -1.5, 2.5], [-120.0, 3.0, 0.25]]).to(dtype)

    def smooth(x: Any) -> Any:
        curves = x.sigmoid(), x.tanh(), F.silu(x), F.softmax(x, 1), F.logsigmoid(x)
        sums = x.mean(1), x.sum(), x.var(1), x.std(), x.norm(dim=1)
        return (curves, sums, F.log_softmax(x, 1), F.layer_norm(x, (3,)))

    agree(smooth, x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_sort_takes_nan_for_the_largest(dtype: torch.dtype) -> None:
    def ordered(x: Any) -> Any:
        values, order = x.sort(1)
        top, _ = x.topk(2, 1)
        return values, order, top

    agree(ordered, floats(dtype)[0])


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGERS, *FLOATS])
def test_casts(dtype: torch.dtype) -> None:
    if dtype.is_floating_point:
        x = torch.tensor([0.5, -1.5, -0.0, 100.75]).to(dtype)
    else:
        x = FLAGS if dtype == torch.bool else integers(dtype)[0]
    agree(casts, x)


@pytest.mark.parametrize("other", [torch.bool, torch.int8, torch.int64, torch.float32])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.float16])
def test_type_promotion(dtype: torch.dtype, other: torch.dtype) -> None:
    def mixed(x: Any, y: Any) -> Any:
        pairs = x + y, x * y, y + x, x == y, x < y, y <= x, x > y
        return (pairs, torch.maximum(x, y), torch.where(x > y, x, y), torch.cat([x, y]))

    x = torch.tensor([3, -4, 0, 1, 100]).to(dtype)
    agree(mixed, x, torch.tensor([2, -3, 0, 1, 0]).to(other))


def test_half_sums_are_rounded_once() -> None:
    def sums(x: Any) -> Any:
        return x.sum(1) / 2, x.mean(1), x @ x.t() / 2, x.cumsum(1) / 2

    agree(sums, torch.ones(2, 4096).half())


def test_what_eager_computes_of_halves_in_floats() -> None:
    def once(x: Any, y: Any) -> Any:
        logs = torch.logaddexp(x, y), torch.logcumsumexp(y, 0), torch.log1p(y)
        sums = torch.cumsum(y, 0, dtype=torch.float16), *torch.var_mean(y)
        losses = F.soft_margin_loss(x, -y, reduction="none")
        return *logs, *sums, F.rms_norm(x, (64,)), torch.expm1(y), losses

    y = torch.linspace(0.01, 3, 64).half()
    x = y * 400  # whose squares no half float holds
    for one, other in zip(dycl.compile(once, (x, y))(x, y), once(x, y), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


def test_bfloat16_inside() -> None:
    def inside(x: Any) -> Any:
        y = x.bfloat16()
        return (y * 2 + 1).float(), y.sum(1).float(), (y @ y.t()).float(), y > 0

    agree(inside, torch.ones(2, 1000))


def test_bool() -> None:
    def flags(x: Any) -> Any:
        numbers = x <= -1, x < 1, x >= 2, x.sum(), x.cumsum(1), x * 3
        return (numbers, ~x, x & x, x.any(1), x.all(), x + 1.5, x | ~x)

    agree(flags, FLAGS)


def test_float_floor_division_is_that_of_eager() -> None:
    def floors(x: Any) -> Any:
        return x // 0.1, x // -0.25

    agree(floors, torch.tensor([1.0, -1.0, 0.3, 7.5]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype: torch.dtype) -> None:
    def bits(x: Any) -> Any:
        return x | 8, x & 3, 5 ^ x, x << 1, x >> 2, x | x.abs()

    agree(bits, integers(dtype)[0])


def test_bytes_have_no_sign() -> None:
    def compute(x: Any) -> Any:
        return x + 1, x // 3, x.sum(), x.max(), x > 128, x / 2

    agree(compute, torch.tensor([0, 7, 127, 128, 255], dtype=torch.uint8))
