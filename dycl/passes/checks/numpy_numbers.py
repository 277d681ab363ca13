"""Numbers that NumPy gives: what differs between them and Python's is refused.

A compiled network has Python's numbers in their location. Comparing them, adding and
multiplying them, and forwarding them to torch or `math` gives the same. Dividing by
zero, powers, `round` to a digit and arithmetic on truths do not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(frozen=True)
class NumpyNumbers:
    """The values that are NumPy's numbers in eager, or hold some."""

    all: set[SSAValue]
    narrow: set[SSAValue]
    """Those that NumPy computes with in fewer bits than Python."""


def numpy_numbers(entry: FuncOp) -> NumpyNumbers:
    """Those of a function's body."""
    sources = [op for op in walk(entry) if _gives_one(op)]
    return NumpyNumbers(_reached(sources), _reached(filter(_is_narrow, sources)))


def _reached(sources: Iterable[Operation]) -> set[SSAValue]:
    """What ops give, and what may be that, or is computed of it."""
    numbers: set[SSAValue] = {op.results[0] for op in sources}
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


def _is_narrow(op: Operation) -> bool:
    number = constant_value(op.results[0])
    if not isinstance(number, ArrayConstant) or number.shape is not None:
        return False
    return not number.is_plain


def _derived(op: Operation) -> list[SSAValue]:
    """The results that may be what an op was given."""
    if op.has_trait(IsTerminator):
        result: list[SSAValue] = []
        parent = op.parent_op()
        while parent is not None and not isinstance(parent, FuncOp):
            result += [*parent.results, *_arguments(parent)]
            parent = parent.parent_op()
        return result
    name = _function(op)
    if name and name not in _KEEPING:
        return []
    return [*op.results, *_arguments(op)]


def _arguments(op: Operation) -> list[SSAValue]:
    """What the regions of an op are entered with."""
    return [a for r in op.regions for block in r.blocks for a in block.args]


def _function(op: Operation) -> str:
    if isinstance(op, BuiltinOp):
        return op.function.data
    return constant_name(op.callee) if isinstance(op, CallOp) else ""


def as_numpy(op: Operation, found: NumpyNumbers) -> tuple[str, str, str] | None:
    """Code, what NumPy does otherwise here, and what to do; None: nothing."""
    numpys = found.all
    if not numpys or not any(v in numpys for v in op.operands):
        return None
    what = None
    if _computes(op) and any(v in found.narrow for v in op.operands):
        what = "this is computed in fewer bits"
    elif isinstance(op, (BinaryOp, InplaceOp)):
        if any(isinstance(v.type, VTensorType) for v in (op.lhs, op.rhs)):
            return None
        truths = any(v in numpys and v.type == BoolT for v in (op.lhs, op.rhs))
        if isinstance(op, InplaceOp) and _is_array(op.lhs):
            return "DY309", "an array of NumPy's is changed", "make it a tensor first"
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
    return "DY309", f"with a NumPy number, {what}", "convert it first: `float(v)`"


def _computes(op: Operation) -> bool:
    """Whether an op computes a number of numbers, or compares them."""
    if isinstance(op, CallOp) and not constant_name(op.callee).startswith("builtins."):
        return False
    if not isinstance(op, (BinaryOp, BuiltinOp, CallOp, CompareOp, InplaceOp)):
        return False
    return not any(isinstance(v.type, VTensorType) for v in op.operands)


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
