"""A call of an enum's class gives the member that has the value.

Before                      After
------                      -----
%m = dycl.call %Level(%two) dycl.return %high
dycl.return %m

Beside a number of a run, operators see the number that a member of an `IntEnum` is.
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.diag import remark
from dycl.ir import BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.methods import COMPARED, OPERATORS
from dycl.ir.rewriting import insert_constant, replace
from dycl.ir.torch import BoolT, FloatT, IntT, StrT, VTensorType
from dycl.ir.values import ObjectRef
from dycl.passes.calls.refusals import Refused, name_of

_PLAIN = (bool, int, float, str, tuple)


def choose_member(
    op: CallOp | InvokeOp,
    callee: ObjectRef,
    members: Sequence[tuple[object, ObjectRef]],
) -> None:
    """Replace the call where its argument is known. Refused: no member has it."""
    if len(op.positional) != 1 or op.keyword_arguments or op.is_starred:
        what = f"{name_of(callee)} is called with more than a value"
        raise Refused("DY201", what, "give it the value of a member")
    value = constant_value(op.positional[0])
    if value is MISSING:
        remark(op, "not inlined", "which member this is is not known")
        return
    for known, member in members:
        if value == member or (isinstance(known, _PLAIN) and known == value):
            replace(op, [insert_constant(op, member)])
            return
    what = f"no member of {name_of(callee)} is known to have this value"
    raise Refused("DY201", what, "eager may raise ValueError here: give it another")


_FLAG = "enum.Flag"


def see_numbers(op: Operation, environment: Environment) -> None:
    """Give an operator, beside a value of a run, the number that a member is.

    Left alone: flags, whose operators give flags, and classes with operators of the
    user's.
    """
    if not isinstance(op, (BinaryOp, CompareOp, InplaceOp)):
        return
    if isinstance(op, CompareOp) and op.kind_name not in COMPARED:
        return
    for place, other in ((0, op.rhs), (1, op.lhs)):
        number = _number(op.operands[place], environment)
        if number is not MISSING and _is_of_run(other):
            op.operands[place] = insert_constant(op, number)


def _number(value: SSAValue, environment: Environment) -> object:
    """The number or text that a constant object is, besides being an object."""
    owner = constant_value(value)
    if not isinstance(owner, ObjectRef):
        return MISSING
    members = environment.members(owner.path)
    if "__data__" not in members or _FLAG in environment.classes(owner):
        return MISSING
    # `__eq__` is True where it is that of the number or text.
    if any(members.get(name, True) is not True for name in OPERATORS):
        return MISSING
    return members["__data__"]


def _is_of_run(value: SSAValue) -> bool:
    is_typed = value.type in _NUMBERS or isinstance(value.type, VTensorType)
    return is_typed and constant_value(value) is MISSING


_NUMBERS = (BoolT, FloatT, IntT, StrT)
