"""`cpu-write-attention`: attention in one op is written as products and a softmax.

torch-mlir takes no mask that is broadcast, and compares each query with each key one by
one where there is any. A query that may look at no key gets zeros, as in eager.

Before:
    %o = torch.aten.scaled_dot_product_attention %q, %k, %v, %mask, ...

After:
    %s = torch.aten.matmul %q, (transpose %k)
    %t = (%s * scale) + (where %mask, 0, -inf)
    %p = torch.aten.softmax.int %t, -1
    %p0 = where (max %t == -inf), 0, %p
    %o = torch.aten.matmul %p0, %v

Needs:  the torch dialect; `cpu-fuse-attention`, which takes what is one kernel.
Leaves: none of f32 or f64.
Skips:  other dtypes, dropout.
"""

from dataclasses import replace
from typing import Any

from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.attention.definition import (
    ONE_OP,
    Attention,
    attention_of,
    shapes,
)
from dycl.kernels.cpu.mlir import ir, ops


def write_attention(module: Any) -> None:
    """Write out every `scaled_dot_product_attention`."""
    for op in ops(module.operation):
        found = attention_of(op) if op.name == ONE_OP else None
        if found is None:
            continue
        with ir.InsertionPoint(op), op.location:
            result = _written(found, op.results[0].type)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _written(found: Attention, kind: Any) -> Any:
    found = with_heads_repeated(found)
    query, key, _ = shapes(found)
    spec = torch.spec_of(found.query)
    assert spec is not None
    outer = _together(query[:-2], key[:-2])
    scored = torch.tensor([*outer, query[-2], key[-2]], spec.dtype)
    one_each = torch.tensor([*outer, query[-2], 1], spec.dtype)
    bits = torch.tensor([*outer, query[-2], 1], "bool")
    last = torch.number(-1)
    scores = torch.op("matmul", [found.query, transposed(found.key)], scored)
    scores = torch.op("mul.Scalar", [scores, torch.number(found.scale)], scored)
    lowest = torch.number(float("-inf"))
    number = mask_as_numbers(found.mask, spec.dtype)
    if number is not None:
        scores = torch.op("add.Tensor", [scores, number, torch.number(1)], scored)
    if found.is_causal:  # A later key that is NaN is not looked at.
        operands = [reached(found), scores, lowest]
        scores = torch.op("where.ScalarOther", operands, scored)
    weights = torch.op("softmax.int", [scores, last, torch.none()], scored)
    dims = torch.sizes([-1])
    largest = torch.op("amax", [scores, dims, torch.flag(True)], one_each)
    empty = torch.op("eq.Scalar", [largest, lowest], bits)
    zero = torch.number(0.0)
    weights = torch.op("where.ScalarSelf", [empty, zero, weights], scored)
    return torch.op("matmul", [weights, found.value], kind)


def transposed(value: Any) -> Any:
    """A tensor with its last two dimensions exchanged."""
    spec = torch.spec_of(value)
    assert spec is not None
    *outer, rows, columns = spec.shape
    kind = torch.tensor([*outer, columns, rows], spec.dtype)
    dims = [torch.number(-2), torch.number(-1)]
    return torch.op("transpose.int", [value, *dims], kind)


def mask_as_numbers(mask: Any, dtype: str) -> Any:
    """A mask to be added: of bits, 0 where they are set and -inf elsewhere."""
    spec = None if mask is None else torch.spec_of(mask)
    if spec is None or spec.dtype != "bool":
        return mask
    kind = torch.tensor(spec.shape, dtype)
    numbers = [torch.number(0.0), torch.number(float("-inf"))]
    return torch.op("where.Scalar", [mask, *numbers], kind)


def reached(found: Attention) -> Any:
    """Bits, which are set but where a key comes after a query."""
    query, key, _ = shapes(found)
    places: list[Any] = []
    for whose, size, at in ((found.query, query[-2], 1), (found.key, key[-2], 0)):
        ends = [_size(whose, size), *(torch.none() for _ in range(4))]
        one = torch.op("arange", ends, torch.tensor([size], "int64"))
        kind = torch.tensor([size, 1] if at else [1, size], "int64")
        places.append(torch.op("unsqueeze", [one, torch.number(at)], kind))
    return torch.op("ge.Tensor", places, torch.tensor([query[-2], key[-2]], "bool"))


def with_heads_repeated(found: Attention) -> Attention:
    """The same with as many heads of keys and values as of queries."""
    query, key, _ = shapes(found)
    if len(query) < 3 or key[-3] == query[-3] or query[-3] % key[-3]:
        return found
    times = query[-3] // key[-3]
    made = [_repeated(item, times) for item in (found.key, found.value)]
    return replace(found, key=made[0], value=made[1])


def _repeated(value: Any, times: int) -> Any:
    spec = torch.spec_of(value)
    assert spec is not None
    *outer, heads, rows, columns = spec.shape
    dim = len(outer)
    same = [-1] * len(outer)
    steps = (
        ("unsqueeze", [torch.number(dim + 1)], [heads, 1]),
        (
            "expand",
            [torch.sizes([*same, -1, times, -1, -1]), torch.flag(False)],
            [heads, times],
        ),
        (
            "flatten.using_ints",
            [torch.number(dim), torch.number(dim + 1)],
            [heads * times],
        ),
    )
    for name, how, made in steps:
        kind = torch.tensor([*outer, *made, rows, columns], spec.dtype)
        value = torch.op(name, [value, *how], kind)
    return value


def _size(value: Any, size: int) -> Any:
    """How many rows a tensor has: `size`, or what the run says."""
    if size >= 0:
        return torch.number(size)
    return torch.op("size.int", [value, torch.number(-2)], ir.Type.parse("!torch.int"))


def _together(left: list[int], right: list[int]) -> list[int]:
    """The sizes of what is broadcast: one that is known and not 1 is that of both."""
    return [a if b == 1 or a > 1 else b for a, b in zip(left, right, strict=True)]
