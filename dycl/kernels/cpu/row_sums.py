"""Reductions in vectors: what they begin with, and how lanes come together."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.row_plan import LANES

_REDUCTIONS = {
    "arith.addf": ("add", -0.0),
    "arith.addi": ("add", 0),
    "arith.andi": ("and", -1),
    "arith.maximumf": ("maximumf", float("-inf")),
    "arith.maxnumf": ("maxnumf", float("-inf")),
    "arith.minimumf": ("minimumf", float("inf")),
    "arith.minnumf": ("minnumf", float("inf")),
    "arith.mulf": ("mul", 1.0),
    "arith.muli": ("mul", 1),
    "arith.ori": ("or", 0),
    "arith.xori": ("xor", 0),
    "arith.maxui": ("maxui", 0),
    "arith.minui": ("minui", -1),
}
"""Combining op -> its vector.reduction, and what changes no result."""

_FLAGS = {
    "arith.addf": "reassoc",
    "arith.maximumf": "nsz",
    "arith.minimumf": "nsz",
    "arith.mulf": "reassoc",
}


def combined(combine: Any, one: Any, other: Any) -> Any:
    """Two partial results in one, by the op that combines elements."""
    return build.op(combine.name, [one, other], one.type)


def neutral(element: Any, name: str) -> Any:
    """A vector that changes nothing when the op `name` combines it."""
    vectors = ir.VectorType.get([LANES], element)
    if name in ("arith.maxsi", "arith.minsi"):
        last = 2 ** (element.width - 1)
        return build.constant(-last if name == "arith.maxsi" else last - 1, vectors)
    return build.constant(_REDUCTIONS[name][1], vectors)


def across(value: Any, name: str) -> Any:
    """All lanes of a vector combined."""
    kind = name.removeprefix("arith.")
    kind = _REDUCTIONS[name][0] if name in _REDUCTIONS else kind
    attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>")}
    if name in _FLAGS:
        flag = ir.Attribute.parse(f"#arith.fastmath<{_FLAGS[name]}>")
        attributes["fastmath"] = flag
    element = value.type.element_type
    return build.op("vector.reduction", [value], element, attributes)


def equals(one: Any, other: Any) -> Any:
    """Lanes where `one` is `other`, or a NaN."""
    bits = build.like(one.type, ir.IntegerType.get_signless(1))
    i64 = ir.IntegerType.get_signless(64)
    if isinstance(one.type.element_type, ir.IntegerType):
        equal = {"predicate": ir.IntegerAttr.get(i64, 0)}
        return build.op("arith.cmpi", [one, other], bits, equal)
    same = build.compare(build.OEQ, one, other)
    unordered = build.compare(build.UNO, one, one)
    return build.op("arith.ori", [same, unordered], bits)
