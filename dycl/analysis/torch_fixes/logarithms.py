"""Functions made of a logarithm, step by step: each step of half floats is rounded.

torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import as_tensor


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


REWRITES = {
    "xlogy": times_log,
    "special_xlogy": times_log,
    "special_xlog1py": times_log,
    "special_entr": entropy,
    "logit": log_odds,
    "special_logit": log_odds,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
