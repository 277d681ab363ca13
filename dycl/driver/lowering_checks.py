"""Each torch op of a program as a kernel of its own, to ask which have no lowering.

Kernels are built last, and one bad op hides all others in its kernel. So where there is
something to refuse, every op is tried alone, and all refusals come at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.analysis.control.computation import is_computation, is_free
from dycl.diag import CodedError, CompileError, SourceLoc
from dycl.driver.ir_dump import printed
from dycl.ir.torch import ListType, OperatorOp, VTensorLiteralOp, VTensorType
from dycl.ir.walking import walk
from dycl.kernels import CUSTOM, DEATH, LATE, TEMPLATE

_HINT = "write it with other torch operations"
_CUSTOM_HINT = "mend the MLIR that the function under `@dycl.kernel` gives"


@dataclass(frozen=True)
class LoweringCheck:
    """One op as a kernel, and every location where the program has it."""

    op: str
    kernel: FuncOp
    locations: list[SourceLoc]


Check = Callable[[Sequence[str]], list[CodedError | None]]
"""For the text of each module of kernels why it cannot be lowered, if it cannot."""


def late_refusals(module: ModuleOp, check: Check) -> list[CompileError]:
    """A refusal at each location of an op that has no lowering."""
    checks = lowering_checks(module)
    if not checks or check([_text([p.kernel for p in checks])]) == [None]:
        return []
    refused: list[CompileError] = []
    errors = check([_text([one.kernel]) for one in checks])
    for one, error in zip(checks, errors, strict=True):
        if error is None:
            continue
        what = f"torch op {one.op} has no lowering for these operands"
        hint = _HINT
        reason = error.what.partition(": ")[2]
        if reason.startswith(DEATH):
            what += f": {reason}"
        elif reason.startswith(LATE):
            what = f"torch op {one.op} cannot be compiled: {reason}"
        elif TEMPLATE in reason:
            what = f"torch op {one.op} {_clause(reason, one.locations)}"
        elif reason.endswith("torch-mlir"):
            what = reason
        elif CUSTOM in reason:
            what = f"torch op {one.op} {reason[reason.index(CUSTOM) :]}"
            hint = _CUSTOM_HINT
        refused += [CompileError("DY502", what, p, hint=hint) for p in one.locations]
    return refused


def _clause(reason: str, locations: Sequence[SourceLoc]) -> str:
    """What is said of the op, without the words that say which op it is."""
    for place in locations:
        reason = reason.removeprefix(f"torch op at {place.file}:{place.line} ")
    return reason.removeprefix("torch op ")


def _text(kernels: Sequence[FuncOp]) -> str:
    return printed(ModuleOp([kernel.clone() for kernel in kernels]), locations=True)


def lowering_checks(module: ModuleOp) -> list[LoweringCheck]:
    """A kernel for each op that computes; equal ones once."""
    by_text: dict[str, LoweringCheck] = {}
    for op in walk(module):
        location = SourceLoc.of(op)
        if location is None or not _is_checked(op):
            continue
        kernel = _kernel(op)
        key = printed(ModuleOp([kernel.clone()]))
        if key not in by_text:
            is_users = isinstance(op, OperatorOp)
            name = op.operator_name.data if is_users else op.name
            name = name.removeprefix("torch.")
            by_text[key] = LoweringCheck(name, kernel, [])
            kernel.sym_name = StringAttr(f"check_{len(by_text)}")
        if location not in by_text[key].locations:
            by_text[key].locations.append(location)
    return list(by_text.values())


def _is_checked(op: Operation) -> bool:
    """Whether an op computes, on tensors and numbers whose types are all there."""
    if not is_computation(op) or op.name.startswith("torch.prim."):
        return False
    return all(_is_typed(v) for v in (*_inputs(op), *_outputs(op)))


def _is_typed(value: SSAValue) -> bool:
    value_type = value.type
    if isinstance(value_type, VTensorType):
        return value_type.is_fully_typed() and min(value_type.sizes() or (0,)) >= 0
    return str(value_type) in ("!torch.int", "!torch.float", "!torch.bool")


def _inputs(op: Operation) -> Iterator[SSAValue]:
    """What an op needs from outside: constants and lists of them come along."""
    for value in op.operands:
        owner = value.owner
        if isinstance(owner, Operation) and _comes_along(owner):
            yield from _inputs(owner)
        else:
            yield value


def _comes_along(op: Operation) -> bool:
    return is_free(op) or isinstance(op, VTensorLiteralOp)


def _parts(op: Operation) -> Sequence[Operation]:
    """The op, and what takes its list apart."""
    if len(op.results) == 1 and isinstance(op.results[0].type, ListType):
        users = [use.operation for use in op.results[0].uses]
        return [op, *users[:1]]
    return [op]


def _outputs(op: Operation) -> Sequence[SSAValue]:
    return _parts(op)[-1].results


def _kernel(op: Operation) -> FuncOp:
    block = Block()
    values: dict[SSAValue, SSAValue] = {}

    def add(one: Operation) -> None:
        for value in one.operands:
            if value in values:
                continue
            owner = value.owner
            if isinstance(owner, Operation) and _comes_along(owner):
                add(owner)
            else:
                argument = block.insert_arg(value.type, len(block.args))
                argument.location = op.location
                values[value] = argument
        block.add_op(one.clone(values))

    for part in _parts(op):
        add(part)
    outputs = [values[v] for v in _outputs(op)]
    return_op = ReturnOp(*outputs)
    return_op.location = op.location
    block.add_op(return_op)
    types = [a.type for a in block.args], [v.type for v in outputs]
    function = FuncOp("check", types, Region(block))
    function.attributes["dycl.kernel"] = UnitAttr()
    function.location = op.location
    return function
