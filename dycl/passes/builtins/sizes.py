"""Sizes that a program keeps in tensors: `F.pad(x, [d // 2, d - d // 2])`.

torch takes the int out of a tensor of one element where it wants ints, so one that is
known is that int (U-Nets compute their padding so); of another one it is read.
"""

from math import prod
from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.ir import CallOp, InvokeOp, ListOp, TupleOp
from dycl.ir.constant_values import constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.values import TensorConstant
from dycl.passes.builtins.items import Site

_INTS = ("int8", "int16", "int32", "int64", "uint8")


def padding(site: Site, op: CallOp) -> bool:
    """Ints in place of known tensors of one element in `pad=[...]`."""
    changed = False
    for position, value in enumerate(op.operands):
        owner, constant = value.owner, constant_value(value)
        if isinstance(owner, (ListOp, TupleOp)):
            items = [_as_int(site, item) for item in owner.items]
            if items != list(owner.items):
                op.operands[position] = site.add(type(owner)(items))
                changed = True
        elif isinstance(constant, (list, tuple)):
            numbers = [_int_of(number) for number in cast(list[object], constant)]
            if None not in numbers and numbers != list(cast(list[object], constant)):
                op.operands[position] = site.constant(numbers)
                changed = True
    return changed


SIZED_CALLS = frozenset(
    f"torch.{name}" for name in ("arange", "empty", "eye", "ones", "zeros")
)
SIZED_METHODS = frozenset(
    (
        *("expand", "narrow", "new_empty", "new_ones", "new_zeros", "repeat"),
        *("reshape", "unflatten", "view"),
    )
)
"""What wants ints for all arguments but a tensor to begin with."""


def read_sizes(site: Site, op: CallOp | InvokeOp) -> None:
    """Ints in place of tensors of one int: `torch.zeros(n)`, `x.view(n, -1)`."""
    for position, value in enumerate(op.operands):
        if position == 0:
            continue  # the function, or the tensor
        owner = value.owner
        if isinstance(owner, (ListOp, TupleOp)):
            items = [_read(site, item) for item in owner.items]
            if items != list(owner.items):
                op.operands[position] = site.add(type(owner)(items))
        elif (read := _read(site, value)) is not value:
            op.operands[position] = read


def _read(site: Site, value: SSAValue) -> SSAValue:
    tensor = from_type(value.type)
    if not isinstance(tensor, Tensor) or not tensor.is_static:
        return value
    if prod(tensor.sizes) != 1 or dtype_name(tensor.dtype) not in _INTS:
        return value
    result = _as_int(site, value)
    return site.add(InvokeOp(value, "item", [])) if result is value else result


def _as_int(site: Site, value: SSAValue) -> SSAValue:
    constant = constant_value(value)
    number = _int_of(constant) if isinstance(constant, TensorConstant) else None
    return value if number is None else site.constant(number)


def _int_of(value: object) -> int | None:
    """The int that torch takes for a value; None: none."""
    if not isinstance(value, TensorConstant):
        return value if isinstance(value, int) else None
    if len(value.data) != 1 or dtype_name(value.dtype) not in _INTS:
        return None
    return int(value.data[0])
