"""Which ops IREE is given: each is lowered alone, as a kernel of its own.

    %y = torch.aten.relu %x    func.func @op(%x) { %y = torch.aten.relu %x; return %y }

IREE's runtime takes numbers below 1.2e-38 for 0, whatever the code says. Where that
changes more than a number as small, our own code computes: truths and indices that
depend on numbers, and what is large where its operand is small.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir.cloning import clone
from dycl.ir.torch import ConstantOp, ListConstructOp, VTensorLiteralOp
from dycl.kernels.onnx import Unfit
from dycl.kernels.onnx.building import tensor_spec

UNPACK = "torch.prim.ListUnpack"
_NUMBERS = ("!torch.int", "!torch.float", "!torch.bool")
_FLUSHED = "IREE takes numbers below 1.2e-38 for 0"
_STEEP = frozenset(
    (
        *("atan2", "cbrt", "ceil", "copysign", "cosine_similarity", "floor"),
        *("floor_divide", "fmod", "frac", "frobenius_norm", "heaviside", "hypot"),
        *("linalg_norm", "linalg_vector_norm", "log", "log10", "log2"),
        *("logit", "norm", "pow", "reciprocal", "remainder", "rsqrt", "sgn", "sign"),
        *("signbit", "sqrt", "std", "std_mean", "threshold", "xlogy"),
    )
)
"""Ops whose result for 0 is far from that for the smallest numbers."""
_PERIODIC = ("cos", "sin", "sinc", "tan")
_ROUGH = "IREE has few digits of it for large numbers"
_QUOTIENTS = ("div", "true_divide", "divide")
"""The same, by a tensor."""


def kernel_of(op: Operation) -> ModuleOp:
    """A module with one kernel, which is the op alone; its tensors are arguments.

    Unfit: it takes or gives what no engine is handed, or it may not be left to IREE.
    """
    if (why := _why_not(op)) is not None:
        raise Unfit(why)
    block, values = Block(), dict[SSAValue, SSAValue]()
    for operand in op.operands:
        _add(operand, block, values)
    block.add_op(clone(op, values))
    results = [values[result] for result in op.results]
    if any("list" in str(result.type) for result in results):
        (unpack,) = _unpacked(op)
        block.add_op(clone(unpack, values))
        results = [values[result] for result in unpack.results]
    for result in results:
        tensor_spec(result.type)
    block.add_op(ReturnOp(*results))
    kinds = [argument.type for argument in block.args], [r.type for r in results]
    kernel = FuncOp("op", kinds, Region(block))
    return ModuleOp([kernel])


def reason_against(kernel: FuncOp) -> tuple[Operation, str] | None:
    """The first op of a kernel that may not be left to IREE, or with a tensor that no
    engine is handed, and why; or None."""
    for op in kernel.body.block.ops:
        if (why := _why_not(op)) is not None:
            return op, why
        kinds = [value.type for value in (*op.operands, *op.results)]
        for kind in kinds:
            if "tensor" in str(kind) and "list" not in str(kind):
                try:
                    tensor_spec(kind)
                except Unfit as unfit:
                    return op, str(unfit)
    return None


def _why_not(op: Operation) -> str | None:
    """Why IREE would make something else of an op than eager does, or None."""
    _, _, name = op.name.partition("aten.")
    stem, _, overload = name.partition(".")
    if stem in _PERIODIC:
        return _ROUGH
    is_quotient = stem in _QUOTIENTS and overload.startswith("Tensor")
    return _FLUSHED if stem in _STEEP or is_quotient or _decides(op) else None


def _decides(op: Operation) -> bool:
    """Whether truths or whole numbers are made of numbers."""
    gives = [str(result.type) for result in op.results]
    takes = [str(operand.type) for operand in op.operands]
    return any("f32>" in kind for kind in takes) and any(
        ",i1>" in kind or "i64>" in kind or "i32>" in kind for kind in gives
    )


def _add(value: SSAValue, block: Block, values: dict[SSAValue, SSAValue]) -> None:
    """Make a value known: constants and lists are copied, others are arguments."""
    if value in values:
        return
    owner = value.owner
    if isinstance(owner, ConstantOp | ListConstructOp | VTensorLiteralOp) or (
        isinstance(owner, Operation) and not owner.operands
    ):
        for operand in owner.operands:
            _add(operand, block, values)
        block.add_op(clone(owner, values))
        return
    _check(value.type)
    values[value] = block.insert_arg(value.type, len(block.args))


def _check(kind: Attribute) -> None:
    if str(kind) not in _NUMBERS:
        tensor_spec(kind)


def _unpacked(op: Operation) -> Iterator[Operation]:
    """The op that takes the list apart that an op gives. Unfit: there is none."""
    users = {use.operation for result in op.results for use in result.uses}
    if len(op.results) != 1 or [user.name for user in users] != [UNPACK]:
        raise Unfit("it gives a list that is not taken apart")
    yield from users
