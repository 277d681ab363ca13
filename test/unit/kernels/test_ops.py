"""Every op family through the whole path, against eager."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend

RAND = torch.rand
NAN, INF = float("nan"), float("inf")


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


IMAGE = randn(2, 8, 9, 12)

CONVOLUTIONS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "3x3": (lambda x, w: F.conv2d(x, w, padding=1), [IMAGE, randn(6, 8, 3, 3)]),
    "bias": (
        lambda x, w, b: F.conv2d(x, w, b),
        [IMAGE, randn(6, 8, 3, 3), randn(6)],
    ),
    "1x1": (lambda x, w: F.conv2d(x, w), [IMAGE, randn(6, 8, 1, 1)]),
    "stride 2": (
        lambda x, w: F.conv2d(x, w, stride=2, padding=1),
        [IMAGE, randn(6, 8, 3, 3)],
    ),
    "1x1 stride 2": (lambda x, w: F.conv2d(x, w, stride=2), [IMAGE, randn(6, 8, 1, 1)]),
    "dilated": (
        lambda x, w: F.conv2d(x, w, dilation=2, padding=2),
        [IMAGE, randn(6, 8, 3, 3)],
    ),
    "uneven": (
        lambda x, w: F.conv2d(x, w, stride=(1, 2), padding=(0, 3)),
        [IMAGE, randn(5, 8, 2, 5)],
    ),
    "5x5": (lambda x, w: F.conv2d(x, w, padding=2), [IMAGE, randn(6, 8, 5, 5)]),
    "7x7 stride 2": (
        lambda x, w: F.conv2d(x, w, stride=2, padding=3),
        [IMAGE, randn(6, 8, 7, 7)],
    ),
    "grouped": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1, groups=2),
        [IMAGE, randn(6, 4, 3, 3), randn(6)],
    ),
    "depthwise": (
        lambda x, w: F.conv2d(x, w, padding=1, groups=8),
        [IMAGE, randn(8, 1, 3, 3)],
    ),
    "depthwise stride 2": (
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=8),
        [IMAGE, randn(8, 1, 3, 3), randn(8)],
    ),
    "1d": (
        lambda x, w: F.conv1d(x, w, padding=1),
        [randn(2, 4, 11), randn(5, 4, 3)],
    ),
    "transposed": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1),
        [IMAGE, randn(8, 4, 3, 3)],
    ),
}

POOLS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "max": (lambda x: F.max_pool2d(x, 2), [IMAGE]),
    "max 3x3 stride 2 padded": (lambda x: F.max_pool2d(x, 3, 2, 1), [IMAGE]),
    "average": (lambda x: F.avg_pool2d(x, 2), [IMAGE]),
    "average padded": (lambda x: F.avg_pool2d(x, 3, 2, 1), [IMAGE]),
    "average padded, not counted": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        [IMAGE],
    ),
    "adaptive average to 1": (lambda x: F.adaptive_avg_pool2d(x, 1), [IMAGE]),
    "adaptive average to 3": (lambda x: F.adaptive_avg_pool2d(x, 3), [IMAGE]),
    "adaptive max to 1": (lambda x: F.adaptive_max_pool2d(x, 1), [IMAGE]),
}

LINEAR: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "linear": (F.linear, [randn(1, 20), randn(7, 20), randn(7)]),
    "linear without bias": (F.linear, [randn(3, 20), randn(7, 20)]),
    "linear of rank 3": (F.linear, [randn(2, 5, 20), randn(7, 20), randn(7)]),
    "matmul": (torch.matmul, [randn(5, 6), randn(6, 9)]),
    "matrix vector": (torch.matmul, [randn(5, 6), randn(6)]),
    "batched": (torch.matmul, [randn(2, 5, 6), randn(2, 6, 9)]),
    "batched transposed": (
        lambda x, y: x @ y.transpose(-1, -2),
        [randn(2, 5, 6), randn(2, 9, 6)],
    ),
    "transposed on the left": (lambda x, y: x.t() @ y, [randn(6, 5), randn(6, 9)]),
    "transposed and used": (
        lambda x, y: (x @ y.t(), y.t() + 1),
        [randn(5, 6), randn(9, 6)],
    ),
    "attention": (
        F.scaled_dot_product_attention,
        [randn(1, 2, 5, 8), randn(1, 2, 7, 8), randn(1, 2, 7, 8)],
    ),
}

POINTWISE: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "batch_norm": (
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b),
        [IMAGE, randn(8), randn(8).abs() + 0.1, randn(8) + 1, randn(8) + 2],
    ),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (20,), w, b),
        [randn(3, 20), randn(20), randn(20) + 1],
    ),
    "softmax": (lambda x: F.softmax(x, -1), [randn(3, 10)]),
    "softmax over dim 1": (lambda x: F.softmax(x, 1), [IMAGE]),
    "log_softmax": (lambda x: F.log_softmax(x, -1), [randn(3, 10)]),
    "sigmoid and tanh": (lambda x: torch.sigmoid(x) * torch.tanh(x), [randn(3, 10)]),
    "gelu": (F.gelu, [randn(3, 10)]),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), [randn(3, 10) * 3]),
    "gelu of f64": (F.gelu, [randn(3, 10).double()]),
    "functions of f64": (
        lambda x: (x.tanh() + x.erf(), x.sin(), x.abs().log1p(), x.expm1()),
        [randn(3, 10).double()],
    ),
    "functions of f32": (
        lambda x: (
            x.sin() + x.cos(),
            x.abs().log2(),
            x.abs().log10(),
            x.exp2(),
            x.erf(),
        ),
        [randn(3, 10)],
    ),
    "silu, hardswish": (lambda x: F.silu(x) + F.hardswish(x), [randn(3, 10)]),
    "relu6, leaky, elu": (
        lambda x: F.relu6(x) + F.leaky_relu(x, 0.1) + F.elu(x),
        [randn(3, 10)],
    ),
    "clamp, sqrt, exp, log": (
        lambda x: x.clamp(0.2, 1.5).sqrt().exp().log(),
        [randn(3, 10)],
    ),
    "broadcast": (lambda x, y: x * y + x, [randn(2, 3, 4), randn(3, 1)]),
    "where": (lambda x, y: torch.where(x > y, x, y * 2), [randn(3, 4), randn(1, 4)]),
    "masked_fill": (lambda x: x.masked_fill(x < 0, -INF), [randn(3, 4)]),
    "f64": (lambda x: x.exp() * 2, [randn(3, 4).double()]),
}

REDUCTIONS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "mean": (lambda x: x.mean(), [IMAGE]),
    "mean of dims": (lambda x: x.mean((2, 3), keepdim=True), [IMAGE]),
    "sum, amax": (lambda x: (x.sum(1), x.amax(1)), [randn(3, 10)]),
    "var": (lambda x: x.var(1), [randn(3, 10)]),
    "max with indices": (lambda x: tuple(x.max(1)), [randn(3, 10)]),
    "min with indices": (lambda x: tuple(x.min(1)), [randn(3, 10)]),
    "max of equals": (lambda x: tuple(x.max(1)), [torch.ones(2, 4)]),
    "max of -inf": (lambda x: tuple(x.max(1)), [torch.full((2, 4), -INF)]),
    "argmax": (lambda x: x.argmax(-1), [randn(3, 10)]),
    "argmin": (lambda x: x.argmin(-1), [randn(3, 10)]),
    "argmax of all": (lambda x: x.argmax(), [randn(3, 10)]),
    "norm": (lambda x: x.norm(dim=1), [randn(3, 10)]),
    "cumsum": (lambda x: x.cumsum(1), [randn(3, 10)]),
    "topk": (lambda x: tuple(x.topk(2, dim=1)), [randn(3, 10)]),
    "any, all": (lambda x: ((x > 0).any(1), (x > -9).all()), [randn(3, 10)]),
}

SHAPES: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "cat": (lambda x, y: torch.cat([x, y], 1), [randn(2, 4), randn(2, 5)]),
    "stack": (lambda x, y: torch.stack([x, y]), [randn(2, 4), randn(2, 4) + 1]),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 1)), [randn(2, 4)]),
    "slices": (lambda x: x[:, 1:9:2] * 2, [randn(3, 10)]),
    "permute, reshape": (lambda x: x.permute(0, 2, 3, 1).reshape(2, -1), [IMAGE]),
    "flatten": (lambda x: x.flatten(1) + 1, [IMAGE]),
    "chunk": (lambda x: tuple(c + 1 for c in x.chunk(2, 1)), [IMAGE]),
    "expand": (lambda x: x.expand(4, 3).clone(), [randn(1, 3)]),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2), [IMAGE]),
}

INTEGERS = torch.tensor([[3, -4, 5], [0, 7, -2]])
OTHER_DTYPES: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "comparison": (lambda x: x > 0.5, [randn(3, 4)]),
    "comparison of rank 0": (lambda x: x.mean() > 0.5, [randn(3, 4)]),
    "comparison of i64": (lambda x: x >= 3, [INTEGERS]),
    "logic": (
        lambda x, y: (x & y, x | ~y, x ^ y),
        [torch.tensor([True, False, True]), torch.tensor([True, True, False])],
    ),
    "i64": (lambda x: (x * 2 + 1, x.sum(), x.abs()), [INTEGERS]),
    "i64 to f32": (lambda x: x.float() / 2, [INTEGERS]),
    "f32 to i64": (lambda x: (x * 10).long(), [randn(3, 4)]),
    "i32": (lambda x: x + 1, [INTEGERS.int()]),
    "u8 to f32": (
        lambda x: x.float() / 255,
        [torch.tensor([0, 7, 255], dtype=torch.uint8)],
    ),
    "embedding": (
        lambda w, i: F.embedding(i, w),
        [randn(7, 4), torch.tensor([[1, 6, 0]])],
    ),
    "index_select": (
        lambda x, i: x.index_select(1, i),
        [randn(3, 10), torch.tensor([4, 0])],
    ),
    "gather": (
        lambda x, i: x.gather(1, i),
        [randn(3, 10), torch.tensor([[4], [0], [9]])],
    ),
}

HOLES = torch.tensor([[1.0, NAN, 3.0, NAN], [2.0, INF, 1.0, -INF]])
NOT_NUMBERS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "greater": (lambda x: (x > 0.5, x <= 0.5, x == x, x != x), [HOLES]),
    "max": (lambda x: tuple(x.max(1)), [HOLES]),
    "min": (lambda x: tuple(x.min(1)), [HOLES]),
    "argmax": (lambda x: x.argmax(1), [HOLES]),
    "relu": (lambda x: (F.relu(x), x.clamp(0, 1)), [HOLES]),
    "where": (lambda x: torch.where(x > 0, x, -x), [HOLES]),
    "max_pool": (lambda x: F.max_pool2d(x, 2), [HOLES.reshape(1, 1, 2, 4)]),
}

CASES = {
    f"{family}: {name}": case
    for family, cases in {
        "conv": CONVOLUTIONS,
        "pool": POOLS,
        "linear": LINEAR,
        "pointwise": POINTWISE,
        "reduction": REDUCTIONS,
        "shape": SHAPES,
        "dtype": OTHER_DTYPES,
        "nan": NOT_NUMBERS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_equals_eager(name: str, agree: Callable[..., None]) -> None:
    function, tensors = CASES[name]
    agree(function, *tensors)


@pytest.mark.parametrize("width", [4, 64])
def test_products_that_the_user_adds_are_rounded_as_in_eager(
    width: int, torch_text: Callable[..., str], call: Callable[..., list[torch.Tensor]]
) -> None:
    """Two copies of the code, for two hosts, may choose different products to fuse."""

    def mix(x: Any, y: Any) -> Any:
        return x * 0.75 + y * 0.25, x * y - x, torch.relu(x + 1) * 0.1 + y

    given = randn(9, width), randn(9, width) * 3
    kernel = CpuBackend().compile(torch_text(mix, *given))["kernel"]
    for result, wanted in zip(call(kernel, *given), mix(*given), strict=True):
        assert torch.equal(result, wanted)


def test_residual_block(agree: Callable[..., None]) -> None:
    def block(x: Any, w1: Any, mean: Any, var: Any, w2: Any) -> Any:
        y = F.relu(F.batch_norm(F.conv2d(x, w1, padding=1), mean, var))
        return F.relu(F.conv2d(y, w2, padding=1) + x)

    weights = randn(8, 8, 3, 3)
    agree(block, IMAGE, weights, randn(8), randn(8).abs() + 0.5, weights + 0.1)


@pytest.mark.parametrize("width", range(7, 18))
def test_short_rows_are_right_and_llvm_is_quiet(
    width: int, agree: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    def rows(x: Any, dense: Any, point: Any, deep: Any, matrix: Any) -> Any:
        y = F.conv2d(x, dense, padding=1) + F.conv2d(x, point)
        strided = F.conv2d(x[..., : 2 * width], dense, stride=2, padding=1)
        return y, strided, F.conv2d(y, deep, padding=1, groups=6), y @ matrix

    agree(
        rows,
        randn(1, 5, 9, width),
        randn(6, 5, 3, 3),
        randn(6, 5, 1, 1),
        randn(6, 1, 3, 3),
        randn(width, width),
    )
    assert capfd.readouterr().err == ""


def test_an_index_out_of_range_reads_the_nearest_row(
    torch_text: Callable[..., str], call: Callable[..., list[torch.Tensor]]
) -> None:
    from dycl.kernels.cpu import CpuBackend

    rows, index = randn(7, 4), torch.tensor([1 << 40, -(1 << 40)])
    text = torch_text(lambda w, i: F.embedding(i, w), rows, torch.tensor([0, 0]))
    (result,) = call(CpuBackend().compile(text)["kernel"], rows, index)
    assert torch.equal(result, rows[[6, 0]])
