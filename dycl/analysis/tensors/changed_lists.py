"""Lists and dicts that code may have changed since they were made.

What such a list holds is not known any more, nor what is read from it. It is found by
its identity: the walk over a program keeps each list that it has met.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import children, is_container
from dycl.ir import CallOp, InplaceOp, InvokeOp
from dycl.ir.environment import Environment
from dycl.ir.values import GlobalRef, ObjectRef

_READ_ONLY_METHODS = ("get", "copy", "keys", "values", "items", "index", "count")


class ChangedLists:
    """Which abstract lists and dicts are not known any more."""

    def __init__(self):
        self._changed: dict[int, object] = {}

    def add(self, values: Iterable[object]) -> None:
        """All lists and dicts that can be reached from `values` may have changed."""
        stack = list(values)
        while stack:
            value = stack.pop()
            if is_container(value):
                if isinstance(value, (list, dict)):
                    self._changed[id(cast(object, value))] = cast(object, value)
                stack += children(value)

    def hold(self, value: object) -> bool:
        """Whether a value is, or contains, a list that may have changed."""
        return bool(self._changed) and self._hold(value)

    def _hold(self, value: object) -> bool:
        if not is_container(value):
            return False
        return id(value) in self._changed or any(map(self._hold, children(value)))


def may_change_lists(
    op: Operation, operands: Sequence[object], environment: Environment
) -> bool:
    """Whether an op may change lists or dicts among its operands, or inside of them."""
    if not isinstance(op, (CallOp, InvokeOp, InplaceOp)):
        return False
    match op, operands:
        case InvokeOp(), [list() | dict(), *_]:
            return op.method.data not in _READ_ONLY_METHODS
        case InplaceOp(), [list() | dict(), *_]:
            return True
        case ((CallOp() | InvokeOp()), [ObjectRef(path), *_]):
            return not environment.is_leaf(path)
        case CallOp(), [callee, *_]:
            return not isinstance(callee, GlobalRef)
        case _:
            return False
