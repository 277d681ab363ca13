"""Ops that torch-mlir has, but lowers to something else than eager computes.

Found by comparing whole networks, and every op in every dtype, with eager. Such an op
is written as others here (`repair`), or decomposed by torch; one that can be neither
is refused where it is traced.
"""

from collections.abc import Callable
from typing import Any, cast

from dycl.analysis.tracing import (
    activations,
    batches,
    bits,
    counting,
    division,
    elements,
    grids,
    indices,
)
from dycl.analysis.tracing.graph import Untraceable


def is_mislowered(node: Any) -> bool:
    """Whether the call of an aten op by an fx node must not reach torch-mlir."""
    name = node.target._schema.name.removeprefix("aten::")
    rule = _RULES.get(name)
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
    if torch.uint8 in dtypes and name.split(".")[2] not in _MOVES:
        return (
            f"torch op {name[6:]} on uint8 tensors has no lowering; "
            "convert them first, with `x.float()` or `x.int()`"
        )
    return None


def repair(node: Any) -> Callable[..., Any] | None:
    """How the op of an fx node is written as others that are lowered right.

    The function takes what the op takes; NotImplemented: these operands need nothing.
    """
    overload = node.target
    name = overload._schema.name.removeprefix("aten::")
    values = [n.meta.get("val") for n in node.all_input_nodes]
    functional = functional_form(overload)
    if functional is not None and _in_place_is_wrong(name, values):
        return lambda x, *args, **kwargs: x.copy_(functional(x, *args, **kwargs))

    def rewritten(*args: Any, **kwargs: Any) -> Any:
        given = _dtypes(args)
        wide = _wider(name, given)
        if wide is not None and not overload._schema.is_mutable:
            if name in _ROUNDING:
                args = tuple(_as_element(arg, wide[0]) for arg in args)
            return _in_wider(overload, args, kwargs, wide)
        rule = _REPAIRS.get(name)
        if rule is None:
            return NotImplemented
        return rule(overload, *args, **kwargs)

    needed = name in _REPAIRS or _wider(name, _dtypes(values)) is not None
    return rewritten if needed else None


def functional_form(overload: Any) -> Any | None:
    """The out-of-place form of `add_.Tensor`; None for `out=` forms and others."""
    import torch

    namespace, _, name = cast(str, overload._schema.name).partition("::")
    if not name.endswith("_") or name.endswith("__"):
        return None
    packet = getattr(getattr(torch.ops, namespace), name[:-1], None)
    found = getattr(packet, overload._overloadname, None)
    return found or getattr(packet, "default", None)


def _in_place_is_wrong(name: str, used: list[Any]) -> bool:
    """Whether an op, done in place, has to be written as others."""
    plain = name.removesuffix("_")
    integer = any(not d.is_floating_point for d in _dtypes(used))
    if _wider(plain, _dtypes(used)) is not None:
        return plain not in _FILLS
    if plain in _INDEXED or plain in _OF_FLOATS:
        return True
    return integer and plain in _OF_INTEGERS


_INDEXED = (
    *("scatter", "scatter_add", "scatter_reduce", "index_put", "_index_put_impl"),
    *("index_add", "index_copy", "index_fill"),
)
_OF_FLOATS = (
    *("trunc", "fix", "frac", "remainder", "fmod", "floor_divide", "sign"),
    *("elu", "selu", "threshold"),
)
_OF_INTEGERS = (
    *("neg", "pow", "floor_divide", "div", "remainder", "fmod"),
    *(name for name in bits.NAMES if not name.startswith("_")),
)


def _dtypes(values: Any) -> set[Any]:
    """The dtypes of the tensors among some operands."""
    found: set[Any] = set()
    for value in values:
        if isinstance(value, (tuple, list)):
            found |= _dtypes(value)
        elif hasattr(value, "untyped_storage"):
            found.add(value.dtype)
    return found


def _wider(name: str, given: set[Any]) -> tuple[Any, Any] | None:
    """(dtype, the one to compute in instead), if an op needs that.

    A number made an int8 crashes the compiler. Sums of half floats would be rounded
    after each addition, and a factor before the product; eager rounds once.
    """
    import torch

    stays = (name in _MOVES and len(given) == 1) or name in _UNWIDENED
    if torch.int8 in given and not stays:
        return torch.int8, torch.int16
    for half in (torch.float16, torch.bfloat16):
        if (name in _SUMS and half in given) or (name == "mul" and given == {half}):
            return half, torch.float32
    return None


def _as_element(value: Any, dtype: Any) -> Any:
    """What a number is as an element: it wraps around, or is rounded."""
    import torch

    if type(value) not in (int, float) or division.is_open():
        return value
    if not dtype.is_floating_point:
        return torch.tensor(value).to(dtype).item() if type(value) is int else value
    return torch.tensor(value, dtype=torch.float64).to(dtype).item()


