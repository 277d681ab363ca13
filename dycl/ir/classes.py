"""Metaclasses of our ops, attributes and types: what passes ask of them is cheap.

xDSL's bases are abstract classes, so Python asks `ABCMeta` for each `isinstance` and
each `case` that does not hold, and passes ask some ten million times. No class here has
virtual subclasses (`ABCMeta.register`), so the answer of `type` is the same.

What `operand_def` and `result_def` define is looked up by xDSL in five calls each time
it is read: the list it is in, a view of that, and a tuple of a class of its own. One
that always has the same place is read from there.
"""

from abc import ABCMeta
from collections.abc import Callable
from typing import Any

from xdsl.ir import SSAValue
from xdsl.irdl import VarIRConstruct
from xdsl.irdl.operations import BaseAccessor, BeforeVariadicSingleAccessor


class ByType(ABCMeta):
    """An abstract class whose `isinstance` is that of a plain one."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __setattr__(cls, name: str, value: Any) -> None:
        """Take what `irdl_op_definition` sets; an accessor as one that is direct."""
        if type(value) is BeforeVariadicSingleAccessor:
            direct = _DIRECT.get(value.construct)
            value = value if direct is None else direct(value.construct, value.idx)
        super().__setattr__(name, value)


_item = tuple[SSAValue, ...].__getitem__


class _Operand(BeforeVariadicSingleAccessor):
    """The operand of a fixed number."""

    def __get__(self, obj: Any, objtype: type | None = None) -> SSAValue:
        return _item(obj._operands, self.idx)


class _Result(BeforeVariadicSingleAccessor):
    """The result of a fixed number."""

    def __get__(self, obj: Any, objtype: type | None = None) -> SSAValue:
        return _item(obj.results, self.idx)


_DIRECT: dict[VarIRConstruct, Callable[[VarIRConstruct, int], BaseAccessor]] = {
    VarIRConstruct.OPERAND: _Operand,
    VarIRConstruct.RESULT: _Result,
}
