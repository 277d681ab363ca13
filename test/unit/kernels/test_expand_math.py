"""The errors of our own mathematics, against f64, and what it gives at the borders."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

pytestmark = pytest.mark.each_target

REFERENCE = {
    "exp": torch.exp,
    "expm1": torch.expm1,
    "log": torch.log,
    "log1p": torch.log1p,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "log2": torch.log2,
    "log10": torch.log10,
    "exp2": torch.exp2,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
}
BOUNDS = {"exp": 2, "expm1": 2, "log": 1, "log1p": 2, "tanh": 3, "erf": 2}
"""In ulp, as the head of expand_math.py says; of all others 1."""
NAN, INF, TINY = float("nan"), float("inf"), 2.0**-149
BORDERS = [NAN, INF, -INF, 0.0, -0.0, TINY, -TINY, 2.0**-126, -(2.0**-126), 1.0, -1.0]
BORDERS += [88.72283, 88.72284, 89.5, -87.34, -103.97, -103.98, -104.5, 9.02, 9.03]
BORDERS += [3.92, 3.93, 4.0, -4.0, 0.70710677, 0.7071068, 1.4142135, 1.4142137]
BORDERS += [1.1999999, 1.2, 1.2000002, -1.2, -1.2000002]
BORDERS += [2.0**30, -(2.0**30), 2.0**30 - 64, 2.0**62, 1.5707964, 16367173.0 * 2**72]
BORDERS += [0.41421354, 0.41421357, 0.17, 0.16999999, 1.0000001, -1.0000001, 89.41599]
BORDERS += [3.4028235e38, -3.4028235e38, 1.7e38, 2.5e38, -0.99999994, 1e-20, -17.5]


def sample() -> torch.Tensor:
    """Every 1021st float of all there are, and the borders."""
    bits = torch.arange(-(2**31), 2**31, 1021, dtype=torch.int64).to(torch.int32)
    floats = torch.cat([torch.tensor(BORDERS), bits.view(torch.float32)])
    return floats[: len(floats) // 16 * 16].clone()


def text(name: str, size: int) -> str:
    """The function, element by element and 16 at a time."""
    memory = f"memref<{size}xf32>"
    return f"""
