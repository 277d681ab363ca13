"""Which numbers fit a dtype, op by op, compared with eager."""

import math

import pytest
import torch
import torch.nn.functional as F

from dycl.analysis.tensors.number_ranges import (
    AS_LISTED,
    AS_STORED,
    BECOMES,
    OVERFLOW,
    fits,
    range_of,
)

DTYPES = (
    *(torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool),
)
INTS = [sign * 2**power + more for power in (0, 7, 8, 15, 16, 31) for sign in (1, -1)
        for more in (-1, 0, 1)]  # fmt: skip
INTS += [65504, 65505, -65505, 2**63 - 1, -(2**63)]
FLOATS = [float(n) for n in INTS]
FLOATS += [0.5, -0.5, 127.5, -128.5, 255.5, 3.39e38, 3.4e38, 3.41e38, -1e39, 1e300]
FLOATS += [2.0**63 + 2048, -(2.0**63) - 2048, math.nan, math.inf, -math.inf]


def place(x):
    return torch.zeros(1, dtype=torch.long)


CALLS = {
    ("fill", "value"): lambda x, n: x.clone().fill_(n),
    ("full", "fill_value"): lambda x, n: torch.full((2,), n, dtype=x.dtype),
    ("new_full", "fill_value"): lambda x, n: x.new_full((2,), n),
    ("full_like", "fill_value"): lambda x, n: torch.full_like(x, n),
    ("masked_fill", "value"): lambda x, n: x.masked_fill(x == x, n),
    ("index_fill", "value"): lambda x, n: x.index_fill(0, place(x), n),
    ("scatter", "value"): lambda x, n: x.scatter(0, place(x), n),
    ("pad", "value"): lambda x, n: F.pad(x, (1, 1), value=n),
    ("clamp", "min"): lambda x, n: x.clamp(min=n),
    ("clip", "max"): lambda x, n: x.clip(max=n),
    ("clamp_min", "min"): lambda x, n: torch.clamp_min(x, n),
    ("clamp_max", "max"): lambda x, n: torch.clamp_max(x, n),
    ("add", "alpha"): lambda x, n: torch.add(x, x, alpha=n),
    ("sub", "alpha"): lambda x, n: torch.sub(x, x, alpha=n),
    ("rsub", "alpha"): lambda x, n: torch.rsub(x, x, alpha=n),
    ("index_add", "alpha"): lambda x, n: x.index_add(0, place(x), x[:1], alpha=n),
    ("addmv", "alpha"): lambda x, n: torch.addmv(x[:1], x[None], x, alpha=n),
    ("addr", "alpha"): lambda x, n: torch.addr(x[:1, None], x[:1], x[:1], alpha=n),
    ("addmm", "alpha"): lambda x, n: torch.addmm(x[None, :1], x[None], x[:, None],
                                                 alpha=n),
    ("addcmul", "value"): lambda x, n: torch.addcmul(x, x, x, value=n),
    ("addcdiv", "value"): lambda x, n: torch.addcdiv(x, x, x, value=n),
    ("hardshrink", "lambd"): lambda x, n: F.hardshrink(x, n),
    ("linspace", "start"): lambda x, n: torch.linspace(n, 0, 3, dtype=x.dtype),
    ("logit", "eps"): lambda x, n: torch.logit(x, n, out=x.clone()),
    ("special_logit", "eps"): lambda x, n: torch.special.logit(x, n, out=x.clone()),
    ("hinge_embedding_loss", "margin"): lambda x, n: F.hinge_embedding_loss(x, x, n),
    ("threshold", "threshold"): lambda x, n: F.threshold(x, n, 0),
    ("threshold", "value"): lambda x, n: F.threshold(x, 0, n),
    ("leaky_relu", "negative_slope"): lambda x, n: F.leaky_relu(x, n),
    ("elu", "alpha"): lambda x, n: F.elu(x, n),
    ("celu", "alpha"): lambda x, n: F.celu(x, n),
    ("softplus", "beta"): lambda x, n: F.softplus(x, n),
    ("softplus", "threshold"): lambda x, n: F.softplus(x, 1, n),
    ("lerp", "weight"): lambda x, n: torch.lerp(x, x, n),
    ("pow", "exponent"): lambda x, n: x.pow(n),
    ("where", "other"): lambda x, n: torch.where(x == x, x, n),
    ("scalar_tensor", "s"): lambda x, n: torch.scalar_tensor(n, dtype=x.dtype),
    ("fill_diagonal", "fill_value"): lambda x, n: x[None].clone().fill_diagonal_(n),
    (None, AS_STORED): lambda x, n: x.clone().__setitem__(0, n),
    (None, AS_LISTED): lambda x, n: torch.tensor([n], dtype=x.dtype),
}  # fmt: skip
PROMOTES = ("clamp", "clip", "clamp_min", "clamp_max", "where", "pow")
"""Ops whose result is of floats, if a number is a float and the tensor is not."""


@pytest.mark.parametrize("row", CALLS, ids=str)
def test_what_fits_is_what_eager_takes(row):
    op, argument = row
    how = argument if op is None else BECOMES[op][argument]
    compared = 0
    for dtype in DTYPES:
        x = torch.tensor([1, 2, 3]).to(dtype)
        for number in (*INTS, *FLOATS):
            error = raised(CALLS[row], x, number)
            if error is not None and not error.endswith(OVERFLOW):
                continue  # eager has no such op for the dtype
            kind = type(number).__name__
            is_whole = "float" not in str(dtype)
            is_promoted = op in PROMOTES and kind == "float" and is_whole
            made = "float32" if is_promoted else str(dtype).removeprefix("torch.")
            found = range_of(kind, made, how)
            assert fits(number, found) == (error is None), (dtype, number)
            assert error is None or found.error == error
            compared += 1
    assert compared > 200


def raised(call, x, number):
    try:
        call(x, number)
    except Exception as error:
        return str(error)
    return None
