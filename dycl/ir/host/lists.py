"""Lists of the host, whose length a run decides: values, made anew by each op."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    LocationAttr,
    MemRefType,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.host.types import NUMBERS, ListType


def _element(value: SSAValue) -> Attribute:
    assert isinstance(value.type, ListType)
    return value.type.element


@irdl_op_definition
class ListOp(IRDLOperation, metaclass=ByType):
    """A list of these items. Buffers are copied: what fills them may fill them anew."""

    name = "host.list"
    items = var_operand_def()
    result = result_def(ListType)
    assembly_format = "`(` ($items^ `:` type($items))? `)` attr-dict `->` type($result)"

    def __init__(
        self,
        items: Sequence[SSAValue],
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__(operands=[items], result_types=[result_type])
        self.location = location

    def verify_(self) -> None:
        for item in self.items:
            if item.type != _element(self.result):
                raise VerifyException(f"{self.result.type} cannot hold {item.type}")


@irdl_op_definition
class AppendOp(IRDLOperation, metaclass=ByType):
    """A list with one more item; the list itself stays as it is. Buffers are copied."""

    name = "host.append"
    items = operand_def(ListType)
    value = operand_def()
    result = result_def(ListType)
    assembly_format = (
        "$items `,` $value attr-dict `:` `(` type($items) `,` type($value) `)` "
        "`->` type($result)"
    )

    def __init__(self, items: SSAValue, value: SSAValue, *, location: LocationAttr):
        super().__init__(operands=[items, value], result_types=[items.type])
        self.location = location

    def verify_(self) -> None:
        if (
            self.value.type != _element(self.items)
            or self.result.type != self.items.type
        ):
            raise VerifyException(f"{self.items.type} cannot hold {self.value.type}")


@irdl_op_definition
class ExtendOp(IRDLOperation, metaclass=ByType):
    """A list with the items of another at its end; both stay as they are."""

    name = "host.extend"
    items = operand_def(ListType)
    other = operand_def(ListType)
    result = result_def(ListType)
    traits = traits_def(Pure())
    assembly_format = (
        "$items `,` $other attr-dict `:` `(` type($items) `,` type($other) `)` "
        "`->` type($result)"
    )

    def __init__(self, items: SSAValue, other: SSAValue, *, location: LocationAttr):
        super().__init__(operands=[items, other], result_types=[items.type])
        self.location = location

    def verify_(self) -> None:
        if {self.other.type, self.result.type} != {self.items.type}:
            raise VerifyException(f"{self.items.type} is not {self.other.type}")


@irdl_op_definition
class LengthOp(IRDLOperation, metaclass=ByType):
    """How many items a list has."""

    name = "host.length"
    items = operand_def(ListType)
    result = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$items attr-dict `:` type($items) `->` type($result)"

    def __init__(self, items: SSAValue, *, location: LocationAttr):
        super().__init__(operands=[items], result_types=[i64])
        self.location = location


@irdl_op_definition
class GetOp(IRDLOperation, metaclass=ByType):
    """An item, counted from the end if below 0. There may be none: IndexError."""

    name = "host.get"
    items = operand_def(ListType)
    index = operand_def(i64)
    result = result_def()
    assembly_format = (
        "$items `[` $index `]` attr-dict `:` `(` type($items) `,` type($index) `)` "
        "`->` type($result)"
    )

    def __init__(self, items: SSAValue, index: SSAValue, *, location: LocationAttr):
        super().__init__(operands=[items, index], result_types=[_element(items)])
        self.location = location

    def verify_(self) -> None:
        if self.result.type != _element(self.items):
            raise VerifyException(f"an item of {self.items.type} is another type")


@irdl_op_definition
class ConcatOp(IRDLOperation, metaclass=ByType):
    """New memory with all items: tensors along `dim`, or the numbers of a list.

    `stack` makes the dimension, `cat` has it. It raises what torch raises for an empty
    list, or for tensors that do not fit; but there may be no numbers for an `index`.
    """

    name = "host.concat"
    KINDS: ClassVar[tuple[str, ...]] = ("stack", "cat", "tensor", "index")
    kind = prop_def(StringAttr)
    dim = prop_def(IntegerAttr)
    items = operand_def(ListType)
    result = result_def(MemRefType)
    assembly_format = (
        "$kind $items `dim` $dim attr-dict `:` type($items) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        items: SSAValue,
        dim: int,
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[items],
            properties={"kind": StringAttr(kind), "dim": IntegerAttr(dim, i64)},
            result_types=[result_type],
        )
        self.location = location

    def verify_(self) -> None:
        is_numbers = _element(self.items) in NUMBERS
        if self.kind.data not in self.KINDS or is_numbers != (
            self.kind.data in ("tensor", "index")
        ):
            raise VerifyException(
                f"host.concat cannot {self.kind.data} {self.items.type}"
            )


@irdl_op_definition
class ToListOp(IRDLOperation, metaclass=ByType):
    """The numbers in a buffer as a list, of lists for each row."""

    name = "host.tolist"
    operand = operand_def(MemRefType)
    result = result_def(ListType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(
        self, operand: SSAValue, result_type: Attribute, *, location: LocationAttr
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location

    def verify_(self) -> None:
        assert isinstance(self.operand.type, MemRefType)
        found: Attribute = self.result.type
        for _ in self.operand.type.get_shape():
            if not isinstance(found, ListType):
                break
            found = found.element
        else:
            if found in NUMBERS:
                return
        raise VerifyException(f"{self.operand.type} is no {self.result.type}")