func.func @scalars(%x: {memory}, %y: {memory}) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} ins(%x : {memory}) outs(%y : {memory}) {{
  ^bb0(%a: f32, %out: f32):
    %b = math.{name} %a : f32
    linalg.yield %b : f32
  }}
  return
}}
func.func @vectors(%x: {memory}, %y: {memory}) {{
  %start = arith.constant 0 : index
  %stop = arith.constant {size} : index
  %step = arith.constant 16 : index
  scf.for %i = %start to %stop step %step {{
    %a = vector.load %x[%i] : {memory}, vector<16xf32>
    %b = math.{name} %a : vector<16xf32>
    vector.store %b, %y[%i] : {memory}, vector<16xf32>
  }}
  return
}}
"""


def ulps(got: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """The error of each finite result, in units of its last place."""
    size = exact.abs().clamp(2.0**-126, 3.4e38)
    return (got.double() - exact).abs() / torch.exp2(torch.floor(torch.log2(size)) - 23)


@pytest.mark.parametrize("name", REFERENCE)
def test_error_over_all_floats(name: str, run_memrefs: Callable[..., None]) -> None:
    x = sample()
    got, same = torch.full_like(x, 77.0), torch.full_like(x, 77.0)
    run_memrefs(text(name, len(x)), "vectors", x, got)
    run_memrefs(text(name, len(x)), "scalars", x, same)
    assert torch.equal(got.view(torch.int32), same.view(torch.int32))
    exact = REFERENCE[name](x.double())
    rounded = exact.float()
    finite = rounded.isfinite() & got.isfinite()
    torch.testing.assert_close(
        got[~finite], rounded[~finite], rtol=0, atol=0, equal_nan=True
    )
    assert ulps(got, exact)[finite].max() <= BOUNDS.get(name, 1)
    zero = (x == 0) & ~rounded.isnan()
    assert torch.equal(got[zero].signbit(), rounded[zero].signbit())


@pytest.mark.parametrize("name", ["tanh", "erf"])
def test_never_leaves_one(name: str, run_memrefs: Callable[..., None]) -> None:
    x = torch.linspace(-12, 12, 2**20)
    got = torch.full_like(x, 77.0)
    run_memrefs(text(name, len(x)), "vectors", x, got)
    assert got.abs().max() == 1


@pytest.mark.parametrize("exponent", [1, 2, 3, -1, -2, 0.5, -0.5, 4, 2.5, 0, 1.7])
def test_powers(exponent: float, agree: Callable[..., Any]) -> None:
    x = torch.tensor([0.5, 2.0, 3.7, 0.0, INF, NAN, 1e-30, -2.0, -0.0])
    agree(lambda x: x**exponent, x)


def test_powers_of_two(agree: Callable[..., Any]) -> None:
    x = torch.tensor([*BORDERS, 0.5, -1.5, 127.99999, 128.0, -149.0, -149.5, -151.5])
    agree(lambda x: (2.0**x, torch.exp2(x), torch.exp2(x.double())), x)


def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    """Each border with each, and pairs of which many powers are finite."""
    some = [*BORDERS, 0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -0.5, 1.0000001, 2.0**24 + 2]
    borders = torch.tensor(some)
    generator = torch.Generator().manual_seed(1)
    bases = torch.randn(2**20, generator=generator).exp()
    exponents = torch.randn(2**20, generator=generator) * 40
    x, y = borders.repeat_interleave(len(borders)), borders.repeat(len(borders))
    whole = torch.where(exponents.abs() < 30, exponents.round(), exponents)
    return torch.cat([x, bases, -bases]), torch.cat([y, exponents, whole])


OF_PAIRS = {"powf": np.power, "atan2": np.arctan2}


@pytest.mark.parametrize("name", OF_PAIRS)
def test_error_of_two(name: str, run_memrefs: Callable[..., None]) -> None:
    """NaN, signs, zeros and infinities as eager has them, all else within an ulp."""
    x, y = pairs()
    size = len(x) // 16 * 16
    x, y, got = x[:size].clone(), y[:size].clone(), torch.full((size,), 77.0)
    text = OF_TWO.format(name=name, memory=f"memref<{size}xf32>", size=size)
    run_memrefs(text, "scalars", x, y, got)
    # torch's own of doubles gives inf for (-0.0) ** -3.
    with np.errstate(all="ignore"):
        exact = torch.from_numpy(OF_PAIRS[name](x.double().numpy(), y.double().numpy()))
    rounded = exact.float()
    finite = rounded.isfinite() & got.isfinite()
    torch.testing.assert_close(
        got[~finite], rounded[~finite], rtol=0, atol=0, equal_nan=True
    )
    assert ulps(got, exact)[finite].max() <= 1
    assert torch.equal(got[finite].signbit(), rounded[finite].signbit())


OF_TWO = """
func.func @scalars(%x: {memory}, %y: {memory}, %z: {memory}) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%x, %y : {memory}, {memory}) outs(%z : {memory}) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %c = math.{name} %a, %b : f32
    linalg.yield %c : f32
  }}
  return
}}
"""


@pytest.mark.parametrize("shape", [(5, 33), (3, 1, 16), (7,)])
def test_a_sine_in_a_chain_of_any_shape(shape: Any, agree: Callable[..., Any]) -> None:
    """What is broadcast, what is permuted, and lanes beyond the end of a row."""
    x = torch.linspace(-7e10, 9e10, torch.Size(shape).numel()).view(shape)
    x.view(-1)[3], x.view(-1)[5] = INF, -0.0

    def function(x: torch.Tensor) -> Any:
        first = x[..., :1].cos()
        return (x * 2).sin() + first, x.transpose(0, -1).tan() * 0.5, x.cos() > 0

    agree(function, x)


def test_a_whole_power_of_vectors(agree: Callable[..., Any]) -> None:
    x = torch.linspace(-3, 3, 64).view(1, 4, 16)
    agree(lambda x: (((1 - x) ** 4) * x).sum() + x**5, x)
    agree(lambda x: (((1 - x) ** 4) * x).sum() + x**-3, x.double())
