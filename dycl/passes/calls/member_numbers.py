"""Members of an `IntEnum`, and their like, beside what a run knows: their numbers.

Before                          After
------                          -----
%p = dycl.compare lt %n, %high  %p = dycl.compare lt %n, %two
dycl.return %p                  dycl.return %p

Which object a member is, no number of a run tells: operators see the number, or text.
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir import BinaryOp, CompareOp, InplaceOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.methods import COMPARED, OPERATORS
from dycl.ir.rewriting import insert_constant
from dycl.ir.torch import BoolT, FloatT, IntT, StrT, VTensorType
from dycl.ir.values import ObjectRef

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
