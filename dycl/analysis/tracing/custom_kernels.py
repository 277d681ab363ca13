"""Kernels that users bring: the MLIR text for one call, asked of `dycl.lowerings`.

    %y = torch.operator "torch.mine.scale"(%x, %by)
        {dycl.custom_kernel = "func.func @scale(...) {...}"}

The text is in the IR, so what becomes of a program depends on nothing else. torch is
imported in the functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    is_container,
    leaves,
    map_leaves,
)
from dycl.analysis.tensors.fakes import abstracted
from dycl.analysis.torch_fixes import bits, boxes, rotations
from dycl.analysis.torch_fixes.division import is_open
from dycl.analysis.tracing.graph import Input, Node, Ref, Trace, Untraceable
from dycl.analysis.tracing.overloads import is_size, op_name
from dycl.ir import CallOp, TensorOp
from dycl.ir.custom_kernels import CUSTOM_KERNEL, CUSTOM_KERNEL_ARGUMENTS
from dycl.ir.dtypes import dtype_name
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import GlobalRef, from_attr
from dycl.lowerings import Lowering, NumberSpec, TensorSpec, known_kernels

OPERATOR = "torch.operator"


def kernel_of_call(node: Any, overload: Any) -> str | None:
    """The text of the kernel for a call in an fx graph, the user's or ours; None: there
    is none.

    A number may stand for one of the run (`is_open`). It is in the text of a kernel of
    ours, so that two traces differ where it matters; a user's function may ask what it
    is. Raises Untraceable if the user's function raises.
    """
    function = _kernel_of(overload)
    if function is None or overload._schema.is_mutable:
        return None
    if is_open() and function not in _OWN.values():
        return None
    if any(map(is_number_of_a_run, node.args)):
        return None
    args, kwargs = _operand(node)
    return kernel_text(function, op_name(overload).removeprefix("torch."), args, kwargs)


def has_kernel(overload: Any) -> bool:
    """Whether calls of an overload may have a kernel of their own."""
    return _kernel_of(overload) is not None


def _kernel_of(overload: Any) -> Any:
    return known_kernels().of(overload) or _OWN.get(overload._schema.name)


_OWN: dict[str, Any] = {
    **bits.KERNELS,
    **boxes.KERNELS,
    **rotations.KERNELS,
}


def attributes_of_call(overload: Any, text: str) -> tuple[tuple[str, object], ...]:
    """Those of the `torch.operator` that stands for a call."""
    return (("name", op_name(overload)), (CUSTOM_KERNEL, text))


def is_number_of_a_run(value: Any) -> bool:
    """Whether an argument is a size that only a run knows."""
    return hasattr(value, "all_input_nodes") and is_size(value)


def kernel_text(
    function: Lowering, what: str, args: Sequence[object], kwargs: dict[str, object]
) -> str | None:
    """What the user's function gives for these arguments. Untraceable: it raises."""
    try:
        text = cast(object, function(*args, **kwargs))
    except Exception as error:
        first, *_ = str(error).splitlines() or [""]
        raised = f"{type(error).__name__}: {first}".removesuffix(": ")
        operands = (*args, *kwargs.values())
        if any(isinstance(operand, NumberSpec) for operand in operands):
            raised += (
                "; a number that depends on the input is a dycl.NumberSpec there, and "
                "for None instead of text a lowering is taken"
            )
        raise Untraceable(f"the kernel of {what} raises {raised}") from error
    return None if text is None else str(text)


def spec_of(tensor: Tensor) -> TensorSpec:
    """What the user's function is told of a tensor."""
    shape = tuple(size if isinstance(size, int) else None for size in tensor.shape)
    element = str(tensor.dtype)
    return TensorSpec(shape, dtype_name(tensor.dtype), element.lstrip("su"))


def spec_of_operand(value: object) -> object:
    """What the user's function is told of an operand: constants are what they are."""
    if isinstance(value, Tensor):
        return spec_of(value)
    return NumberSpec(value.kind) if isinstance(value, Scalar) else value


def trace_of_op(
    op: TensorOp, operands: Sequence[object], results: Sequence[object]
) -> Trace | None:
    """The one `torch.operator` of an op with a kernel of its own; None: it has none.

    Untraceable: see `kernel_text`.
    """
    if any(is_container(x) or _has_no_type(x) for x in operands):
        return None
    text = kernel_text(op.kernel, op.name, list(map(spec_of_operand, operands)), {})
    if text is None:
        return None
    kinds = [_kind_of(x) for x in operands]
    taken = [Input(i) if kinds[i] else x for i, x in enumerate(operands)]
    own = [(name, from_attr(value)) for name, value in op.properties.items()]
    return _one_operator(op.name, taken, kinds, results, text, own)


