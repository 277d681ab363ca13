"""How abstract values and constants are written to disk (`dycl.support.plain_data`).

An element type is the name of its dtype. What torch gives for several results is a
tuple of a class of its own, `torch.Size` or one of `torch.return_types`, and has that
name; torch is imported when one is read. Records are left out: to read one is to
import, or to call, what its class is named.
"""

from typing import Any, cast

from xdsl.ir import Attribute

from dycl.analysis.dynamic_sizes.sizes import Attempt, Requirement
from dycl.analysis.tensors import abstract
from dycl.ir import values
from dycl.ir.arrays import ArrayConstant
from dycl.ir.dtypes import dtype_name, element_type
from dycl.support.plain_data import Form, NotPlainData
from dycl.support.reasons import Reason


def _dtype(element: Attribute) -> list[str]:
    try:
        return [dtype_name(element)]
    except KeyError:
        raise NotPlainData(f"{element}, which is no element type") from None


_RETURN_TYPES = "torch.return_types"


def _is_of_torch(value: object) -> bool:
    kind = type(value)
    if not isinstance(value, tuple):
        return False
    return kind.__module__ == _RETURN_TYPES or _name_of(kind) == "torch.Size"


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _named_parts(value: tuple[object, ...]) -> list[object]:
    return [_name_of(type(value)), *value]


def _made_by_torch(parts: list[Any]) -> object:
    import torch

    name, *items = parts
    if name == "torch.Size":
        return torch.Size(items)
    module, _, last = name.rpartition(".")
    cls = cast(Any, torch.return_types).__dict__[last]
    if module != _RETURN_TYPES or not issubclass(cls, tuple):
        raise ValueError(name)
    return cast(Any, cls)(items)


FORMS: tuple[Form | type, ...] = (
    Form(
        "dtype",
        lambda value: isinstance(value, Attribute),
        _dtype,
        lambda parts: element_type(*parts),
    ),
    Form(
        "Reason",
        lambda value: isinstance(value, Reason),
        lambda value: [str(value), value.code],
        lambda parts: Reason(*parts),
    ),
    Form(
        "OpenSizes",
        lambda value: isinstance(value, abstract.OpenSizes),
        list,
        lambda parts: abstract.OpenSizes(parts),
    ),
    Form("tuple of torch", _is_of_torch, _named_parts, _made_by_torch),
    *(abstract.Dim, abstract.Tensor, abstract.Scalar, abstract.Sequence),
    *(abstract.Unknown, abstract.Unjoined, abstract.Unbound),
    *(Attempt, Requirement),
    *(values.ObjectRef, values.FunctionRef, values.MethodRef, values.GlobalRef),
    *(values.DeviceRef, values.LoggerRef, values.ParamRef, values.TensorConstant),
    ArrayConstant,
)
"""Of what outcomes and traces are made."""
