"""Functions made of a logarithm, step by step: each step of half floats is rounded.

torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes.division import as_tensor, together


def times_log(op: Any, x: Any, y: Any) -> Any:
    """`xlogy`: 0 where `x` is 0, but for a NaN of `y`; and `xlog1py`."""
    import torch

    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    is_shifted = op._schema.name == "aten::special_xlog1py"
    x, y = as_tensor(x, dtype), as_tensor(y, dtype)
    product = x * (torch.log1p(y) if is_shifted else torch.log(y))
    product = torch.where(x == 0, torch.zeros_like(product), product)
    return torch.where(y == y, product, y)


def entropy(op: Any, x: Any) -> Any:
    """`special.entr`: -x log x, 0 at 0, and -inf below."""
    import torch

    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    below = torch.where(x < 0, torch.full_like(x, -torch.inf), x.abs() * 0)
    return torch.where(x > 0, -x * torch.log(x), below)


def log_odds(op: Any, x: Any, eps: Any = None) -> Any:
    """`logit`, of integers too; `eps` is the lower bound, then 1 - `eps` the upper."""
    import torch

    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    if eps is not None:
        low = torch.full_like(x, eps)
        x = torch.where(x < low, low, torch.where(x > 1 - low, 1 - low, x))
    return torch.log(x / (1 - x))


def log_of_sum(op: Any, x: Any, y: Any) -> Any:
    """`logaddexp`, `logaddexp2`: from the larger one on, so that nothing overflows, nor
    is lost of what is much less than 1."""
    import torch

    x, y = together(x, y)
    if not x.is_floating_point():
        return NotImplemented
    rest = -(x - y).abs()
    if op._schema.name == "aten::logaddexp2":
        more = torch.log1p(torch.exp2(rest)) / math.log(2)
    else:
        more = torch.log1p(torch.exp(rest))
    result = torch.maximum(x, y) + more
    infinite = (x == y) & (x.abs() == float("inf"))
    return torch.where(infinite, x, result)


def running_log_of_sum(op: Any, x: Any, dim: int) -> Any:
    """`logcumsumexp`: torch-mlir's overflows; after step k, of 2 ** k elements."""
    import torch

    size = x.shape[dim] if x.dim() else 1
    if type(size) is not int or not x.is_floating_point():
        return NotImplemented
    step = 1
    while step < size:
        late, early = x.narrow(dim, step, size - step), x.narrow(dim, 0, size - step)
        x = torch.cat([x.narrow(dim, 0, step), log_of_sum(op, late, early)], dim)
        step *= 2
    return x


REWRITES = {
    "logaddexp": log_of_sum,
    "logaddexp2": log_of_sum,
    "logcumsumexp": running_log_of_sum,
    "xlogy": times_log,
    "special_xlogy": times_log,
    "special_xlog1py": times_log,
    "special_entr": entropy,
    "logit": log_odds,
    "special_logit": log_odds,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
