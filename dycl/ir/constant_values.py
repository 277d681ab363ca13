"""What a value is known to be: constants as the Python values they stand for."""

from xdsl.ir import SSAValue

from dycl.ir.dialect.operators import ConstantOp
from dycl.ir.values import GlobalRef, NotAConstant, from_attr

MISSING = object()


def constant_value(value: SSAValue) -> object:
    """The Python value of a constant; of any other value MISSING, of no type."""
    owner = value.owner
    if not isinstance(owner, ConstantOp):
        return MISSING
    try:
        return from_attr(owner.value)
    except NotAConstant:
        return MISSING


def constant_name(value: SSAValue) -> str:
    """The full name of the function, class or module of a library; "" of all else."""
    constant = constant_value(value)
    return constant.name if isinstance(constant, GlobalRef) else ""
