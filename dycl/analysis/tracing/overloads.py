"""torch's overloads: their names in the IR, which of them are lowered, random ones."""

from typing import Any, cast

from dycl.analysis.torch_fixes import counting
from dycl.analysis.torch_fixes.apply import functional_form
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir.torch import op_names
from dycl.support.reasons import RANDOM, Reason

NAMES = frozenset(op_names())
# Copies and identities for values, which is what the IR has.
NOTHING = ("aten::detach_", "aten::lift_fresh_copy", "aten::lift_fresh")
ASSERT = "aten::_assert_async"
_NUMBER_OVERLOADS = ("Scalar", "Tensor_Scalar", "ScalarOther", "ScalarSelf")
# Like these, but the parts are new tensors: the same thing for values.
_UNSAFE = {
    "aten::unsafe_chunk": "chunk",
    "aten::unsafe_split": "split",
    "aten::unsafe_split_with_sizes": "split_with_sizes",
}


def op_name(overload: Any) -> str:
    """`torch.aten.add.Tensor` for `torch.ops.aten.add.Tensor`."""
    name = cast(str, overload._schema.name).replace("::", ".")
    overload_name = cast(str, overload._overloadname)
    return f"torch.{name}" + (f".{overload_name}" if overload_name != "default" else "")


def is_lowered(overload: Any) -> bool:
    """Whether torch-mlir has the op, or its out-of-place form."""
    if overload._schema.name in (*NOTHING, *_UNSAFE, ASSERT, counting.NAME):
        return True
    if overload._schema.is_mutable:
        functional = functional_form(overload)
        return functional is None or op_name(functional) in NAMES
    return op_name(overload) in NAMES


def safe(overload: Any) -> Any:
    """The overload whose results are views, for one that gives new tensors."""
    import torch

    safe = _UNSAFE.get(overload._schema.name)
    if safe is None:
        return overload
    return getattr(getattr(torch.ops.aten, safe), overload._overloadname)


def returns_view(overload: Any) -> bool:
    """Whether the first result shares memory with an operand."""
    returns = overload._schema.returns
    return bool(returns) and returns[0].alias_info is not None


def refuse_random(overload: Any, node: Any) -> None:
    """Untraceable: the call draws random numbers."""
    import torch

    if torch.Tag.nondeterministic_seeded not in overload.tags:
        return
    name = overload._schema.name
    if name.removesuffix("_") in _DROPOUTS:
        if node.args[2] is False:
            return
        raise Untraceable(
            Reason("dropout in training mode draws random numbers", RANDOM)
        )
    if name == "aten::scaled_dot_product_attention":
        probability = node.args[4] if len(node.args) > 4 else 0.0
        if node.kwargs.get("dropout_p", probability) == 0.0:
            return
    if name in ("aten::rrelu", "aten::rrelu_with_noise"):
        training = node.args[3] if len(node.args) > 3 else False
        if not node.kwargs.get("training", training):
            return
    what = f"torch op {op_name(overload)[6:]} draws random numbers"
    raise Untraceable(Reason(what, RANDOM))


_DROPOUTS = (
    *("aten::dropout", "aten::feature_dropout"),
    *("aten::alpha_dropout", "aten::feature_alpha_dropout"),
)


def is_size(value: Any) -> bool:
    """Whether this is a node that gives an int."""
    meta = getattr(value, "meta", {})
    return type(meta.get("val")).__name__ in ("SymInt", "int")


def number_overload(overload: Any, node: Any) -> Any:
    """The overload for a number, where the call has one for a tensor. Untraceable.

    torch takes numbers for tensors (`mul.Tensor(x, 2)`); torch-mlir does not.
    """
    arguments = overload._schema.arguments
    numbers = [
        i
        for i, value in enumerate(node.args)
        if str(arguments[i].real_type) == "Tensor"
        and (isinstance(value, (bool, int, float)) or is_size(value))
    ]
    if not numbers:
        return overload
    packet = overload._overloadpacket
    mode = cast(str, overload._overloadname).replace("Tensor", "Scalar")
    for name in (mode, *_NUMBER_OVERLOADS):
        other = getattr(packet, name, None)
        if other is None or other is overload or op_name(other) not in NAMES:
            continue
        theirs = other._schema.arguments
        types = [str(a.real_type) for a in theirs]
        wanted = [
            "number" if i in numbers else str(arguments[i].real_type)
            for i in range(len(node.args))
        ]
        if types[: len(wanted)] == wanted:
            return other
    raise Untraceable(f"torch op {op_name(overload)[6:]} of a number has no lowering")
