"""Singular values and eigenvalues, by Jacobi's rotations of two rows at a time.

Two rows are rotated until they are orthogonal, in sweeps over all pairs, until a sweep
changes nothing (Hestenes 1958; Golub and Van Loan, section 8.6.3): the rows' lengths
are the singular values, and what was done to the rows is a matrix of singular vectors.
It is computed in f64 and rounded once. Users get no vectors: the signs of eager's are
those of its library. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir.torch.own_operators import define_operators
from dycl.lowerings import TensorSpec

_SWEEPS = 40
"""Ten are enough for most; the limit ends what rounding would keep turning."""
_SMALL = 4e-16
"""The cosine of two rows that count as orthogonal."""


def singular_values(op: Any, x: Any, *, driver: Any = None) -> Any:
    """`linalg.svdvals`, the largest one first."""
    _demand_finite(x, "linalg.svd")
    return _singular_values(x).to(x.dtype)


def eigenvalues(op: Any, x: Any, UPLO: str = "L") -> Any:
    """`linalg.eigvalsh`, the largest one last.

    The matrix is moved by a multiple of 1, so that no value is below 0.
    """
    import torch

    _demand_finite(x, "linalg.eigh")
    whole = _symmetric(x.double(), UPLO.upper() == "L")
    shift = whole.pow(2).sum((-2, -1)).sqrt()
    one = torch.eye(x.shape[-1], dtype=torch.float64)
    values = _singular_values(whole + shift.unsqueeze(-1).unsqueeze(-1) * one)
    return (values.flip(-1) - shift.unsqueeze(-1)).to(x.dtype)


def vectors(op: Any, *args: Any, **named: Any) -> Any:
    """`_linalg_svd`, `_linalg_eigh`. Untraceable."""
    raise Untraceable(
        f"torch op {op._schema.name.replace('::', '.')} gives vectors whose signs are "
        "those of eager's library, and has no lowering; the values alone have one, "
        "`torch.linalg.svdvals` and `torch.linalg.eigvalsh`"
    )


def pseudo_inverse(
    op: Any, x: Any, *tolerances: Any, atol: Any = None, rtol: Any = None,
    hermitian: bool = False,
) -> Any:  # fmt: skip
    """`linalg.pinv`: what is not larger than a tolerance counts as 0."""
    import torch

    if op._overloadname != "atol_rtol_tensor" or tolerances:
        return NotImplemented
    rows, columns = _sizes(x)
    if x.numel() == 0:
        return x.new_zeros(*x.shape[:-2], columns, rows)
    _demand_finite(x, "linalg.eigh" if hermitian else "linalg.svd")
    given = _symmetric(x, True) if hermitian else x
    is_wide = columns > rows
    rotated, vectors = _rotated(given if is_wide else given.transpose(-1, -2))
    squares = rotated.pow(2).sum(-1)
    values = squares.sqrt()
    if rtol is None:
        small = torch.finfo(x.dtype).eps * max(rows, columns)
        rtol = small if atol is None else torch.where(atol > 0, 0.0, small)
    least = _of_batch(rtol) * values.amax(-1, keepdim=True)
    if atol is not None:
        least = torch.maximum(_of_batch(atol), least)
    counts = (values > least).unsqueeze(-1)
    scaled = torch.where(
        counts, rotated / squares.unsqueeze(-1).masked_fill(~counts, 1), 0.0
    )
    found = (scaled if is_wide else vectors).transpose(-1, -2)
    return (found @ (vectors if is_wide else scaled)).to(x.dtype)


def _of_batch(tolerance: Any) -> Any:
    """One for each matrix, beside its values."""
    return tolerance if type(tolerance) is float else tolerance.double().unsqueeze(-1)


def _symmetric(x: Any, is_lower: bool) -> Any:
    """The other triangle is not looked at."""
    import torch

    low = torch.tril(x if is_lower else x.transpose(-1, -2))
    return low + torch.tril(low, -1).transpose(-1, -2)


def _demand_finite(x: Any, api: str) -> None:
    demand(
        x.isfinite().all(),
        f"RuntimeError: {api}: The algorithm failed to converge because the input "
        "matrix contained non-finite values.",
    )


def _singular_values(x: Any) -> Any:
    """The largest one first: [..., m, n] -> f64[..., min(m, n)]."""
    import torch

    rows, columns = _sizes(x)
    if x.numel() == 0:
        shape = (*x.shape[:-2], min(rows, columns))
        return torch.zeros(shape, dtype=torch.float64)
    rotated, _ = _rotated(x if rows <= columns else x.transpose(-1, -2))
    return rotated.pow(2).sum(-1).sqrt().sort(-1, descending=True)[0]


def _rotated(x: Any) -> tuple[Any, Any]:
    """Rows that are orthogonal, and the rotation: [..., r, c] -> those, [..., r, r]."""
    import torch

    define_operators()
    rows, columns = x.shape[-2:]
    one = torch.eye(rows, dtype=torch.float64).expand(*x.shape[:-1], rows)
    both = torch.cat([x.double(), one], -1).reshape(-1, rows, columns + rows)
    found = torch.ops.dycl.rotate_rows(both, columns)
    found = found.reshape(*x.shape[:-1], columns + rows)
    return found.narrow(-1, 0, columns), found.narrow(-1, columns, rows)


def _sizes(x: Any) -> Any:
    """Rows and columns. Untraceable: a size depends on the input."""
    if any(type(size) is not int for size in x.shape):
        raise Untraceable("a decomposition of a matrix of dynamic size has no lowering")
    return x.shape[-2:]


def rotate_rows(x: TensorSpec, count: int) -> str:
    """The kernel of `dycl::rotate_rows`, where the rows are p and q."""
    batch, rows, columns = x.shape
    return _KERNEL.format(
        x=x, batch=batch, rows=rows, columns=columns, count=count,
        sweeps=_SWEEPS, small=_SMALL,
    )  # fmt: skip


_KERNEL = """
func.func @rotate_rows(%x: {x}) -> {x} {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %batch = arith.constant {batch} : index
  %rows = arith.constant {rows} : index
  %columns = arith.constant {columns} : index
  %count = arith.constant {count} : index
  %sweeps = arith.constant {sweeps} : index
  %small = arith.constant {small:e} : f64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %all = scf.for %b = %0 to %batch step %1 iter_args(%x0 = %x) -> {x} {{
    %swept:2 = scf.for %s = %0 to %sweeps step %1
        iter_args(%x1 = %x0, %end = %rows) -> ({x}, index) {{
      %of_p:2 = scf.for %p = %0 to %end step %1
          iter_args(%x2 = %x1, %more2 = %0) -> ({x}, index) {{
        %next = arith.addi %p, %1 : index
        %of_q:2 = scf.for %q = %next to %rows step %1
            iter_args(%x3 = %x2, %more3 = %more2) -> ({x}, index) {{
          %sums:3 = scf.for %k = %0 to %count step %1
              iter_args(%pp = %zero, %qq = %zero, %pq = %zero) -> (f64, f64, f64) {{
            %xp = tensor.extract %x3[%b, %p, %k] : {x}
            %xq = tensor.extract %x3[%b, %q, %k] : {x}
            %pp1 = math.fma %xp, %xp, %pp : f64
            %qq1 = math.fma %xq, %xq, %qq : f64
            %pq1 = math.fma %xp, %xq, %pq : f64
            scf.yield %pp1, %qq1, %pq1 : f64, f64, f64
          }}
          %np = math.sqrt %sums#0 : f64
          %nq = math.sqrt %sums#1 : f64
          %n = arith.mulf %np, %nq : f64
          %bound = arith.mulf %small, %n : f64
          %size = math.absf %sums#2 : f64
          %turns = arith.cmpf ogt, %size, %bound : f64
          %twice = arith.addf %sums#2, %sums#2 : f64
          %divisor = arith.select %turns, %twice, %one : f64
          %differ = arith.subf %sums#1, %sums#0 : f64
          %zeta = arith.divf %differ, %divisor : f64
          %far = math.absf %zeta : f64
          %square = math.fma %zeta, %zeta, %one : f64
          %root = math.sqrt %square : f64
          %sum = arith.addf %far, %root : f64
          %sign = math.copysign %one, %zeta : f64
          %tangent = arith.divf %sign, %sum : f64
          %secant2 = math.fma %tangent, %tangent, %one : f64
          %secant = math.sqrt %secant2 : f64
          %cos = arith.divf %one, %secant : f64
          %sin = arith.mulf %cos, %tangent : f64
          %until = arith.select %turns, %columns, %0 : index
          %x4 = scf.for %k = %0 to %until step %1 iter_args(%y = %x3) -> {x} {{
            %xp = tensor.extract %y[%b, %p, %k] : {x}
            %xq = tensor.extract %y[%b, %q, %k] : {x}
            %cp = arith.mulf %cos, %xp : f64
            %sq = arith.mulf %sin, %xq : f64
            %yp = arith.subf %cp, %sq : f64
            %sp = arith.mulf %sin, %xp : f64
            %cq = arith.mulf %cos, %xq : f64
            %yq = arith.addf %sp, %cq : f64
            %y1 = tensor.insert %yp into %y[%b, %p, %k] : {x}
            %y2 = tensor.insert %yq into %y1[%b, %q, %k] : {x}
            scf.yield %y2 : {x}
          }}
          %more4 = arith.select %turns, %rows, %more3 : index
          scf.yield %x4, %more4 : {x}, index
        }}
        scf.yield %of_q#0, %of_q#1 : {x}, index
      }}
      scf.yield %of_p#0, %of_p#1 : {x}, index
    }}
    scf.yield %swept#0 : {x}
  }}
  return %all : {x}
}}"""


REWRITES = {
    "linalg_svdvals": singular_values,
    "linalg_eigvalsh": eigenvalues,
    "_linalg_svd": vectors,
    "_linalg_eigh": vectors,
    "linalg_pinv": pseudo_inverse,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
KERNELS = {"dycl::rotate_rows": rotate_rows}
"""Name of an operator of ours -> its code, from what its operands are."""
