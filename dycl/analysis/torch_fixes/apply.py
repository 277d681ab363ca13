"""What the table says, done where an op is traced.

An op is written as others (`repair`), or decomposed by torch; one that can be neither
is refused where it is traced.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

from dycl.analysis.torch_fixes import bits, elements, in_place
from dycl.analysis.torch_fixes.bags import NAMES as BAGS
from dycl.analysis.torch_fixes.bags import refuse_rest
from dycl.analysis.torch_fixes.dims import along_element, is_along_scalar
from dycl.analysis.torch_fixes.elements import COMPARISON_NAMES, demand_fits
from dycl.analysis.torch_fixes.table import AVOIDED, REWRITES
from dycl.analysis.torch_fixes.widening import MOVES, dtypes_of, in_wider, wider
from dycl.analysis.tracing.graph import Untraceable


def is_mislowered(node: Any) -> bool:
    """Whether the call of an aten op by an fx node must not reach torch-mlir."""
    name = node.target._schema.name.removeprefix("aten::")
    rule = AVOIDED.get(name)
    return rule is not None and rule(node)


def why_not(node: Any, name: str) -> str | None:
    """Why an op that is not decomposed has no right lowering; None: it has one.

    Bytes without a sign are widened as if they had one, or crash the compiler.
    """
    import torch

    if is_mislowered(node):
        return f"torch op {name[6:]} has no lowering for these operands"
    used = [n.meta.get("val") for n in node.all_input_nodes]
    dtypes = {v.dtype for v in [*used, node.meta.get("val")] if hasattr(v, "dtype")}
    if torch.uint8 in dtypes and name.split(".")[2] not in MOVES:
        return (
            f"torch op {name[6:]} on uint8 tensors has no lowering; "
            "convert them first, with `x.float()` or `x.int()`"
        )
    return None


def repair(node: Any, is_made_of_ops: bool = False) -> Callable[..., Any] | None:
    """How the op of an fx node is written as others that are lowered right.

    `is_made_of_ops`: torch takes it apart. Then bytes are widened in its parts, each
    of which wraps around, and not in the whole.
    The function takes what the op takes; NotImplemented: these operands need nothing.
    """
    overload = node.target
    name = overload._schema.name.removeprefix("aten::")
    refuse_rest(name, node)
    values = [n.meta.get("val") for n in node.all_input_nodes]
    functional = functional_form(overload)
    if functional is not None and (
        _in_place_is_wrong(name, values)
        or _is_avoided(name, node)
        or is_along_scalar(functional, values)
    ):
        return partial(in_place.copied, functional)
    plain = name.removesuffix("_")
    is_new = name not in REWRITES and plain not in _FILLS
    if functional is not None and is_new and plain in REWRITES:
        return partial(_rewritten_in_place, functional, REWRITES[plain])

    if name == "copy_" and len(dtypes_of(values)) == 2:
        return _converting_copy
    is_wide = wider(name, dtypes_of(values)) is not None or _makes_bytes(
        name, node.kwargs
    )
    needed = name in REWRITES or is_wide or is_along_scalar(overload, values)
    return _rewriter(overload, is_made_of_ops) if needed else None


def repairs_of_all_calls() -> Iterator[tuple[Any, Callable[..., Any]]]:
    """Overloads of which `repair` writes every call as others, and how."""
    import torch

    for name in sorted(REWRITES.keys() - AVOIDED.keys() - set(BAGS)):
        packet = getattr(torch.ops.aten, name, None)
        for overloaded in () if packet is None else packet.overloads():
            overload = getattr(packet, overloaded)
            if not overload._schema.is_mutable and functional_form(overload) is None:
                yield overload, _rewriter(overload)


def _rewriter(overload: Any, is_made_of_ops: bool = False) -> Callable[..., Any]:
    """The function that writes the calls of an op as others; see `repair`."""
    import torch

    plain = overload._schema.name.removeprefix("aten::")

    def rewritten(*args: Any, **kwargs: Any) -> Any:
        rounding = kwargs.get("rounding_mode")
        is_rounded = plain in ("div", "divide") and rounding is not None
        name = "floor_divide" if is_rounded else plain
        if is_along_scalar(overload, args):
            return along_element(overload, args, kwargs)
        if _makes_bytes(name, kwargs):
            wide_dtype = {**kwargs, "dtype": torch.int32}
            return overload(*args, **wide_dtype).to(torch.uint8)
        dtypes = dtypes_of(args)
        _refuse_bytes(name, dtypes)
        is_own = _is_masked(name, args) or _is_mean(name, args, kwargs)
        wide = None if is_own else wider(name, dtypes)
        if wide is not None and wide[1] == torch.int16 and is_made_of_ops:
            wide = None
        if wide is not None:
            _refuse_rounding(name, args)
        if wide is not None and name == "masked_fill" and hasattr(args[2], "dtype"):
            demand_fits(args[2], args[0].dtype)
        if wide is not None and not overload._schema.is_mutable:
            if name in bits.NAMES and bits.has_open_number(args):
                return bits.with_bytes(overload, wide[0], *args)
            if name in _ROUNDING:
                args = tuple(elements.as_element(arg, wide[0]) for arg in args)
            elif name in _BOUNDED and not _has_float(args, kwargs):
                args = tuple(elements.as_bound(arg, wide[0]) for arg in args)
                kwargs = {
                    key: elements.as_bound(v, wide[0]) for key, v in kwargs.items()
                }
            return in_wider(overload, args, kwargs, wide)
        rule = REWRITES.get(name)
        if rule is None:
            return NotImplemented
        return rule(overload, *args, **kwargs)

    return rewritten


def _refuse_rounding(name: str, args: Any) -> None:
    """Untraceable: eager rounds on the way, by rules of its own."""
    if name in _NORMS and args[5]:
        raise Untraceable(
            "batch norm of half floats has no lowering in training mode: eager rounds "
            "mean and deviation first"
        )


def _refuse_bytes(name: str, dtypes: set[Any]) -> None:
    """Untraceable: eager's own arithmetic between pixels that are bytes."""
    resized = name.removeprefix("_").startswith("upsample_") and "nearest" not in name
    if resized and "torch.uint8" in map(str, dtypes):
        raise Untraceable(
            "interpolation between bytes has no lowering; convert them first, with "
            "`x.float()`"
        )


