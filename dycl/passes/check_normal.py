"""`dycl-check-normal`: says in sentences what is not in normal form.

Before                               After
------                               -----
any module                           the same module, or CompileErrors

Needs:  the normalise phase has run; otherwise the sentences are about that.
Leaves: one function, the entry; in it calls go to torch only, loops go over what the
        input decides, `if`s test what the input decides, and no attribute of the
        model is read or set.
Skips:  what `dycl-check-typed` reports, with more knowledge, after the type phase.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.shapes import entry_function
from dycl.diag import CompileError, CompileErrors, PassFailed, SourceLoc
from dycl.ir import (
    CallOp,
    ConstantOp,
    ForOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    ListOp,
    SetattrOp,
    TupleOp,
)
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    UnsupportedRef,
    from_attr,
)
from dycl.ir.world import World


@dataclass(frozen=True)
class CheckNormalPass(ModulePass):
    """Says in sentences what is not in normal form."""

    name = "dycl-check-normal"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing. Raises CompileErrors, or PassFailed without an entry."""
        entry = entry_function(op)
        if entry is None:
            if not op.body.blocks or op.body.block.is_empty:
                return
            raise PassFailed("the module has no entry function", code="DY202")
        world = World(op)
        errors: dict[object, CompileError] = {}
        for inner in entry.walk():
            if (found := _complaint(inner, world)) is not None:
                what, hint = found
                place = SourceLoc.of(inner)
                error = CompileError("DY202", what, place, hint=hint)
                errors.setdefault((what, place if place else inner), error)
        if errors:
            raise CompileErrors(list(errors.values()))


def _complaint(op: Operation, world: World) -> tuple[str, str] | None:
    """What is wrong with an op and what to do, or None."""
    match op:
        case CallOp() | InvokeOp():
            return _call(op, world)
        case ForOp() if _is_known_iterable(op.iterable):
            return (
                "this loop over known items was not unrolled",
                "raise `max-trip-count` of `dycl-unroll-loops`",
            )
        case IfOp() if isinstance(op.condition.owner, ConstantOp):
            return (
                "this `if` is decided without the input, but was not removed",
                "run `dycl-simplify-control`",
            )
        case GetattrOp() if isinstance(_known(op.operand), ObjectRef):
            return (
                f"the attribute `{op.attribute.data}` of the model is not known",
                "set it in `__init__`, to plain data, tensors or modules",
            )
        case SetattrOp() if isinstance(_known(op.operand), ObjectRef):
            return (
                f"the attribute `{op.attribute.data}` is set while the network runs",
                "keep it in a local variable, or return it",
            )
        case _:
            return None


def _call(op: CallOp | InvokeOp, world: World) -> tuple[str, str] | None:
    match _known(op.operands[0]):
        case FunctionRef(symbol) | MethodRef(symbol, _):
            function = symbol
        case ObjectRef(path) if not world.is_leaf(path):
            function = world.class_name(path)
        case UnsupportedRef(reason):
            return f"this cannot be called: {reason}", "call functions of torch"
        case _:
            return None
    hint = "run `dycl-inline-calls`; a function that calls itself cannot be compiled"
    return f"the call of `{function}` was not inlined", hint


def _known(value: SSAValue) -> object:
    if not isinstance(value.owner, ConstantOp):
        return None
    try:
        return from_attr(value.owner.value)
    except NotAConstant:
        return None


def _is_known_iterable(value: SSAValue) -> bool:
    if isinstance(value.owner, ConstantOp):
        return not isinstance(_known(value), UnsupportedRef)
    return isinstance(value.owner, (TupleOp, ListOp))
