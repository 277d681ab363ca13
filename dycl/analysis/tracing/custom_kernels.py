"""Kernels that users bring: the MLIR text for one call, asked of `dycl.lowerings`.

    %y = torch.operator "torch.mine.scale"(%x, %by)
        {dycl.custom_kernel = "func.func @scale(...) {...}"}

The text is in the IR, so what becomes of a program depends on nothing else. torch is
imported in the functions.
"""

from collections.abc import Sequence
from typing import Any, cast

from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    is_container,
    leaves,
    map_leaves,
)
from dycl.analysis.tensors.fakes import abstracted
from dycl.analysis.torch_fixes.division import is_open
from dycl.analysis.torch_fixes.rotations import KERNELS
from dycl.analysis.tracing.graph import Input, Node, Ref, Trace, Untraceable
from dycl.analysis.tracing.overloads import is_size, op_name
from dycl.ir import TensorOp
from dycl.ir.custom_kernels import CUSTOM_KERNEL
from dycl.ir.dtypes import dtype_name
from dycl.ir.values import from_attr
from dycl.lowerings import Lowering, TensorSpec, known_kernels

OPERATOR = "torch.operator"


def kernel_of_call(node: Any, overload: Any) -> str | None:
    """The text of the kernel for a call in an fx graph, the user's or ours; None: there
    is none.

    Raises Untraceable if the user's function raises.
    """
    function = _kernel_of(overload)
    if function is None or overload._schema.is_mutable:
        return None
    if is_open() or any(map(is_number_of_a_run, node.args)):
        return None
    args, kwargs = _operand(node)
    return kernel_text(function, op_name(overload).removeprefix("torch."), args, kwargs)


def has_kernel(overload: Any) -> bool:
    """Whether calls of an overload may have a kernel of their own."""
    return _kernel_of(overload) is not None


def _kernel_of(overload: Any) -> Any:
    return known_kernels().of(overload) or KERNELS.get(overload._schema.name)


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
        raise Untraceable(f"the kernel of {what} raises {raised}") from error
    return None if text is None else str(text)


def spec_of(tensor: Tensor) -> TensorSpec:
    """What the user's function is told of a tensor."""
    shape = tuple(size if isinstance(size, int) else None for size in tensor.shape)
    element = str(tensor.dtype)
    return TensorSpec(shape, dtype_name(tensor.dtype), element.lstrip("su"))


def trace_of_op(
    op: TensorOp, operands: Sequence[object], results: Sequence[object]
) -> Trace | None:
    """The one `torch.operator` of an op with a kernel of its own; None: it has none.

    Nor has it one where a number depends on the input. Untraceable: see `kernel_text`.
    """
    tensors = [leaf for leaf in leaves(tuple(results)) if isinstance(leaf, Tensor)]
    if any(
        isinstance(operand, Scalar) or is_container(operand) for operand in operands
    ):
        return None
    given = [spec_of(x) if isinstance(x, Tensor) else x for x in operands]
    text = kernel_text(op.kernel, op.name, given, {})
    if text is None or len(tensors) < len(list(leaves(tuple(results)))):
        return None
    node = Node(
        OPERATOR,
        tuple(Input(i) if isinstance(x, Tensor) else x for i, x in enumerate(operands)),
        tuple("Tensor" if isinstance(x, Tensor) else "" for x in operands),
        tuple(tensors),
        attributes=(
            ("name", op.name),
            (CUSTOM_KERNEL, text),
            *((name, from_attr(value)) for name, value in op.properties.items()),
        ),
    )
    count = iter(range(len(tensors)))
    outputs = [map_leaves(tree, lambda _: Ref(0, next(count))) for tree in results]
    return Trace((node,), tuple(outputs))


def _operand(node: Any) -> tuple[Any, dict[str, Any]]:
    from torch.fx.node import map_arg

    def one(used: Any) -> object:
        return spec_of(cast(Tensor, abstracted(used.meta["val"])))

    return cast(Any, map_arg)((node.args, dict(node.kwargs)), one)
