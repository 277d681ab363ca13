"""Row programs against eager, for rows of every length; what may not be one is not."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.mlir import ops, parse
from dycl.kernels.cpu.rows.row_programs import row_programs

SIZES = [1, 3, 7, 16, 17, 100, 130]
NAN, INF = float("nan"), float("inf")


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


pytestmark = pytest.mark.each_target


def norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


ROWS: dict[str, Callable[..., Any]] = {
    "softmax": lambda x: F.softmax(x, -1),
    "softmax over other rows": lambda x: F.softmax(x, 0),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "softmax and max": lambda x: (F.softmax(x, -1).amax(-1) > 0.3, x.amax(-1)),
    "entropy": lambda x: -(F.softmax(x, -1) * F.log_softmax(x, -1)).sum(-1),
    "sums": lambda x: (x.sum(-1), x.sum(), x.sum(0), x.mean(-1), x.prod(-1)),
    "extremes": lambda x: (x.amax(-1), x.amin(-1), x.amax(0), x.amin()),
    "norms": lambda x: (x.norm(dim=1), x.norm(dim=0), F.normalize(x, dim=-1)),
    "variance": lambda x: (x.var(1, unbiased=False), x.std(0)),
    "row and its sum": lambda x: (x + 1, (x + 1).sum(-1), (x + 1) * 2),
    "two sums of one": lambda x: ((x - x.mean(-1, True)).abs().sum(-1), x.exp()),
    "searches": lambda x: (
        x.argmax(-1),
        *x.max(-1),
        *x.min(0),
        x.argmin(),
        x.argmin(1),
    ),
    "search of a softmax": lambda x: tuple(F.softmax(x, -1).max(-1)),
    "any, all": lambda x: ((x > 2).any(-1), (x > -2).all(-1), (x > 0).sum(-1)),
}
IMAGES: dict[str, Callable[..., Any]] = {
    "mean of images": lambda x: x.mean((2, 3)),
    "global average": lambda x: F.adaptive_avg_pool2d(x, 1),
    "global maximum": lambda x: F.adaptive_max_pool2d(x, 1),
    "largest of an image": lambda x: (x.flatten(1).argmax(1), x.argmax(1), x.argmax()),
    "softmax over channels": lambda x: F.softmax(x, 1),
    "sum over images": lambda x: x.sum((0, 2, 3)),
    "sum of the first and the last": lambda x: x.sum((1, 3)),
    "spread of the first and the last": lambda x: x.std((1, 3)),
    "softmax over two": lambda x: (
        (x - x.amax((1, 3), True)).exp()
        / ((x - x.amax((1, 3), True)).exp().sum((1, 3), True))
    ),
    "softmax of channels first": lambda x: F.softmax(x.flatten(2), 1),
    "transposed": lambda x: F.softmax(x.transpose(1, 3), -1),
}


@pytest.mark.parametrize("size", [*SIZES, 1100])
@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str, size: int, agree: Callable[..., None]) -> None:
    agree(ROWS[name], randn(5, size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", IMAGES)
def test_images(name: str, size: int, agree: Callable[..., None]) -> None:
    agree(IMAGES[name], randn(2, 3, 4, size))


@pytest.mark.parametrize("size", SIZES)
def test_norms(size: int, agree: Callable[..., None]) -> None:
    x, y, weight, bias = (
        randn(2, 3, size),
        randn(2, 3, size) + 1,
        randn(size),
        randn(size),
    )
    agree(norm, x, weight, bias)
    agree(lambda x, y, w, b: norm(x + y, w, b) + x, x, y, weight, bias)
    agree(lambda x, w: F.rms_norm(x, (x.shape[-1],), w), x, weight)
    images = randn(2, 6, 5, size)
    agree(lambda x: F.group_norm(x, 3), images)
    agree(lambda x, w, b: F.group_norm(x, 2, w, b), images, randn(6), randn(6) + 1)
    agree(lambda x, b: F.layer_norm(x, (5, size), bias=b), images, randn(5, size))


@pytest.mark.parametrize("mean", [0.0, 1e4, -1e6])
@pytest.mark.parametrize("shape", [(2, 6, 5, 3), (1, 4, 40, 70)])
def test_norms_of_a_large_mean_have_all_digits(
    shape: tuple[int, ...],
    mean: float,
    target: str,
    torch_text: Callable[..., str],
    call: Callable[..., list[torch.Tensor]],
) -> None:
    x, w, b = randn(*shape) + mean, randn(shape[1]), randn(shape[1])
    weights = randn(*shape[2:]), randn(*shape[2:]) + 1
    functions: list[tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = [
        (lambda x, w, b: F.group_norm(x, 2, w, b), (x, w, b)),
        (lambda x, w, b: F.layer_norm(x, x.shape[2:], w, b), (x, *weights)),
    ]
    for function, given in functions:
        library = CpuBackend(target=target).compile(torch_text(function, *given))
        [got] = call(library["kernel"], *given)
        exact = function(*(each.double() for each in given))
        assert (got - exact).abs().max() < 1e-6 * exact.abs().max()


def test_norms_of_rows_that_are_all_alike(agree: Callable[..., None]) -> None:
    x = torch.tensor([0.1, 0.0, -3e-7, NAN, INF])[:, None].expand(5, 90).clone()
    x[4, 1:] = 1.0
    agree(lambda x: F.layer_norm(x, (90,)), x)
    agree(lambda x: F.layer_norm(x, (90,), eps=0.0), x[3:])
    agree(lambda x: F.group_norm(x, 5), x[None])


@pytest.mark.parametrize("size", SIZES)
def test_integers(size: int, agree: Callable[..., None]) -> None:
    x = (randn(4, size) * 9).long()
    agree(lambda x: (x.sum(-1), x.amax(-1), x.amin(0), x.prod(-1), (x > 3).sum()), x)
    agree(lambda x: (x.amax(-1), x.amin(-1)), x.to(torch.int32))
    agree(lambda x: (x.argmax(-1), *x.min(-1), x.argmin(0)), x)


def test_nan_and_infinity(agree: Callable[..., None]) -> None:
    x = randn(6, 40)
    x[0, 3], x[1, 39], x[2, 0], x[3, 5] = NAN, NAN, INF, -INF
    x[4] = -INF
    x[5] = NAN
    functions: list[Callable[..., Any]] = [
        lambda x: F.softmax(x, -1),
        lambda x: F.log_softmax(x, 0),
        lambda x: (x.amax(-1), x.amin(-1), x.sum(-1), x.amax(0)),
        lambda x: (x.argmax(-1), x.argmin(-1), *x.max(0), *x.min(0), x.argmax()),
    ]
    for function in functions:
        agree(function, x)


@pytest.mark.parametrize("size", SIZES)
def test_the_first_of_equals(size: int, agree: Callable[..., None]) -> None:
    x = torch.ones(6, size)
    x[1, size // 2 :], x[2, -1], x[3, : size // 2] = 2.0, 3.0, -2.0
    x[4], x[5] = -INF, NAN
    agree(lambda x: (x.argmax(-1), x.argmin(-1), *x.max(0), *x.min(0)), x)
    agree(lambda x: (x.argmax(-1), x.argmin(-1)), x[:4].long())


@pytest.mark.parametrize("size", [2, 3, 40])
def test_places_in_rows_of_several_dims(size: int, agree: Callable[..., None]) -> None:
    x = randn(2, 5, size)
    agree(lambda x: x.argmax(-1), x)
    agree(lambda x: tuple(x.min(-1)), x)


@pytest.mark.parametrize("divisor", [1e-42, 1e-30, 3.0, 1e30, 3e38, 0.0, INF, NAN])
def test_quotient_of_any_size(divisor: float, agree: Callable[..., None]) -> None:
    x = torch.tensor([[divisor, *[0.0] * 20], [0.0] * 21])
    y = torch.tensor(
        [[1e-40, 1e-30, 1.0, -7.0, 1e30, 3e38, 0.0, INF, NAN, *[2.0] * 12]]
    )
    agree(lambda x, y: y / x.sum(-1, keepdim=True), x, y)


CENTRED = """
#wide = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%x: memref<4x20xf32>, %y: memref<4x20xf32>, %z: memref<4xf32>) {{
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
  linalg.generic {{indexing_maps = [#wide, #row],
      iterator_types = ["parallel", "reduction"]}}
      ins(%x : memref<4x20xf32>) outs(%sum : memref<4xf32>) {{
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }}
  {between}
  linalg.generic {{indexing_maps = [{read}, #row, #wide],
      iterator_types = ["parallel", "parallel"]}}
      ins({input} : memref<4x20xf32>, memref<4xf32>)
      outs({output} : memref<4x20xf32>) {{
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = arith.subf %a, %s : f32
    linalg.yield %t : f32
  }}
  return
}}
"""
LEGAL: dict[str, dict[str, str]] = {
    "apart": {},
    "in place": {"input": "%x, %sum", "output": "%x"},
    "writes elsewhere between": {
        "between": "linalg.fill ins(%zero : f32) outs(%z : memref<4xf32>)"
    },
}
LEGAL["writes the rows anew between"] = {
    "between": "memref.copy %y, %x : memref<4x20xf32> to memref<4x20xf32>"
}
ILLEGAL = {
    "writes the sums between": {
        "between": """%c0 = arith.constant 0 : index
  memref.store %zero, %sum[%c0] : memref<4xf32>"""
    },
    "writes the rows between": {
        "between": """%c0 = arith.constant 0 : index
  memref.store %zero, %x[%c0, %c0] : memref<4x20xf32>"""
    },
    "reads other rows in place": {
        "read": "affine_map<(i, j) -> (3 - i, j)>",
        "input": "%x, %sum",
        "output": "%x",
    },
}


def text_of(changed: dict[str, str]) -> str:
    plain = {
        "between": "",
        "read": "#wide",
        "input": "%x, %sum",
        "output": "%y",
    }
    return CENTRED.format(**{**plain, **changed})


@pytest.mark.parametrize("name", [*LEGAL, *ILLEGAL])
def test_what_goes_together(name: str, run_memrefs: Callable[..., None]) -> None:
    text = text_of({**LEGAL, **ILLEGAL}[name])
    module = parse(text)
    with module.context:
        row_programs(module)
    assert module.operation.verify()
    left = [op.name for op in ops(module.operation) if op.name == "linalg.generic"]
    assert len(left) == (0 if name in LEGAL else 1)
    plain, rows = ([randn(4, 20), randn(4, 20) + 1, randn(4)] for _ in range(2))
    run_memrefs(text, "f", *plain)
    run_memrefs(str(module), "f", *rows)
    for one, other in zip(plain, rows, strict=True):
        torch.testing.assert_close(one, other)