def trace_of_call(
    op: CallOp,
    operands: Sequence[object],
    results: Sequence[object],
    environment: Environment,
) -> Trace | None:
    """The same of a call that passes numbers that depend on the input to a kernel.

    None: there are no such numbers, or no kernel takes these; then it is traced.
    """
    overload = _called(operands[0])
    if overload is None or overload._schema.is_mutable:
        return None
    if (function := _kernel_of(overload)) is None:
        return None
    indices = count()
    marked = [map_leaves(tree, lambda x: _Leaf(next(indices), x)) for tree in operands]
    args, kwargs = split_arguments(op, marked[1:], environment)
    arguments = overload._schema.arguments
    names = [argument.name for argument in arguments]
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    if not any(isinstance(x, _Leaf) and _is_number(x.value) for x in named.values()):
        return None
    kinds = [str(argument.real_type) for argument in arguments]
    taken = [
        _operand_of(named.get(argument.name, argument.default_value), kind)
        for argument, kind in zip(arguments, kinds, strict=True)
    ]
    if any(operand is NotImplemented for operand in taken):
        return None
    given = [map_leaves(tree, _spec_of_leaf) for tree in args]
    given_by_name = {name: map_leaves(x, _spec_of_leaf) for name, x in kwargs.items()}
    name = op_name(overload)
    text = kernel_text(function, name.removeprefix("torch."), given, given_by_name)
    if text is None:
        return None
    return _one_operator(name, taken, kinds, results, text, ())


def _operand_of(value: object, kind: str) -> object:
    """An argument as an operand of a node; NotImplemented: it is no such thing."""
    if isinstance(value, _Leaf):
        if _is_number(value.value) and value.value.kind != kind:
            return NotImplemented  # It is converted first.
        if _has_no_type(value.value):
            return NotImplemented
        value = Input(value.index) if _kind_of(value.value) else value.value
    is_plain = isinstance(value, (Input, bool, int, float, str, type(None)))
    return value if is_plain else NotImplemented


@dataclass(frozen=True)
class _Leaf:
    """A leaf of the operands, with its index among all leaves."""

    index: int
    value: Any


def _spec_of_leaf(leaf: object) -> object:
    return spec_of_operand(cast(_Leaf, leaf).value)


def _is_number(value: object) -> bool:
    return isinstance(value, Scalar)


def _has_no_type(value: object) -> bool:
    """Whether a value is text that depends on the input, for which MLIR has no type."""
    return isinstance(value, Scalar) and value.kind == "str"


def _kind_of(value: object) -> str:
    """What torch calls the type of an operand that the input decides, else ""."""
    if isinstance(value, Tensor):
        return "Tensor"
    return value.kind if isinstance(value, Scalar) else ""


def _called(callee: object) -> Any:
    """The overload of `torch.library` that a callee is; None: it is something else."""
    if not isinstance(callee, GlobalRef) or not callee.name.startswith("torch.ops."):
        return None
    target: Any = resolve_global(callee.name)
    if hasattr(target, "_schema"):
        return target
    names = target.overloads() if hasattr(target, "overloads") else ()
    return getattr(target, names[0]) if len(names) == 1 else None


def _one_operator(
    name: str,
    operands: Sequence[object],
    kinds: Sequence[str],
    results: Sequence[object],
    text: str,
    own: Sequence[tuple[str, object]],
) -> Trace | None:
    """A trace of one `torch.operator`; None: not all of its results are tensors."""
    given = [leaf for tree in results for leaf in leaves(tree)]
    tensors = [leaf for leaf in given if isinstance(leaf, Tensor)]
    if len(tensors) < len(given):
        return None
    inputs = [i for i, operand in enumerate(operands) if isinstance(operand, Input)]
    has_number = any(kinds[i] != "Tensor" for i in inputs)
    attributes = [("name", name), (CUSTOM_KERNEL, text), *own]
    if has_number:
        attributes.append((CUSTOM_KERNEL_ARGUMENTS, inputs))
    node = Node(
        OPERATOR,
        tuple(operands),
        tuple(kinds),
        tuple(tensors),
        attributes=tuple(attributes),
    )
    number = iter(range(len(tensors)))
    outputs = [map_leaves(tree, lambda _: Ref(0, next(number))) for tree in results]
    return Trace((node,), tuple(outputs))


def _operand(node: Any) -> tuple[Any, dict[str, Any]]:
    from torch.fx.node import map_arg

    def one(used: Any) -> object:
        return spec_of(cast(Tensor, abstracted(used.meta["val"])))

    return cast(Any, map_arg)((node.args, dict(node.kwargs)), one)
