"""What is chosen: an element is a constant or a value of the program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Attribute, SSAValue

from dycl.ir import ConstantOp
from dycl.ir.constant_values import constant_value
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import NotAConstant, ParamRef, TensorConstant, to_attr

PLAIN = (bool, int, float, str, type(None))
"""What a network returns as it is."""


@dataclass(frozen=True)
class Constant:
    """An element that is known at compile time."""

    value: object


Element = Constant | SSAValue


def is_attribute(value: object) -> bool:
    """Whether the IR has a constant for a value."""
    try:
        to_attr(value)
    except NotAConstant:
        return False
    return True


def can_be_made(value: object) -> bool:
    """Whether constants, slices and tuples of them give this value."""
    if isinstance(value, slice):
        return all(map(is_attribute, (value.start, value.stop, value.step)))
    if type(value) is tuple:
        return all(map(can_be_made, cast("tuple[object, ...]", value)))
    return is_attribute(value)


def is_joinable(elements: Sequence[Element]) -> bool:
    """Whether one value can be any of them: numbers of a kind, tensors of a type."""
    kinds = {_kind(e) for e in elements}
    return len(kinds) == 1 and None not in kinds


def is_plain(elements: Sequence[Element]) -> bool:
    """Whether all are texts, numbers or None: what a network returns as it is."""
    values = (
        constant_value(element) if isinstance(element, SSAValue) else element.value
        for element in elements
    )
    return all(isinstance(value, PLAIN) for value in values)


def _kind(element: Element) -> object:
    """What two elements must have in common; None for what is no tensor or number."""
    if isinstance(element, SSAValue):
        if isinstance(element.owner, ConstantOp):
            return _kind(Constant(constant_value(element)))
        typed = isinstance(element.type, VTensorType)
        return element.type if typed or element.type in (IntT, BoolT, FloatT) else None
    match element.value:
        case ParamRef(_, shape, dtype) | TensorConstant(shape, dtype):
            return VTensorType.of(shape, dtype)
        case value:
            return number_type(value)


def number_type(value: object) -> Attribute | None:
    """The type of a Python number in the IR; None: it is no number."""
    match value:
        case bool():
            return BoolT
        case int():
            return IntT
        case float():
            return FloatT
        case _:
            return None
