"""Objects that are gone over: by `__iter__`, or by number.

Before                    After
------                    -----
dycl.for %i in %net {     %l = dycl.invoke %net "__iter__"()
  %y = dycl.call %f(%i)   dycl.for %i in %l {
}                           %y = dycl.call %f(%i)
dycl.return %none         }
                          dycl.return %none
"""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dycl.ir import CallOp, ForOp, InvokeOp, UnpackOp
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.values import FunctionRef
from dycl.prelude import ITEMS, NEXT_ITEMS, OWN_PAIRS, PAIRS

Has = Callable[[SSAValue, str], bool]
"""Whether a value is an object whose class has this method of the user's."""


def iterate(op: ForOp | UnpackOp, has: Has) -> None:
    """What `for`, or `a, b = v`, goes over is what the methods of the object give."""
    if (items := _items(op, op.operands[0], has)) is not None:
        op.operands[0] = items


def iterate_arguments(op: CallOp, has: Has) -> None:
    """The same for what a function of Python goes over."""
    name = constant_name(op.callee)
    if name == "builtins.reversed" and len(op.positional) == 1:
        items = _reversible(op, op.positional[0], has)
        op.operands[1] = op.positional[0] if items is None else items
    if name not in _GO_OVER or op.is_starred:
        return
    for index, value in enumerate(op.positional, 1):
        if name == "builtins.dict" and (pairs := _pairs(op, value, has)) is not None:
            op.operands[index] = pairs
            continue
        if (items := _items(op, value, has)) is not None:
            op.operands[index] = items


def _reversible(op: Operation, value: SSAValue, has: Has) -> SSAValue | None:
    """What `reversed` goes over from its end."""
    if has(value, "__reversed__"):
        return None
    if has(value, "__getitem__") and has(value, "__len__"):
        items = insert_constant(op, FunctionRef(ITEMS))
        return insert_value(op, CallOp(items, [value]))
    return None


def _pairs(op: Operation, value: SSAValue, has: Has) -> SSAValue | None:
    """The entries of an object that is a mapping."""
    if has(value, OWN_PAIRS):
        return insert_value(op, InvokeOp(value, OWN_PAIRS, []))
    if has(value, "keys") and has(value, "__getitem__"):
        pairs = insert_constant(op, FunctionRef(PAIRS))
        return insert_value(op, CallOp(pairs, [value]))
    return None


def _items(op: Operation, value: SSAValue, has: Has) -> SSAValue | None:
    if has(value, "__next__") and has(value, "__iter__"):
        value = insert_value(op, InvokeOp(value, "__iter__", []))
        items = insert_constant(op, FunctionRef(NEXT_ITEMS))
        return insert_value(op, CallOp(items, [value]))
    if has(value, "__iter__"):
        return insert_value(op, InvokeOp(value, "__iter__", []))
    if has(value, "__getitem__") and has(value, "__len__"):
        items = insert_constant(op, FunctionRef(ITEMS))
        return insert_value(op, CallOp(items, [value]))
    return None


_GO_OVER = frozenset(
    f"builtins.{name}"
    for name in (
        *("all", "any", "dict", "enumerate", "iter", "list", "max", "min", "set"),
        *("sorted", "sum", "tuple", "zip"),
    )
)
