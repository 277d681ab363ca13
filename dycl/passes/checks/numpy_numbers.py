"""Numbers that NumPy gives: what differs between them and Python's is refused.

A compiled network has Python's numbers in their location. Comparing them, adding and
multiplying them, and forwarding them to torch or `math` gives the same. Dividing by
zero, powers, `round` to a digit and arithmetic on truths do not.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CallOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    UnaryOp,
)
from dycl.ir.arrays import ArrayConstant
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.number_functions import NUMPY, SUM, function
from dycl.ir.torch import BoolT, VTensorType
from dycl.ir.walking import walk

_DIVISIONS = ("truediv", "floordiv", "mod")
_LINEAR = ("add", "sub", "mul")
_MAKING = ("torch.tensor", "torch.as_tensor", "torch.asarray")
_KEEPING = ("builtins.abs", "builtins.max", "builtins.min", SUM)


def numpy_numbers(entry: FuncOp) -> set[SSAValue]:
    """The values that are NumPy's numbers in eager, or hold some."""
    numbers: set[SSAValue] = {op.results[0] for op in walk(entry) if _gives_one(op)}
    waiting = list(numbers)
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            for result in _derived(use.operation):
                if result not in numbers and not isinstance(result.type, VTensorType):
                    numbers.add(result)
                    waiting.append(result)
    return numbers


def _gives_one(op: Operation) -> bool:
    if isinstance(op, ConstantOp):
        return isinstance(constant_value(op.result), ArrayConstant)
    return isinstance(op, BuiltinOp) and op.function.data in NUMPY


def _derived(op: Operation) -> list[SSAValue]:
    """The results that may be what an op was given."""
    if op.has_trait(IsTerminator):
        result: list[SSAValue] = []
        parent = op.parent_op()
        while parent is not None and not isinstance(parent, FuncOp):
            result += parent.results
            result += [
                a for r in parent.regions for block in r.blocks for a in block.args
            ]
            parent = parent.parent_op()
        return result
    name = _function(op)
    if name and name not in _KEEPING:
        return []
    return list(op.results)


def _function(op: Operation) -> str:
    if isinstance(op, BuiltinOp):
        return op.function.data
    return constant_name(op.callee) if isinstance(op, CallOp) else ""


def as_numpy(op: Operation, numpys: set[SSAValue]) -> tuple[str, str, str] | None:
    """Code, what NumPy does otherwise here, and what to do; None: nothing."""
    if not numpys or not any(v in numpys for v in op.operands):
        return None
    what = None
    if (narrow := _narrow(op)) is not None:
        what = f"this is computed in {narrow}"
    elif isinstance(op, (BinaryOp, InplaceOp)):
        if any(isinstance(v.type, VTensorType) for v in (op.lhs, op.rhs)):
            return None
        truths = any(v in numpys and v.type == BoolT for v in (op.lhs, op.rhs))
        if isinstance(op, InplaceOp) and _is_array(op.lhs):
            return "DY301", "an array of NumPy's is changed", "make it a tensor first"
        if op.kind_name in _DIVISIONS:
            what = None if _is_not_zero(op.rhs) else "dividing by zero raises nothing"
        elif op.kind_name not in _LINEAR:
            what = "this gives another number"
        elif truths:
            what = "a bool is not a number"
    elif isinstance(op, UnaryOp) and op.kind_name == "invert":
        what = "this gives another number"
    elif _function(op) in _MAKING and isinstance(op, CallOp):
        is_known = MISSING not in map(constant_value, op.operands)
        if not is_known and "dtype" not in op.keyword_names:
            what = "the tensor is of another dtype"
    elif _function(op) == "builtins.round" and len(op.operands) > 2:
        what = "rounding to a digit gives another number"
    if what is None:
        return None
    return "DY301", f"with a NumPy number, {what}", "convert it first: `float(v)`"


def _narrow(op: Operation) -> str | None:
    """The dtype to which NumPy rounds what it computes of numbers; None: to none."""
    if isinstance(op, CallOp) and not constant_name(op.callee).startswith("builtins."):
        return None
    if not isinstance(op, (BinaryOp, BuiltinOp, CallOp, CompareOp, InplaceOp)):
        return None
    if any(isinstance(v.type, VTensorType) for v in op.operands):
        return None
    for operand in op.operands:
        number = constant_value(operand)
        if isinstance(number, ArrayConstant) and number.shape is None:
            return None if number.is_plain else number.dtype
    return None


def _is_array(value: SSAValue) -> bool:
    constant = constant_value(value)
    return isinstance(constant, ArrayConstant) and constant.shape is not None


def _is_not_zero(value: SSAValue) -> bool:
    """Whether a number is known, and not 0: a constant, or `np.sqrt(64)`."""
    owner, number = value.owner, constant_value(value)
    if isinstance(number, ArrayConstant) and number.shape is None:
        number = number.number
    if isinstance(owner, BuiltinOp) and owner.function.data in NUMPY:
        given = [constant_value(v) for v in owner.arguments]
        if MISSING not in given:
            number = function(owner.function.data)(*given)
    return isinstance(number, (int, float)) and number != 0