def _converting_copy(x: Any, y: Any, *_: Any) -> Any:
    """`x.copy_(y)` of another dtype."""
    return NotImplemented if x.dtype == y.dtype else x.copy_(y.to(x.dtype))


def functional_form(overload: Any) -> Any | None:
    """The out-of-place form of `add_.Tensor`; None for `out=` forms and others."""
    import torch

    namespace, _, name = cast(str, overload._schema.name).partition("::")
    if not name.endswith("_") or name.endswith("__"):
        return None
    packet = getattr(getattr(torch.ops, namespace), name[:-1], None)
    kinds = _kinds(overload)
    same = cast(str, overload._overloadname)
    for other in (same, f"Tensor_{same}", "Tensor", "default"):
        result = getattr(packet, other, None)
        if result is not None and _kinds(result) == kinds:
            return result
    return None


def _kinds(overload: Any) -> list[str]:
    """The types of an op's arguments: `pow.Scalar` is not the form of `pow_.Scalar`."""
    return [str(argument.real_type) for argument in overload._schema.arguments]


def _in_place_is_wrong(name: str, used: list[Any]) -> bool:
    """Whether an op, done in place, has to be written as others."""
    plain = name.removesuffix("_")
    integer = any(not d.is_floating_point for d in dtypes_of(used))
    if plain in _OF_TRUTH:
        return True  # the result is a bool, and what it is stored in is not
    if wider(plain, dtypes_of(used)) is not None:
        return plain not in _FILLS
    if plain in _INDEXED or plain in _OF_FLOATS:
        return True
    return integer and plain in _OF_INTEGERS


def _is_avoided(name: str, node: Any) -> bool:
    """Whether the plain form of an op in place has no right lowering."""
    plain = name.removesuffix("_")
    rule = AVOIDED.get(plain)
    if name in REWRITES or plain in _FILLS or rule is None:
        return False
    return bool(rule(node))


def _rewritten_in_place(
    functional: Any, rule: Callable[..., Any], x: Any, *args: Any, **kwargs: Any
) -> Any:
    """What the plain form is written as, copied into `x`."""
    result = rule(functional, x, *args, **kwargs)
    return result if result is NotImplemented else in_place.stored(x, result)


_INDEXED = (
    *("scatter", "scatter_add", "scatter_reduce", "index_put", "_index_put_impl"),
    *("index_add", "index_copy", "index_fill"),
)
_OF_FLOATS = (
    *("trunc", "fix", "frac", "remainder", "fmod", "floor_divide", "sign"),
    *("elu", "selu", "threshold"),
)
_OF_TRUTH = (
    *COMPARISON_NAMES,
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
)
_OF_INTEGERS = (
    *("neg", "pow", "floor_divide", "div", "remainder", "fmod", "cumsum", "cumprod"),
    *(name for name in bits.NAMES if not name.startswith("_")),
)


def _has_float(args: Any, kwargs: Any) -> bool:
    return float in map(type, (*args, *kwargs.values()))


def _makes_bytes(name: str, named: Any) -> bool:
    """Whether an op makes a tensor of bytes of numbers."""
    return name in _MADE and str(named.get("dtype")) == "torch.uint8"


def _is_masked(name: str, args: Any) -> bool:
    """Whether a tensor of bytes says which elements are meant: it is no number."""
    if not name.removeprefix("_").startswith(("index", "unsafe_index")):
        return False
    indices = args[1] if len(args) > 1 and isinstance(args[1], (list, tuple)) else ()
    return "torch.uint8" in map(str, dtypes_of(indices))


def _is_mean(name: str, args: Any, named: Any) -> bool:
    """Whether sums are divided: those of bytes wrap around before."""
    reduced = name in ("scatter_reduce", "index_reduce")
    return reduced and "mean" in (*args[4:], named.get("reduce"))


_NORMS = ("batch_norm", "native_batch_norm")
_MADE = (
    *("zeros", "ones", "full", "arange", "zeros_like", "ones_like", "full_like"),
    *("new_zeros", "new_ones", "new_full"),
)
_FILLS = ("copy", "zero")
_ROUNDING = ("remainder", "fmod", "floor_divide", *bits.NAMES)
"""Ops that eager computes with a number as an element, not as a wider number."""
_BOUNDED = ("clamp", "clip", "clamp_min", "clamp_max", "threshold")
"""Ops that compare elements with a number that becomes one, unless one is a float."""
