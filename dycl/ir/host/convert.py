"""From the hcfg level to the host: which ops and types have a form there."""

from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerType,
    MemRefType,
    Signedness,
    TensorType,
    f64,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir import dialect as d
from dycl.ir import torch
from dycl.ir.dialect.syntax import RunsOnHost
from dycl.ir.functions import argument_names
from dycl.ir.host.types import NONE, STR, BufferType, why_not_a_buffer
from dycl.ir.input_sizes import sizes_of

_SCALARS: dict[Attribute, Attribute] = {
    torch.IntT: i64,
    torch.FloatT: f64,
    torch.BoolT: i1,
    torch.StrT: STR,
    torch.NoneT: NONE,
}

ABOUT_MEMORY = (
    *(d.CastOp, d.ItemOp, d.LaunchOp, d.ParamOp, d.RefineOp, d.UnboundOp, d.ViewOp),
    *(torch.ConstantOp, torch.VTensorLiteralOp),
)
"""The ops that `dycl-lower-host` replaces; the others on the host have `RunsOnHost`."""


def has_host_form(op: Operation) -> bool:
    """Whether the host runs an op of the hcfg level, as it is or replaced."""
    return op.has_trait(RunsOnHost) or isinstance(op, ABOUT_MEMORY)


@lru_cache(maxsize=4096)
def host_type(torch_type: Attribute) -> Attribute | None:
    """The host's type for a type of the hcfg level, or None if there is none."""
    if isinstance(torch_type, d.SequenceType):
        item = host_type(torch_type.element)
        return None if item is None else d.SequenceType(item)
    if isinstance(torch_type, d.NodeType):
        return torch_type
    if not isinstance(torch_type, torch.VTensorType):
        return _SCALARS.get(torch_type)
    sizes, element = torch_type.sizes(), torch_type.element_type()
    if sizes is None or element is None:
        return None
    shape = [DYNAMIC_INDEX if size == torch.DYNAMIC else size for size in sizes]
    buffer: BufferType = MemRefType(_signless(element), shape)
    return None if why_not_a_buffer(buffer) else buffer


def signless_dense(value: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """The same elements, typed as the host types them."""
    element = _signless(value.get_element_type())
    tensor_type = TensorType(element, value.get_shape())
    return DenseIntOrFPElementsAttr(cast(Any, tensor_type), value.data)


def _signless(element: Attribute) -> Attribute:
    """Memrefs hold `i64` where torch's tensors hold `si64`; `ui8` stays."""
    if (
        isinstance(element, IntegerType)
        and element.signedness.data is Signedness.SIGNED
    ):
        return IntegerType(element.width)
    return element


def inputs_not_taken(entry: FuncOp) -> list[SSAValue]:
    """Arguments that no call can give: of no type of the host's, or of a size that
    neither the type nor `dycl.sizes` says."""
    named = {place for size in sizes_of(entry) for place in size.places}
    result: list[SSAValue] = []
    for name, argument in zip(
        argument_names(entry), entry.body.block.args, strict=True
    ):
        found = host_type(argument.type)
        shape = found.get_shape() if isinstance(found, MemRefType) else ()
        unsaid = [d for d, n in enumerate(shape) if n < 0 and (name, d) not in named]
        if found is None or unsaid:
            result.append(argument)
    return result
