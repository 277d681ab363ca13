"""Ops of narrow dtypes, computed in wider ones.

torch-mlir rounds sums of half floats after each addition, takes bytes for signed ones,
and dies of a number that becomes an int8.
"""

from collections.abc import Sequence
from typing import Any, cast

from dycl.analysis.torch_fixes import division
from dycl.analysis.torch_fixes.elements import COMPARISON_NAMES


def dtypes_of(values: Any) -> set[Any]:
    """The dtypes of the tensors among some operands."""
    result: set[Any] = set()
    for value in values:
        if isinstance(value, (tuple, list)):
            result |= dtypes_of(value)
        elif hasattr(value, "untyped_storage"):
            result.add(value.dtype)
    return result


def wider(name: str, given: set[Any]) -> tuple[Any, Any] | None:
    """(dtype, the one to compute in instead), if an op needs that.

    A number made an int8 crashes the compiler, which has no bytes without a sign. Sums
    of half floats would be rounded after each addition, and a factor before the
    product; eager rounds once.
    """
    import torch

    stays = (name in MOVES and len(given) == 1) or name in _UNWIDENED
    if torch.uint8 in given and not stays and name not in _CONVERTS:
        return torch.uint8, torch.int16
    if torch.int8 in given and not stays:
        return torch.int8, torch.int16
    for half in (torch.float16, torch.bfloat16):
        if (name in _SUMS and half in given) or (name == "mul" and given == {half}):
            return half, torch.float32
    return None


def in_wider(overload: Any, args: Any, kwargs: Any, wide: tuple[Any, Any]) -> Any:
    """A call in the second of two dtypes of `wide`; its result in that of eager."""
    import torch
    from torch.utils._pytree import tree_map

    narrow, broad = wide
    chosen = any(isinstance(v, torch.dtype) for v in (*args, *kwargs.values()))
    pairs = {torch.int8, torch.uint8}, {torch.float16, torch.bfloat16}
    mixed = any(pair <= dtypes_of(args) for pair in pairs)
    numbers = _numbers(overload, args)
    ruled = _ruled(numbers)
    name = overload._schema.name.removeprefix("aten::")
    to_bytes = ruled in (torch.int8, torch.uint8) and (
        name not in _TO_FLOATS or kwargs.get("rounding_mode") is not None
    )
    result = narrow if ruled is None else ruled
    back = not chosen and not mixed and broad not in dtypes_of(args)
    back = back or (ruled is not None and not chosen)
    back = back or (name in _NORMS and args[0].dtype == narrow)

    is_kept = name in _ONE_NUMBER and division.is_one_number(args[1])
    kept = args[1] if is_kept else None

    def widen(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype == torch.bool:
            return value
        if to_bytes and any(value is number for number in numbers):
            return value.to(ruled).to(broad)
        is_whole = not (value.is_floating_point() or value.is_complex())
        is_other = bool(is_whole and value.dim()) or ruled is not None
        if narrow.is_floating_point and is_other and not chosen and value is not kept:
            return value.to(narrow).to(broad)  # as eager: rounded, perhaps infinite
        return value.to(broad) if value.dtype == narrow else value

    if narrow.is_floating_point and chosen and kwargs.get("dtype") == narrow:
        kwargs = {**kwargs, "dtype": broad}  # rounded at the end, not at the start
        back = True

    def narrowed(value: Any) -> Any:
        fits = isinstance(value, torch.Tensor) and value.dtype == broad
        return value.to(result) if fits and back else value

    mapped = cast(Any, tree_map)
    return mapped(narrowed, overload(*mapped(widen, args), **mapped(widen, kwargs)))


def _numbers(overload: Any, args: Any) -> list[Any]:
    """The tensors among an op's operands that are computed with."""
    import torch

    named = zip(overload._schema.arguments, args, strict=False)
    given = [v for argument, v in named if argument.name not in ("index", "indices")]
    return [v for v in given if isinstance(v, torch.Tensor) and v.dtype != torch.bool]


def _ruled(numbers: Sequence[Any]) -> Any | None:
    """The narrow dtype that some of an op's tensors have, and not those of rank 0.

    Those are numbers: their dtype does not count. Of bytes, they become bytes.
    """
    import torch

    arrays = [v for v in numbers if v.dim()]
    if len(dtypes_of(arrays)) != 1 or len(dtypes_of(numbers)) == 1:
        return None
    dtype = arrays[0].dtype
    if any(torch.result_type(arrays[0], v) != dtype for v in numbers):
        return None
    narrow = (torch.int8, torch.uint8, torch.float16, torch.bfloat16)
    return dtype if dtype in narrow else None


_UNWIDENED = (*COMPARISON_NAMES, "result_type", "any", "all", "l1_loss")
"""What tells dtypes apart, or is rounded in parts: an int8 stays one."""
_CONVERTS = ("to", "_to_copy")
_NORMS = ("layer_norm", "group_norm", "batch_norm", "rms_norm")
"""What gives half floats of half floats, whatever dtype the weights are of."""
_TO_FLOATS = (
    *("div", "divide", "true_divide", "xlogy", "special_xlogy", "special_xlog1py"),
    *("atan2", "arctan2", "copysign"),
)
"""Ops of two tensors that give floats of integers, which are no bytes before."""
_ONE_NUMBER = ("mul", "div", "divide", "true_divide")
"""Ops of half floats that eager computes with a number that comes second as it is."""
_SUMS = frozenset(
    [
        *("sum", "mean", "prod", "cumsum", "cumprod", "var", "std", "norm"),
        *("var_mean", "std_mean"),
        *("matmul", "mm", "bmm", "linear", "addmm", "baddbmm", "dot", "mv", "einsum"),
        *("conv1d", "conv2d", "conv3d", "convolution", "conv_transpose2d"),
        *("softmax", "log_softmax", "layer_norm", "group_norm", "batch_norm"),
        *("native_layer_norm", "native_group_norm", "native_batch_norm"),
        *("avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d"),
        *("adaptive_avg_pool2d", "adaptive_avg_pool3d", "linalg_vector_norm"),
        *("scaled_dot_product_attention", "logsumexp", "erf", "gelu"),
        *("div", "fmod", "remainder", "log_sigmoid", "softplus"),
        *("threshold", "softshrink", "hardsigmoid", "hardswish", "mish", "silu"),
        *("elu", "celu", "selu", "leaky_relu", "glu", "lerp", "round"),
        *("expm1", "log1p", "logaddexp", "logaddexp2", "logcumsumexp", "rms_norm"),
        *("bilinear", "cosine_similarity"),
        *("sigmoid", "special_expit"),
        *("addcmul", "addcdiv", "deg2rad", "rad2deg"),
        *("smooth_l1_loss", "huber_loss"),
    ]
)
"""Ops that eager computes in f32 for half floats, and rounds once, or nearly so."""

MOVES = frozenset(
    [
        *("to", "_to_copy", "clone", "contiguous", "detach", "alias", "copy"),
        *("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand"),
        *("transpose", "permute", "t", "numpy_T", "select", "slice", "narrow"),
        *("split", "chunk", "unbind", "cat", "stack"),
    ]
)
"""What only moves elements, or converts them, is right for every dtype."""
