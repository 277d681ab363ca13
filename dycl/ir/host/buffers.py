"""Buffers of the host: where they come from, and the kernels that fill them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
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
from dycl.ir.host.types import (
    NUMBERS,
    BufferType,
    count,
    why_not_a_buffer,
)


@irdl_op_definition
class ParamOp(IRDLOperation, metaclass=ByType):
    """A parameter or buffer of the model, by its name in the state dict."""

    name = "host.param"
    path = prop_def(StringAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$path attr-dict `:` type($result)"

    def __init__(self, path: str, result_type: BufferType):
        super().__init__(
            properties={"path": StringAttr(path)}, result_types=[result_type]
        )


@irdl_op_definition
class AllocOp(IRDLOperation, metaclass=ByType):
    """A buffer for the output of one launch.

    Its content lasts until the next call of the host function, so a host may keep one
    piece of memory for it; what the function returns is copied out.
    """

    name = "host.alloc"
    result = result_def(MemRefType)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: BufferType):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class ViewOp(IRDLOperation, metaclass=ByType):
    """The same memory in another shape."""

    name = "host.view"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, result_type: BufferType):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        before, after = self.operand.type, self.result.type
        assert isinstance(before, MemRefType)
        assert isinstance(after, MemRefType)
        sizes = {count(before), count(after)} - {None}
        if not _are_one_memory(before, after) or len(sizes) > 1:
            raise VerifyException(f"{before} cannot be seen as {after}")


@irdl_op_definition
class CastOp(IRDLOperation, metaclass=ByType):
    """The same memory under a type that says more of its sizes, or less."""

    name = "host.cast"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, result_type: BufferType):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        before, after = self.operand.type, self.result.type
        assert isinstance(before, MemRefType)
        assert isinstance(after, MemRefType)
        if not _are_one_memory(before, after) or not _fit(before, after):
            raise VerifyException(f"{before} cannot be cast to {after}")


def _are_one_memory(one: BufferType, other: BufferType) -> bool:
    """Whether two buffers may be the same elements in the same memory."""
    spaces = one.memory_space, other.memory_space
    return one.element_type == other.element_type and spaces[0] == spaces[1]


def _fit(one: BufferType, other: BufferType) -> bool:
    """Whether the shapes may be those of one tensor: equal where both are known."""
    sizes, others = one.get_shape(), other.get_shape()
    return len(sizes) == len(others) and all(
        a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(sizes, others, strict=True)
    )


@irdl_op_definition
class KeepOp(IRDLOperation, metaclass=ByType):
    """A copy of a buffer, for the next iteration of a loop.

    A launch fills the same buffer in every iteration, so what is carried to the next
    one is copied out. The copy lasts until the second next time that this op is run:
    by then the iteration that it was for is over. A host may so do with two pieces of
    memory, filled by turns.
    """

    name = "host.keep"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[operand.type])

    def verify_(self) -> None:
        if self.operand.type != self.result.type:
            raise VerifyException("host.keep gives a buffer of the type that it takes")


@irdl_op_definition
class ReadOp(IRDLOperation, metaclass=ByType):
    """The only element of a buffer as a number (`t.item()`)."""

    name = "host.read"
    operand = operand_def(MemRefType)
    result = result_def()
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        buffer = self.operand.type
        assert isinstance(buffer, MemRefType)
        if count(buffer) not in (1, None):
            raise VerifyException(f"host.read needs one element, {buffer} has more")
        if self.result.type not in NUMBERS:
            raise VerifyException(f"host.read gives a number, not {self.result.type}")


@irdl_op_definition
class LaunchOp(IRDLOperation, metaclass=ByType):
    """Run a kernel of this module: it reads `ins` and fills every buffer of `outs`."""

    name = "host.launch"
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def()
    outputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$kernel `ins` `(` ($inputs^ `:` type($inputs))? `)` "
        "`outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict"
    )

    def __init__(
        self,
        kernel: str,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
    ):
        super().__init__(
            operands=[inputs, outputs], properties={"kernel": SymbolRefAttr(kernel)}
        )

    @property
    def kernel_name(self) -> str:
        """The kernel's symbol."""
        return self.kernel.root_reference.data

    def verify_(self) -> None:
        for value in self.inputs:
            if not isinstance(value.type, MemRefType) and value.type not in NUMBERS:
                raise VerifyException(
                    f"a kernel reads buffers and numbers, not {value.type}"
                )
        for value in (*self.inputs, *self.outputs):
            if isinstance(value.type, MemRefType) and (
                why := why_not_a_buffer(value.type)
            ):
                raise VerifyException(f"{value.type} {why}")