def _in_wider(overload: Any, args: Any, kwargs: Any, wide: tuple[Any, Any]) -> Any:
    import torch
    from torch.utils._pytree import tree_map

    narrow, wider = wide
    chosen = any(isinstance(v, torch.dtype) for v in (*args, *kwargs.values()))
    back = not chosen and wider not in _dtypes(args)
    tensors = [v for v in args if isinstance(v, torch.Tensor)]
    # A tensor of rank 0 has the dtype of one that is no number, as a number has.
    is_ruled = (
        narrow == torch.int8
        and len(tensors) == 2
        and len(_dtypes(tensors)) == 2
        and torch.result_type(*tensors) == narrow
        and all(v.dtype != torch.bool for v in tensors)
    )

    def widen(value: Any) -> Any:
        fits = isinstance(value, torch.Tensor) and value.dtype == narrow
        if is_ruled and not fits and isinstance(value, torch.Tensor):
            return value.to(narrow).to(wider)
        return value.to(wider) if fits else value

    def narrowed(value: Any) -> Any:
        fits = isinstance(value, torch.Tensor) and value.dtype == wider
        return value.to(narrow) if fits and back else value

    mapped = cast(Any, tree_map)
    return mapped(narrowed, overload(*mapped(widen, args), **mapped(widen, kwargs)))


def _logsumexp(op: Any, x: Any, dims: Any, keepdim: bool = False) -> Any:
    """Has no lowering; as torch writes it, so that an infinity stays one."""
    import torch

    if not x.is_floating_point():
        x = x.float()
    top = x.amax(dims, keepdim=True)
    top = torch.where(top.abs() == float("inf"), torch.zeros_like(top), top)
    result = (x - top).exp().sum(dims, keepdim=True).log() + top
    if keepdim:
        return result
    for dim in sorted((d % x.dim() for d in dims), reverse=True):
        result = result.squeeze(dim)
    return result


def _neg(op: Any, x: Any) -> Any:
    """torch-mlir negates integers as floats."""
    return NotImplemented if x.is_floating_point() else x * -1


def _power(op: Any, x: Any, exponent: Any) -> Any:
    """torch-mlir has no powers of integers, and `-inf ** 0.5` is not eager's."""
    if op._overloadname != "Tensor_Scalar":
        return NotImplemented
    if x.is_floating_point():
        if type(exponent) is int and division.is_open():
            raise Untraceable(
                "an int that depends on the input has no lowering as the exponent of "
                "a float: write `x ** float(n)`"
            )
        return x.sqrt() if exponent == 0.5 else NotImplemented
    if isinstance(exponent, float):
        return x.float() ** exponent
    if x.is_complex() or not 1 <= exponent <= 64 or str(x.dtype) == "torch.bool":
        return NotImplemented
    result = x
    for _ in range(exponent - 1):
        result = result * x
    return result


def _any_or_all(op: Any, x: Any, *rest: Any, **named: Any) -> Any:
    """Of bytes it gives a byte."""
    import torch

    if x.dtype != torch.uint8:
        return NotImplemented
    return op(x.to(torch.bool), *rest, **named).to(torch.uint8)


def _sign(op: Any, x: Any) -> Any:
    """torch-mlir compares with an int, and dies of a literal that it folds."""
    if not x.is_floating_point():
        return NotImplemented
    return (x > 0.0).to(x.dtype) - (x < 0.0).to(x.dtype)


