"""Reading and making ops of the torch dialect: the few that our own steps need."""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.tensor_ops import owner
from dycl.kernels.specs import TensorSpec, input_spec

_NAMES = {"float32": "f32", "float64": "f64", "bool": "i1", "int64": "si64"}
_CONSTANTS = ("torch.constant.int", "torch.constant.float", "torch.constant.str")


def op(name: str, operands: Sequence[Any], kind: Any) -> Any:
    """The result of a new op `torch.aten.<name>`."""
    return ir.Operation.create(
        f"torch.aten.{name}", operands=list(operands), results=[kind]
    ).results[0]


def number(value: float) -> Any:
    """A new `torch.constant.int` or `torch.constant.float`."""
    name = type(value).__name__
    bits = "f64" if name == "float" else "i64"
    if value in (float("inf"), float("-inf")):
        literal = "0x7FF0000000000000" if value > 0 else "0xFFF0000000000000"
    else:
        literal = repr(value)
    attributes = {"value": ir.Attribute.parse(f"{literal} : {bits}")}
    return ir.Operation.create(
        f"torch.constant.{name}",
        results=[ir.Type.parse(f"!torch.{name}")],
        attributes=attributes,
    ).results[0]


def flag(value: bool) -> Any:
    """A new `torch.constant.bool`."""
    bit = ir.IntegerAttr.get(ir.IntegerType.get_signless(1), int(value))
    kind = ir.Type.parse("!torch.bool")
    new = ir.Operation.create(
        "torch.constant.bool", results=[kind], attributes={"value": bit}
    )
    return new.results[0]


def none() -> Any:
    """A new `torch.constant.none`."""
    kind = ir.Type.parse("!torch.none")
    return ir.Operation.create("torch.constant.none", results=[kind]).results[0]


def sizes(values: Sequence[int]) -> Any:
    """A new list of integers."""
    kind = ir.Type.parse("!torch.list<int>")
    new = ir.Operation.create(
        "torch.prim.ListConstruct", operands=list(map(number, values)), results=[kind]
    )
    return new.results[0]


def tensor(shape: Sequence[int], dtype: str) -> Any:
    """The type of a tensor; `dtype` as torch names it. A run decides a size of -1."""
    inside = ",".join("?" if size < 0 else str(size) for size in shape)
    return ir.Type.parse(f"!torch.vtensor<[{inside}],{_NAMES[dtype]}>")


def spec_of(value: Any) -> TensorSpec | None:
    """Shape and dtype of a tensor; None: it is none, or has no rank."""
    try:
        spec = input_spec(str(value.type))
    except ValueError:
        return None
    return spec if isinstance(spec, TensorSpec) else None


def constant(value: Any) -> bool | int | float | str | None:
    """What a constant is; None: it is none, or is None."""
    defining_op = owner(value)
    if defining_op is None:
        return None
    if defining_op.name == "torch.constant.bool":
        return bool(defining_op.attributes["value"].value)
    return (
        defining_op.attributes["value"].value
        if defining_op.name in _CONSTANTS
        else None
    )


def is_none(value: Any) -> bool:
    """Whether a value is None."""
    return str(value.type) == "!torch.none"
