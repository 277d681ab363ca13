"""Modules of torch as functions of their parameters: `F.linear(x, weight, bias)`.

A module of torch reads its parameters by itself, as they were when the network was
compiled; a function is given what a run has made of them by then.
"""

from dycl.ir import CallOp
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.objects import viewed
from dycl.ir.values import ObjectRef

_CONV = ("weight", "bias", "stride", "padding", "dilation", "groups")
_TRANSPOSED = (
    *("weight", "bias", "stride", "padding", "output_padding", "groups"),
    "dilation",
)
_EMBEDDING = ("weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq")
_FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "linear.Linear": ("linear", ("weight", "bias")),
    "sparse.Embedding": ("embedding", _EMBEDDING),
    "normalization.LayerNorm": (
        "layer_norm",
        ("normalized_shape", "weight", "bias", "eps"),
    ),
    **{f"conv.Conv{n}d": (f"conv{n}d", _CONV) for n in (1, 2, 3)},
    **{
        f"conv.ConvTranspose{n}d": (f"conv_transpose{n}d", _TRANSPOSED)
        for n in (1, 2, 3)
    },
}
"""The class in `torch.nn.modules`; the function and its arguments behind the first."""


Function = tuple[str, tuple[object, ...]]
"""The full name, and the arguments behind the first."""


def functions_of(
    path: str, calls: list[CallOp], environment: Environment
) -> dict[CallOp, Function] | None:
    """What calls of a module, or of views of it, are calls of; None: of some, nothing.

    A module that is part of another one of torch's is none: that one reads it, too.
    """
    path = viewed(path)
    if _is_part(path, environment):
        return None
    result: dict[CallOp, Function] = {}
    for op in calls:
        called = _called(op)
        if called is None or viewed(called) != path:
            continue
        known = _function(called, environment)
        if known is None or len(op.positional) != 1 or op.keyword_names:
            return None
        result[op] = known
    return result


def _called(op: CallOp) -> str | None:
    callee = constant_value(op.callee)
    return callee.path if isinstance(callee, ObjectRef) else None


def _is_part(path: str, environment: Environment) -> bool:
    """Whether a module of torch holds the module, and may read what that has."""
    parts = path.split(".")[:-1]
    around = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(p in environment.paths and environment.is_leaf(p) for p in around)


def _function(path: str, environment: Environment) -> Function | None:
    members = environment.members(path)
    leaf = str(members.get("__leaf__", "")).removeprefix("torch.nn.modules.")
    if leaf not in _FUNCTIONS or members.get("padding_mode", "zeros") != "zeros":
        return None
    name, arguments = _FUNCTIONS[leaf]
    if members.get("max_norm") is not None or not members.keys() >= set(arguments):
        return None  # an embedding of a greatest norm changes its weights, too
    given = tuple(members[one] for one in arguments)
    return f"torch.nn.functional.{name}", given