def _sort(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Every sort of ours is stable; torch-mlir knows the one that does not say so."""
    import torch

    if op._overloadname != "stable":
        return NotImplemented
    order = {key: value for key, value in named.items() if key != "stable"}
    return torch.ops.aten.sort.default(x, *given, **order)


def _cumulative(op: Any, x: Any, dim: Any, dtype: Any = None) -> Any:
    """torch-mlir sums before it converts."""
    if dtype is None or x.dtype == dtype:
        return NotImplemented
    return op(x.to(dtype), dim)


def _select_scatter(op: Any, x: Any, part: Any, dim: Any, index: Any) -> Any:
    """torch-mlir stores nothing at an index from the end, if the part has rank 0."""
    size = x.shape[dim]
    if type(index) is not int or type(size) is not int or index >= 0:
        return NotImplemented
    return op(x, part, dim, index + size)


def _to(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """torch-mlir has a lowering for the form that says a dtype alone."""
    import torch

    match op._overloadname:
        case "device":
            device, dtype = given[0], given[1]
        case "other":
            device, dtype = given[0].device, given[0].dtype
        case "dtype_layout":
            device, dtype = named.get("device"), named.get("dtype")
        case _:
            return NotImplemented
    if device is not None and torch.device(device).type != x.device.type:
        return NotImplemented
    return torch.ops.aten.to.dtype(x, x.dtype if dtype is None else dtype)


_UNWIDENED = (*elements.COMPARISON_NAMES, "result_type")
"""What tells dtypes apart: an int8 stays one."""
_REPAIRS: dict[str, Callable[..., Any]] = {
    **activations.REPAIRS,
    **elements.REPAIRS,
    **dict.fromkeys(bits.NAMES, bits.bitwise),
    "neg": _neg,
    "to": _to,
    "pow": _power,
    "fmod": division.fmod,
    "remainder": division.remainder,
    **dict.fromkeys(("trunc", "fix"), division.truncate),
    "frac": division.fraction,
    "floor_divide": division.floor_divide,
    "div": lambda op, x, y, rounding_mode=None: division.floor_divide(
        op, x, y, rounding_mode
    ),
    **dict.fromkeys(batches.NAMES, batches.of_one),
    "embedding": indices.embedding,
    **dict.fromkeys(("gather", "index_select"), indices.along),
    **dict.fromkeys(("scatter", "scatter_add", "scatter_reduce"), indices.along),
    **dict.fromkeys(("index_add", "index_copy", "index_fill"), indices.along),
    "grid_sampler_2d": grids.sampler,
    "meshgrid": grids.mesh,
    "select_scatter": _select_scatter,
    "one_hot": indices.one_hot,
    **dict.fromkeys(
        ("index", "index_put", "_unsafe_index_put", "_index_put_impl"), indices.at
    ),
    "nonzero": counting.nonzero,
    "nonzero_numpy": counting.nonzero_numpy,
    "masked_select": counting.masked_select,
    "_unique2": counting.unique,
    "sign": _sign,
    **dict.fromkeys(("any", "all"), _any_or_all),
    "logsumexp": _logsumexp,
    "sort": _sort,
    "cumsum": _cumulative,
    "cumprod": _cumulative,
}
"""Name of an op -> what it is written as, from the overload and its operands."""

_FILLS = ("copy", "zero")
_ROUNDING = ("remainder", "fmod", "floor_divide")
"""Ops that eager computes with a number as an element, not as a wider number."""
_SUMS = frozenset(
    [
        *("sum", "mean", "prod", "cumsum", "cumprod", "var", "std", "norm"),
        *("matmul", "mm", "bmm", "linear", "addmm", "baddbmm", "dot", "mv", "einsum"),
        *("conv1d", "conv2d", "conv3d", "convolution", "conv_transpose2d"),
        *("softmax", "log_softmax", "layer_norm", "group_norm", "batch_norm"),
        *("avg_pool1d", "avg_pool2d", "adaptive_avg_pool2d", "linalg_vector_norm"),
        *("scaled_dot_product_attention", "logsumexp", "erf", "gelu"),
        *("div", "floor_divide", "fmod", "remainder", "log_sigmoid", "softplus"),
        *("threshold", "softshrink", "hardsigmoid", "hardswish", "mish", "silu"),
        *("elu", "celu", "selu", "leaky_relu", "glu", "lerp", "round"),
        *("addcmul", "addcdiv", "deg2rad", "rad2deg", "smooth_l1_loss", "huber_loss"),
    ]
)
"""Ops that eager computes in f32 for half floats, and rounds once."""


def _always(node: Any) -> bool:
    return True


def _uneven_pool(node: Any) -> bool:
    """Windows of unequal size: torch-mlir takes all to be like the first."""
    given = node.args[0].meta["val"].shape
    result = node.meta["val"]
    wanted = (result[0] if isinstance(result, tuple) else result).shape
    return any(
        size % out for size, out in zip(reversed(given), reversed(wanted), strict=False)
    )


def _of_nothing(node: Any) -> bool:
    """The largest of no elements: eager raises."""
    given, result = node.args[0].meta["val"], node.meta["val"]
    first = result[0] if isinstance(result, (tuple, list)) else result
    sizes = [size for size in given.shape if type(size) is int]
    return 0 in sizes and not any(s == 0 for s in first.shape if type(s) is int)


def _by_tanh(node: Any) -> bool:
    """torch-mlir's `approximate="tanh"` is off by 1e-4."""
    return "tanh" in (*node.args, *node.kwargs.values())


_RULES = {
    "adaptive_avg_pool1d": _uneven_pool,
    "adaptive_avg_pool2d": _uneven_pool,
    "_adaptive_avg_pool2d": _uneven_pool,
    "adaptive_avg_pool3d": _uneven_pool,
    "_adaptive_avg_pool3d": _uneven_pool,
    "adaptive_max_pool1d": _uneven_pool,
    "adaptive_max_pool2d": _uneven_pool,
    **dict.fromkeys(("max", "min", "argmax", "argmin"), _of_nothing),
    "gelu": _by_tanh,
    "grid_sampler": _always,  # wrong wherever a point lies between pixels
    "instance_norm": _always,  # aborts the process
    "renorm": _always,  # its norms along a last dim are wrong
    "rrelu": _always,  # the name says random, and eval mode is not
    # Have no lowering for most operands:
    "im2col": _always,
    "unique_consecutive": _always,
    "isfinite": _always,
    "upsample_bilinear2d": _always,
}
"""Name of an op, of any overload -> which of its calls."""

_MOVES = frozenset(
    [
        *("to", "_to_copy", "clone", "contiguous", "detach", "alias"),
        *("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand"),
        *("transpose", "permute", "t", "numpy_T", "select", "slice", "narrow"),
        *("split", "chunk", "unbind", "cat", "stack"),
    ]
)
"""What only moves elements, or converts them, is right for every dtype."""
