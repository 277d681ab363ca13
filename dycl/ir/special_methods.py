"""Which methods of a class Python calls for an op on one of its objects."""

from xdsl.ir import Operation

from dycl.ir.constant_values import constant_name
from dycl.ir.dialect import (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    InplaceOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.dialect.calls import CallLike
from dycl.ir.methods import BUILTINS, COMPARED, UNARY

_ITERATED = ("__iter__",)


def special_methods(op: Operation, index: int) -> tuple[str, ...]:
    """The names of the methods that an op may call on its operand of this number."""
    match op:
        case CompareOp() if op.kind_name in ("in", "not_in"):
            return ("__contains__", *_ITERATED) if index == 1 else ("__eq__",)
        case CompareOp() if op.kind_name in COMPARED:
            kind = op.kind_name
            return (f"__{kind}__", f"__{COMPARED[kind]}__", "__eq__")
        case BinaryOp() | InplaceOp():
            kind = op.kind_name
            return (f"__{kind}__", f"__r{kind}__", f"__i{kind}__")
        case UnaryOp() if op.kind_name == "not":
            return ("__bool__", "__len__")
        case UnaryOp() if op.kind_name in UNARY:
            return (UNARY[op.kind_name],)
        case SubscriptOp():
            return ("__getitem__",) if index == 0 else ("__index__",)
        case ToBoolOp():
            return ("__bool__", "__len__")
        case UnpackOp() | ForOp():
            return _ITERATED
        case CallOp() if index == 0:
            return ("__call__",)
        case CallOp() if constant_name(op.callee) == "builtins.len":
            return ("__len__",)
        case CallLike():
            own = BUILTINS.get(constant_name(op.operands[0]).removeprefix("builtins."))
            return (*_ITERATED, *([own] if own else []))
        case _:
            return ()
