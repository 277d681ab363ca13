"""`cpu-fuse-attention`: softmax(q k^T) v becomes one op, whose scores nobody stores.

Taken are `scaled_dot_product_attention` and products around a softmax, with a mask that
is added or that fills, causal or not, of f32, where `dycl/schedules/attention.py` says
that it is worth it.

Before:
    %s = torch.aten.mul.Scalar (torch.aten.matmul %q, (transpose %k)), %scale
    %p = torch.aten.softmax.int (torch.aten.masked_fill.Scalar %s, %m, -inf), -1
    %o = torch.aten.matmul %p, %v

After:
    %o = linalg.generic {dycl.nest = "attention", dycl.attention = {scale = ...}}
        ins(%q, %k, %v, %mask : n h l d, n h s d, n h s e, n h s l) outs(n h l e)

Needs:  the torch dialect; `cpu-generate-attention`, which alone knows what the op is.
Leaves: the mask as numbers, transposed, so that queries lie side by side.
Skips:  what anyone sees of the scores; other dtypes; few queries; dynamic sizes but
        those of a batch, or of the numbers of queries and keys where there is no mask.
"""

import math
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.attention.definition import (
    Attention,
    attention_of,
    broadcasts_to,
    shapes,
)
from dycl.kernels.cpu.attention.write_attention import (
    mask_as_numbers,
    transposed,
    with_heads_repeated,
)
from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.build import index as build_index
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.schedules import attention as schedules

RULE = "dycl.attention"
ATTENTION = "attention"


def fuse_attention(module: Any) -> None:
    """Make one op of every attention that is worth it."""
    found_at = [(op, attention_of(op)) for op in ops(module.operation)]
    chosen = [(op, found) for op, found in found_at if found is not None]
    if chosen:
        # A conversion loads the dialects that the text has not named yet.
        run_passes(ir.Module.parse(""), "func.func(convert-torch-to-linalg)")
    for op, found in chosen:
        with ir.InsertionPoint(op), op.location:
            result = _fused(found, op.results[0].type)
        if result is not None:
            op.results[0].replace_all_uses_with(result)
            op.erase()


def _fused(found: Attention, kind: Any) -> Any:
    if not _can_be(found):
        return None
    found = with_heads_repeated(found)
    key = transposed(found.key) if found.key_is_transposed else found.key
    query, keys, values = shapes(found)
    outer = [1, 1, *query[:-2]]
    n, h = math.prod(outer[:-1]), outer[-1]
    if h < 0:
        n, h = h, n  # A loop over samples is the outermost one.
    tensors = [
        _builtin(value, [n, h, *shape[-2:]])
        for value, shape in zip(
            (found.query, key, found.value), (query, keys, values), strict=True
        )
    ]
    maps = ["n, h, l, d", "n, h, s, d", "n, h, s, e"]
    if found.mask is not None:
        mask = _mask(found)
        tensors.append(mask)
        loops = zip("nhsl", mask.type.shape, strict=True)
        maps.append(", ".join(x if size > 1 else "0" for x, size in loops))
    into = _empty([n, h, query[-2], values[-1]], tensors[0])
    made = build.generic(
        tensors,
        into,
        [f"(n, h, l, s, d, e) -> ({m})" for m in [*maps, "n, h, l, e"]],
        "pppr" + "rp",
        _use_all,
        **{NEST: ir.StringAttr.get(ATTENTION), RULE: _rule(found)},
    )
    spec = torch.spec_of(found.query)
    assert spec is not None
    flat = _torch(made)
    shape = [*query[:-1], values[-1]]
    return flat if shape == [n, h, *shape[-2:]] else _viewed(flat, shape, kind)


