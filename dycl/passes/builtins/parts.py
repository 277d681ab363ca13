"""Parts of a tensor whose lengths the data decides: `split` and `narrow` as slices.

How many parts `x.split(sizes, dim)` has is known, as where `tolist` gave the sizes: a
mixture of experts sorts its tokens by expert, and splits them so. A slice would be cut
where it goes too far; what torch raises there is raised in front of it. Of as many
parts as the data decides, see `even_parts`.
"""

from xdsl.ir import SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    InvokeOp,
    SelectOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.torch import BoolT, IntT, VTensorType
from dycl.passes.builtins.items import Site, displayed

SPLIT_CALLS = frozenset(
    ("torch.split", "torch.functional.split", "torch.split_with_sizes")
)
SPLIT_METHODS = frozenset(("split", "split_with_sizes"))
_SIZES = ("split_size", "split_size_or_sections", "split_sizes")
_ERROR, _INDEX = "builtins.RuntimeError", "builtins.IndexError"


def split(site: Site, op: CallOp | InvokeOp) -> bool:
    """A tuple of the parts, if the data decides a size; other sizes: False."""
    found = given(op, ("tensor", *_SIZES, "dim"))
    if not 2 <= len(found) <= 3:
        return False
    tensor, sizes, *dims = found
    dim = constant_value(dims[0]) if dims else 0
    if not has_dimension(tensor, dim) or not isinstance(dim, int):
        return False
    items = displayed(sizes, op)
    if items is None or not all(map(is_int, items)) or not any(map(_is_open, items)):
        return False
    _raise_unless_split(site, tensor, dim, items)
    start = site.constant(0)
    parts: list[SSAValue] = []
    for size in items:
        stop = _sum(site, start, size)
        parts.append(_slice(site, tensor, dim, start, stop))
        start = stop
    return site.done(site.add(TupleOp(parts)))


def narrow(site: Site, op: InvokeOp) -> bool:
    """`x.narrow(dim, start, length)` of a length that the data decides."""
    found = given(op, ("dim", "start", "length"))
    if len(found) != 4:
        return False
    tensor, dims, start, length = found
    dim = constant_value(dims)
    if not has_dimension(tensor, dim) or not isinstance(dim, int):
        return False
    if not is_int(start) or not is_int(length) or not _is_open(length):
        return False
    zero = site.constant(0)
    size = site.add(InvokeOp(tensor, "size", [site.constant(dim)]))
    shifted = _sum(site, start, size)
    words = "narrow(): length must be non-negative."
    site.raise_if(_compare(site, "lt", length, zero), _ERROR, site.constant(words))
    words = "start out of range (expected to be in range of [-{}, {}], but got {})"
    for kind, one, other in (("gt", start, size), ("lt", shifted, zero)):
        text = _text(site, words, [size, size, start])
        site.raise_if(_compare(site, kind, one, other), _INDEX, text)
    is_negative = _compare(site, "lt", start, zero)
    start = site.add(SelectOp(is_negative, shifted, start))
    stop = _sum(site, start, length)
    words = "start ({}) + length ({}) exceeds dimension size ({})."
    text = _text(site, words, [start, length, size])
    site.raise_if(_compare(site, "gt", stop, size), _ERROR, text)
    return site.done(_slice(site, tensor, dim, start, stop))


def given(op: CallOp | InvokeOp, names: tuple[str, ...]) -> list[SSAValue]:
    """The tensor and the arguments, in order; none where a name is unknown."""
    keywords = op.keyword_arguments
    if not keywords.keys() <= set(names):
        return []
    count = len(op.operands) - len(keywords)
    positional = list(op.operands[1 if isinstance(op, CallOp) else 0 : count])
    return positional + [keywords[name] for name in names if name in keywords]


def has_dimension(tensor: SSAValue, dim: object) -> bool:
    """Whether a value is a tensor that has this dimension, counted as Python does."""
    if not isinstance(tensor.type, VTensorType) or type(dim) is not int:
        return False
    rank = len(tensor.type.sizes() or ())
    return -rank <= dim < rank


def _is_open(value: SSAValue) -> bool:
    return constant_value(value) is MISSING


def is_int(value: SSAValue) -> bool:
    """Whether a value is an int, known or not."""
    return value.type == IntT or type(constant_value(value)) is int


def _raise_unless_split(
    site: Site, tensor: SSAValue, dim: int, items: list[SSAValue]
) -> None:
    """Raise what torch raises for sizes below zero, or of another sum."""
    total, zero = site.constant(0), site.constant(0)
    listed = "split_sizes=[" + ", ".join("{}" for _ in items) + "]"
    entries = "split_with_sizes expects split_sizes have only non-negative entries"
    for item in items:
        text = _text(site, f"{entries}, but got {listed}", items)
        site.raise_if(_compare(site, "lt", item, zero), _ERROR, text)
        total = _sum(site, total, item)
    size = site.add(InvokeOp(tensor, "size", [site.constant(dim)]))
    words = (
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's "
        f"size at dimension {dim}), but got {listed}"
    )
    text = _text(site, words, [size, *items])
    site.raise_if(_compare(site, "ne", total, size), _ERROR, text)


def _slice(
    site: Site, tensor: SSAValue, dim: int, start: SSAValue, stop: SSAValue
) -> SSAValue:
    """`tensor[.., start:stop]`, at one dimension."""
    assert isinstance(tensor.type, VTensorType)
    before = dim % len(tensor.type.sizes() or ())
    nothing = site.constant(None)
    whole = site.add(SliceOp([nothing, nothing, nothing]))
    part = site.add(SliceOp([start, stop, nothing]))
    index = site.add(TupleOp([*[whole] * before, part]))
    return site.add(SubscriptOp(tensor, index))


def _sum(site: Site, one: SSAValue, other: SSAValue) -> SSAValue:
    return site.add(BinaryOp("add", one, other, IntT))


def _compare(site: Site, kind: str, one: SSAValue, other: SSAValue) -> SSAValue:
    return site.add(CompareOp(kind, one, other, BoolT))


def _text(site: Site, words: str, values: list[SSAValue]) -> SSAValue:
    return site.add(InvokeOp(site.constant(words), "format", values))
