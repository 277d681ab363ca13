"""What attention a kernel asks for: in one op, or in products around a softmax."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.tensor_ops import owner

ONE_OP = "torch.aten.scaled_dot_product_attention"
_PRODUCTS = ("torch.aten.matmul", "torch.aten.bmm")
_SOFTMAXES = ("torch.aten.softmax.int", "torch.aten._softmax")
_SAME = ("torch.aten.clone", "torch.aten.contiguous", "torch.aten.detach")
_FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class Attention:
    """softmax(q k^T * scale, with a mask) v: tensors of the same rank and dtype."""

    query: Any
    """... l d"""
    key: Any
    """... s d, or ... d s"""
    value: Any
    """... s e"""
    mask: Any
    """Broadcast to ... l s, of bits or of numbers; None: there is none."""
    scale: float
    fill: float | None = None
    """What takes the place of scores where the mask is true; None: a mask of bits
    says which keys may be looked at, one of numbers is added."""
    is_causal: bool = False
    key_is_transposed: bool = False
    empty_is_zero: bool = False
    """What a query gets that may look at no key: 0, or NaN."""


def attention_of(op: Any) -> Attention | None:
    """The attention whose result the op `op` gives; None: it is another op.

    The dtype is f32 or f64. A run may decide any size but the last.
    """
    if op.name == ONE_OP:
        result = _of_one_op(op)
    elif op.name in _PRODUCTS:
        result = _of_products(op)
    else:
        return None
    return result if result is not None and _is_known(result) else None


def shapes(found: Attention) -> list[list[int]]:
    """The shapes of query, key (`... s d`), and value."""
    result: list[list[int]] = []
    for value in (found.query, found.key, found.value):
        spec = torch.spec_of(value)
        assert spec is not None
        result.append(list(spec.shape))
    if found.key_is_transposed:
        result[1][-2:] = reversed(result[1][-2:])
    return result


def _is_known(found: Attention) -> bool:
    specs = [torch.spec_of(v) for v in (found.query, found.key, found.value)]
    if found.mask is not None:
        specs.append(torch.spec_of(found.mask))
    if None in specs:
        return False
    ranks = {len(spec.shape) for spec in specs[:3] if spec}
    dtypes = {spec.dtype for spec in specs[:3] if spec}
    if len(ranks) != 1 or len(dtypes) != 1 or min(ranks) < 2:
        return False
    (dtype,) = dtypes
    if dtype not in _FLOATS or any(0 in spec.shape for spec in specs if spec):
        return False
    mask = specs[3].dtype if len(specs) > 3 and specs[3] else "bool"
    return mask == "bool" or (mask == dtype and found.fill is None)


def _of_one_op(op: Any) -> Attention | None:
    query, key, value, mask, dropout, causal, scale, grouped = op.operands
    is_causal, is_grouped = torch.constant(causal), torch.constant(grouped)
    if torch.constant(dropout) != 0 or is_causal is None or is_grouped is None:
        return None
    spec = torch.spec_of(query)
    if spec is None or (is_causal and not torch.is_none(mask)):
        return None
    factor = torch.constant(scale)
    if torch.is_none(scale):
        factor = 1 / math.sqrt(spec.shape[-1]) if spec.shape[-1] > 0 else None
    if not isinstance(factor, float):
        return None
    given = None if torch.is_none(mask) else mask
    return Attention(
        query, key, value, given, factor, None, bool(is_causal), False, True
    )


def _of_products(op: Any) -> Attention | None:
    """(softmax(q k^T * scale, with a mask)) v, of which nobody else sees a part."""
    weights = _only(op.operands[0])
    if weights is None or weights.name not in _SOFTMAXES:
        return None
    spec = torch.spec_of(op.operands[0])
    dim = torch.constant(weights.operands[1])
    if spec is None or dim not in (-1, len(spec.shape) - 1):
        return None
    if spec != torch.spec_of(weights.operands[0]):
        return None
    scores = weights.operands[0]
    mask, fill, scores = _peeled_mask(scores)
    scale, scores = _peeled_scale(scores)
    product = _only(scores)
    if product is None or product.name not in _PRODUCTS:
        return None
    # Products that broadcast, and masks that do, have other scores than q k^T.
    if torch.spec_of(scores) != spec:
        return None
    query, key = product.operands
    transposed, key = _untransposed(key)
    return Attention(
        query, key, op.operands[1], mask, scale, fill, False, not transposed, False
    )


def _only(value: Any) -> Any:
    """The op that makes a value for one user, behind what changes nothing."""
    defining_op = owner(value)
    if defining_op is None or len(list(value.uses)) != 1:
        return None
    if defining_op.name in _SAME:
        return _only(defining_op.operands[0])
    if (
        defining_op.name == "torch.aten.dropout"
        and torch.constant(defining_op.operands[2]) is False
    ):
        return _only(defining_op.operands[0])
    return defining_op


def _peeled_mask(scores: Any) -> tuple[Any, float | None, Any]:
    """The mask of scores, what it puts there, and the scores without it."""
    op = _only(scores)
    if op is None:
        return None, None, scores
    if op.name == "torch.aten.masked_fill.Scalar":
        number = torch.constant(op.operands[2])
        if isinstance(number, int | float) and number != 0:
            return op.operands[1], float(number), op.operands[0]
    if op.name == "torch.aten.add.Tensor" and torch.constant(op.operands[2]) == 1:
        for one, other in ((0, 1), (1, 0)):
            part = _only(op.operands[one])
            if part is not None and _is_score(part, op.operands[one], scores):
                return op.operands[other], None, op.operands[one]
    return None, None, scores


def _is_score(op: Any, value: Any, like: Any) -> bool:
    """Whether an op makes scores, as far as it can be seen from there."""
    known = (*_PRODUCTS, "torch.aten.mul.Scalar", "torch.aten.div.Scalar")
    return op.name in known and torch.spec_of(value) == torch.spec_of(like)


def _peeled_scale(scores: Any) -> tuple[float, Any]:
    """By what scores are multiplied, and the scores without it."""
    op = _only(scores)
    if op is None or op.name not in ("torch.aten.mul.Scalar", "torch.aten.div.Scalar"):
        return 1.0, scores
    number = torch.constant(op.operands[1])
    if not isinstance(number, int | float) or not number:
        return 1.0, scores
    by = number if "mul" in op.name else 1 / number
    scale, inner = _peeled_scale(op.operands[0])
    return scale * by, inner


def _untransposed(key: Any) -> tuple[bool, Any]:
    """Whether a key is another one with its last dimensions exchanged, and that one."""
    op, spec = owner(key), torch.spec_of(key)
    if op is None or op.name != "torch.aten.transpose.int" or spec is None:
        return False, key
    rank = len(spec.shape)
    dims = [torch.constant(value) for value in list(op.operands)[1:]]
    last = {d % rank for d in dims if isinstance(d, int)}
    is_turned = last == {rank - 2, rank - 1}
    return is_turned, op.operands[0] if is_turned else key


def broadcasts_to(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a tensor of `shape` can be seen as one of shape `wanted`."""
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and all(a in (1, b) for a, b in pairs)