def _can_be(found: Attention) -> bool:
    query, key, value = shapes(found)
    spec = torch.spec_of(found.query)
    if spec is None or spec.dtype != "float32" or not found.scale:
        return False
    if not _takes_dynamic_sizes(found):
        return False
    if not math.isfinite(found.scale) or key[:-2] != value[:-2]:
        return False
    if query[-1] != key[-1] or key[-2] != value[-2]:
        return False
    heads = [query[:-2], key[:-2]]
    grouped = len(query) > 2 and heads[0][:-1] == heads[1][:-1]
    may_repeat = found.empty_is_zero and grouped and heads[0][-1] % heads[1][-1] == 0
    if heads[0] != heads[1] and not may_repeat:
        return False
    if found.mask is not None:
        mask = torch.spec_of(found.mask)
        scores = [*query[:-1], key[-2]]
        if mask is None or not broadcasts_to(mask.shape, scores):
            return False
        if len(query) > 4 and any(size > 1 for size in mask.shape[:-2]):
            return False
    if -1 in (query[-2], key[-2]):
        return schedules.is_worth_it_at_any_length(query[-1], value[-1])
    sizes = schedules.Sizes(query[-2], key[-2], query[-1], value[-1])
    return schedules.is_worth_it(sizes)


def _takes_dynamic_sizes(found: Attention) -> bool:
    """Whether no size is dynamic but those of a batch, or of lengths."""
    query, key, value = shapes(found)
    mask = None if found.mask is None else torch.spec_of(found.mask)
    if mask is not None and mask.open_dims:
        return False
    if not any(size < 0 for shape in (query, key, value) for size in shape):
        return True
    rank = len(query)
    lengths = [tuple(d - rank for d, n in enumerate(s) if n < 0) for s in (query, key)]
    if lengths == [(-rank,), (-rank,)]:
        return rank in (3, 4) and value[0] < 0 and value[1:].count(-1) == 0
    # A mask of known sizes would be broadcast, which nobody has asked about.
    return (
        found.mask is None
        and set(lengths) <= {(), (-2,)}
        and [n < 0 for n in value] == [n < 0 for n in key]
    )


def _empty(shape: list[int], query: Any) -> Any:
    """A new tensor; the sizes that a run decides are those of the query."""
    index = ir.IndexType.get()
    dims = [
        build.op("tensor.dim", [query, build_index(dim)], index)
        for dim, size in enumerate(shape)
        if size < 0
    ]
    return build.op("tensor.empty", dims, _tensor(shape))


def _tensor(shape: list[int]) -> Any:
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes = [dynamic if size < 0 else size for size in shape]
    return ir.RankedTensorType.get(sizes, ir.F32Type.get())


def _mask(found: Attention) -> Any:
    """The mask as numbers, `n h s l`."""
    spec = torch.spec_of(found.mask)
    assert spec is not None
    if found.fill is None:
        numbers = mask_as_numbers(found.mask, "float32")
    else:
        pair = [torch.number(found.fill), torch.number(0.0)]
        kind = torch.tensor(spec.shape, "float32")
        numbers = torch.op("where.Scalar", [found.mask, *pair], kind)
    sizes = [1, 1, *spec.shape][-2:]
    if len(spec.shape) > 1:
        numbers = transposed(numbers)
    outer = [1, 1, 1, 1, *spec.shape[:-2]][-2:]
    return _builtin(numbers, [*outer, *reversed(sizes)])


def _rule(found: Attention) -> Any:
    flags = {
        "fills": found.fill is not None,
        "is_causal": found.is_causal,
        "empty_is_zero": found.empty_is_zero,
    }
    attributes = {name: ir.BoolAttr.get(flag) for name, flag in flags.items()}
    scale = ir.FloatAttr.get(ir.F64Type.get(), found.scale)
    return ir.DictAttr.get({**attributes, "scale": scale})


def _use_all(*scalars: Any) -> Any:
    """Operands that a payload does not use would go."""
    total = scalars[0]
    for scalar in scalars[1:]:
        total = build.op("arith.addf", [total, scalar], scalar.type)
    return total


def _builtin(value: Any, shape: list[int]) -> Any:
    spec = torch.spec_of(value)
    assert spec is not None
    if list(spec.shape) != shape:
        value = _viewed(value, shape, torch.tensor(shape, spec.dtype))
    return build.op("torch_c.to_builtin_tensor", [value], _tensor(shape))


def _torch(value: Any) -> Any:
    kind = torch.tensor([max(size, -1) for size in value.type.shape], "float32")
    return build.op("torch_c.from_builtin_tensor", [value], kind)


def _viewed(value: Any, shape: list[int], kind: Any) -> Any:
    return torch.op("view", [value, torch.sizes(shape)], kind)
