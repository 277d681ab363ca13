"""`dycl-check-normal`: says in sentences what is not in normal form.

Before                            After
------                            -----
dycl.setattr %self "count", %one  error[DY206]: the attribute `count` is set
dycl.return %x                      while the network runs

Needs:  the normalise phase has run; otherwise the sentences are about that.
Leaves: one function, the entry; in it calls go to torch only, loops go over what the
        input decides, `if`s test what the input decides, and no attribute of the
        model is read or set.
Skips:  what `dycl-check-typed` reports, with more knowledge, after the type phase.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding.iteration import is_read_by
from dycl.analysis.manager import analyses_of, environment_of
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.diag import CompileError, CompileErrors, PassFailed, SourceLoc
from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    RaiseOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    SwitchOp,
    TryOp,
    TupleOp,
    UnsupportedOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.contexts import ENTER, EXIT
from dycl.ir.demand import awaited
from dycl.ir.environment import Environment
from dycl.ir.functions import GENERATOR, entry_function
from dycl.ir.interfaces import nearest
from dycl.ir.opaque import remedy
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    ObjectRef,
    UnsupportedRef,
)
from dycl.ir.walking import walk
from dycl.passes.calls.recursion import RECURSION
from dycl.passes.checks.attributes import has_no, of_attribute, of_setting
from dycl.passes.checks.causes import cause_of, of_set, unknown_behind
from dycl.passes.checks.findings import may_be_unbound
from dycl.passes.checks.managers import left_manager
from dycl.passes.checks.numpy_numbers import as_numpy, numpy_numbers
from dycl.passes.checks.shared_arguments import shared_writes
from dycl.passes.checks.unbound_constants import unbound_constants
from dycl.passes.enumerate_attributes import UNLISTED
from dycl.passes.lists.recursions import is_given_list
from dycl.passes.objects.cells import KEPT, KEPT_HINT, leads_to
from dycl.passes.order_sets import unsettled
from dycl.passes.tries.raising import culprit

_SHARED = "this changes a tensor that a recursion shares with its caller"
_COPY = "make a new tensor: `x = x + y` instead of `x += y`"


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
            raise PassFailed("the module has no entry function", code="DY299")
        environment = environment_of(ctx, op)
        errors = unsettled(op, entry, environment)
        following: dict[object, CompileError] = {}
        numpys = numpy_numbers(entry)
        culprits = _changes_of_lists(entry)
        kept = _kept_objects(entry, environment)
        ends_by_data = any(map(_is_recursion, walk(entry)))
        changed = {change.operands[0] for change in culprits}
        for inner in walk(entry):
            if isinstance(inner, ForOp) and inner.iterable in changed:
                continue  # The changes are why its items are not known.
            complaint = kept.get(inner) or _complaint(inner, environment)
            complaint = complaint or as_numpy(inner, numpys)
            if complaint is None or culprits.get(inner, inner) is not inner:
                continue
            at = inner
            if (
                complaint[0] not in ("DY108", "DY299")
                and (cause := cause_of(inner)) is not None
            ):
                at, complaint = cause
            elif complaint[0] == "DY205" and (around := nearest(inner, TryOp)):
                at = culprit(around, environment) or around
                complaint = TryOp.REFUSAL  # it keeps its variables in dicts
            elif complaint[0] == "DY205":
                inference = analyses_of(ctx).get(infer, op)
                at, complaint = unknown_behind(inner, inference) or (at, complaint)
            code, what, hint = complaint
            place = SourceLoc.of(at)
            error = CompileError(code, what, place, hint=hint)
            follows = (
                _is_of_stand_in(at, environment)
                or (kept and at not in kept and _waits_for_state(at, code))
                or (ends_by_data and code == "DY205")
            )
            of = following if follows else errors
            of.setdefault((what, place if place else at), error)
        for inner in shared_writes(entry, analyses_of(ctx).get(infer, op)):
            place = SourceLoc.of(inner)
            errors.setdefault(place, CompileError("DY307", _SHARED, place, hint=_COPY))
        if not errors:
            errors |= _unbound(entry, analyses_of(ctx).get(infer, op))
        if errors or following:
            raise CompileErrors(list((errors or following).values()))


def _kept_objects(
    entry: FuncOp, environment: Environment
) -> dict[Operation, tuple[str, str, str]]:
    """What gives the model an object that the network makes, which no state holds.

    `dycl-promote-objects` has refused it already where all calls are inlined.
    """
    result: dict[Operation, tuple[str, str, str]] = {}
    for op in walk(entry):
        is_refused = isinstance(op, UnsupportedOp) and op.what.data == KEPT
        is_kept = isinstance(op, SetattrOp) and leads_to(op.value, environment.made)
        if is_refused or (
            is_kept and object_of(op.operands[0]) not in environment.made
        ):
            result[op] = "DY206", KEPT, KEPT_HINT
    return result


def _is_recursion(op: Operation) -> bool:
    """Whether an op stands for a call of a recursion that is refused."""
    return isinstance(op, UnsupportedOp) and op.code.data == "DY203"


def _waits_for_state(op: Operation, code: str) -> bool:
    """Whether a complaint may come of attributes that are no state yet."""
    if isinstance(op, (GetattrOp, SetattrOp)):
        return True
    return code in ("DY205", "DY299")


def _unbound(entry: FuncOp, inference: Inference) -> dict[object, CompileError]:
    """Reads of constants that some path gives no value to."""
    errors: dict[object, CompileError] = {}
    for inner, name in unbound_constants(entry, inference):
        place, (what, hint) = SourceLoc.of(inner), may_be_unbound(name)
        error = CompileError("DY303", what, place, hint=hint)
        errors.setdefault((what, place if place else inner), error)
    return errors


def _is_of_stand_in(op: Operation, environment: Environment) -> bool:
    """Whether a complaint is about what stands for an object of Python's.

    The user has no such line. It is set as long as what is around it is not settled, so
    beside other refusals it says nothing.
    """
    if not isinstance(op, (GetattrOp, SetattrOp)):
        return False
    owner = constant_value(op.operand)
    if not isinstance(owner, ObjectRef):
        return False
    if owner.path in environment.made:
        # What the object waits for is said where it stands.
        return isinstance(op, SetattrOp) or not has_no(op, owner, environment)
    return environment.class_name(owner.path).startswith(_STAND_INS)


_STAND_INS = "dycl.frontend.stand_ins."


def _changes_of_lists(entry: FuncOp) -> dict[Operation, Operation]:
    """For each change of a list the one that has to go: others follow from it.

    Of appending and anything else that is the other thing, as one may append; of
    changes always made and made on some paths only, one of the latter.
    """
    changes: dict[SSAValue, list[Operation]] = {}
    for op in walk(entry):
        is_change = isinstance(op, (InvokeOp, StoreSubscriptOp, InplaceOp))
        if is_change and _is_list(op.operands[0]):
            changes.setdefault(op.operands[0], []).append(op)
    result: dict[Operation, Operation] = {}
    for changed, ops in changes.items():
        others = [op for op in ops if not _appends(op)] or ops
        block = (
            changed.owner if isinstance(changed.owner, Block) else changed.owner.parent
        )
        deeper = [op for op in others if op.parent is not block]
        result |= dict.fromkeys(ops, (deeper or others)[0])
    return result


def _appends(op: Operation) -> bool:
    return isinstance(op, InvokeOp) and op.method.data in ("append", "extend")


def _complaint(op: Operation, environment: Environment) -> tuple[str, str, str] | None:
    """Code, what is wrong with an op and what to do, or None."""
    match op:
        case InvokeOp() if _is_shared(op.operands[0]) and is_read_by(op, 0):
            return (
                "DY301",
                "what this reads from a list or dict depends on the input",
                "look up numbers, texts, modules or tensors of one type, by numbers, "
                "texts or tuples of these",
            )
        case InvokeOp() | StoreSubscriptOp() | InplaceOp() if _is_shared(
            op.operands[0]
        ):
            return (
                "DY205",
                "this list or dict outlives the call",
                "make a new one in the function that changes it",
            )
        case InvokeOp() | StoreSubscriptOp() | InplaceOp() if _is_list(op.operands[0]):
            return (
                "DY205",
                "this changes a list or dict in a way that depends on the input",
                "change it by one name, item by item, not in a loop over it, or let "
                "all paths leave it with the same number of items",
            )
        case InvokeOp() if op.method.data in (ENTER, EXIT):
            return left_manager(op)
        case CallOp() | InvokeOp():
            return _call(op, environment)
        case ForOp() if _is_known_iterable(op.iterable) and of_set(op) is None:
            return (
                "DY299",
                "this loop over known items was not unrolled",
                "raise `max-trip-count` or `max-ops` of `dycl-unroll-loops`",
            )
        case ForOp():
            return of_set(op)
        case IfOp() | SwitchOp():
            return _choice(op)
        case RaiseOp() if isinstance(left := op.attributes.get(UNLISTED), StringAttr):
            return (
                "DY206",
                f"a call may leave the attribute `{left.data}` as something that is "
                "not known here",
                "set it to modules, objects and None, by this name only",
            )
        case SubscriptOp() if isinstance(constant_value(op.operand), ObjectRef):
            return _item_of_modules(op)
        case GetattrOp() if isinstance(constant_value(op.operand), ObjectRef):
            return of_attribute(op, environment)
        case SetattrOp():
            return of_setting(op)
        case _:
            return None


def _item_of_modules(op: SubscriptOp) -> tuple[str, str, str]:
    if (index := constant_value(op.index)) is not MISSING:
        hint = "they are numbered from 0, or have the names that they were given"
        return "DY201", f"there is no item {index!r} in these modules", hint
    return (
        "DY207",
        "which of these modules is meant depends on the input",
        "keep the index, an integer, and choose where the module is called: "
        "`self.layers[i](x)`",
    )


def _choice(op: IfOp | SwitchOp) -> tuple[str, str, str] | None:
    if isinstance(op, SwitchOp):
        return (
            "DY299",
            "this choice was not turned into ifs",
            "run `dycl-lower-switches`",
        )
    if not isinstance(op.condition.owner, ConstantOp):
        return None
    return (
        "DY299",
        "this `if` is decided without the input, but was not removed",
        "run `dycl-simplify-control`",
    )


def _is_shared(value: SSAValue) -> bool:
    return isinstance(constant_value(value), (list, dict))


def _is_list(value: SSAValue) -> bool:
    return isinstance(value.owner, (ListOp, DictOp)) or is_given_list(value)


def _call(
    op: CallOp | InvokeOp, environment: Environment
) -> tuple[str, str, str] | None:
    if op.is_starred:
        what = "what `*` or `**` stands for in this call depends on the input"
        return "DY106", what, "pass each argument by name or position"
    if GENERATOR in op.attributes:
        readers = [use.operation for result in op.results for use in result.uses]
        if any(isinstance(reader, ReturnOp) for reader in readers):
            what = "this gives the caller a generator"
            return "DY103", what, "return a list: `[...]`, or `list(...)` of it"
        return (
            "DY103",
            "how far this generator has gone is not known where it is read",
            "go over it in one `for` loop, or make a list of it: `list(...)`",
        )
    if RECURSION in op.attributes:
        return (
            "DY203",
            "no constant ends this recursion, and its function was not kept",
            "run `dycl-keep-recursion`, or write it as a loop",
        )
    match callee := constant_value(op.operands[0]):
        case FunctionRef(symbol) | MethodRef(symbol, _):
            function = symbol
        case ObjectRef(path) if not environment.is_leaf(path):
            function = environment.class_name(path)
        case UnsupportedRef(reason):
            hint = remedy(reason, "call functions of torch")
            return "DY201", f"this calls {reason}", hint
        case _:
            return None
    if isinstance(callee, ObjectRef) and callee.path.startswith("class "):
        kind = callee.path.rpartition(".")[2]
        if environment.enum_members(callee) is not None:
            what = f"which member of `{kind}` this is depends on the input"
            return "DY201", what, "choose it by `if`"
        what = f"`{kind}` makes a new object in a loop that the data ends"
        return "DY201", what, "make it in front of the loop, or use local variables"
    if awaited(op) is not None:
        what = f"this calls `{awaited(op)}`, which is not in the module"
        return "DY201", what, "add it, or compile the model from its Python source"
    hint = "run `dycl-inline-calls`"
    return "DY201", f"the call of `{function}` was not inlined", hint


def _is_known_iterable(value: SSAValue) -> bool:
    if isinstance(value.owner, ConstantOp):
        return not isinstance(constant_value(value), UnsupportedRef)
    return isinstance(value.owner, (TupleOp, ListOp))
