"""Reductions in vectors: what they begin with, and how their parts come together."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.rows.row_plan import LANES, Part
from dycl.kernels.cpu.rows.row_state import Rows

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


def first(rows: Rows, part: Part, chains: int) -> list[Any]:
    """What the accumulators of a reduction begin with, in the order of `RowPass`."""
    if part.place is None:
        value = _neutral(part.output.buffer.type.element_type, _combining(part))
        return [value] * (rows.count * chains)
    values: list[Any] = []
    for access in part.outputs:
        for row in range(rows.count):
            value = rows.once(access, row)
            if rows.plan.along:
                value = build.broadcast(value, LANES)
            values += [value] * chains
    return values


def finish(rows: Rows, part: Part, found: list[Any], chains: int) -> None:
    """Make the results of a reduction known of each row, from partial ones."""
    along, name = rows.plan.along, _combining(part)
    for row, values in enumerate(rows.known):
        own = found[row * chains : (row + 1) * chains]
        if part.place is not None:
            at = found[(rows.count + row) * chains :][:chains]
            best, place = _first_best(own, at, name) if along else (own[0], at[0])
            values[part.output], values[part.place] = best, place
            continue
        total = _combined(own, name)
        if along:
            total = _across(total, name)
        # Where the reduction began, for the op may begin with anything.
        values[part.output] = _combined([total, rows.once(part.output, row)], name)


def _first_best(bests: list[Any], places: list[Any], name: str) -> tuple[Any, Any]:
    """Of the best element of each lane the first best one, and its place.

    A lane that has found a NaN has found the first one in it.
    """
    best = _across(_combined(bests, name), name)
    last = 2 ** (places[0].type.element_type.width - 1) - 1
    nowhere = build.constant(last, places[0].type)
    hits = [
        build.select(_equals(one, build.broadcast(best, LANES)), place, nowhere)
        for one, place in zip(bests, places, strict=True)
    ]
    return best, _across(_combined(hits, "arith.minsi"), "arith.minsi")


def _combining(part: Part) -> str:
    """The op that puts one more element into the result of a reduction."""
    *_, end = list(part.body.operations)
    return str(end.operands[0].owner.name)


def _combined(values: list[Any], name: str) -> Any:
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [build.op(name, pair, pair[0].type) for pair in pairs]
    return values[0]


def _neutral(element: Any, name: str) -> Any:
    """A vector that changes nothing when the op `name` combines it."""
    vectors = ir.VectorType.get([LANES], element)
    if name in ("arith.maxsi", "arith.minsi"):
        last = 2 ** (element.width - 1)
        return build.constant(-last if name == "arith.maxsi" else last - 1, vectors)
    return build.constant(_REDUCTIONS[name][1], vectors)


def _across(value: Any, name: str) -> Any:
    """All lanes of a vector combined."""
    kind = name.removeprefix("arith.")
    kind = _REDUCTIONS[name][0] if name in _REDUCTIONS else kind
    attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>")}
    if name in _FLAGS:
        flag = ir.Attribute.parse(f"#arith.fastmath<{_FLAGS[name]}>")
        attributes["fastmath"] = flag
    element = value.type.element_type
    return build.op("vector.reduction", [value], element, attributes)


def _equals(one: Any, other: Any) -> Any:
    """Lanes where `one` is `other`, or a NaN."""
    bits = build.like(one.type, ir.IntegerType.get_signless(1))
    if isinstance(one.type.element_type, ir.IntegerType):
        return build.compare_integers(0, one, other)
    same = build.compare(build.OEQ, one, other)
    unordered = build.compare(build.UNO, one, one)
    return build.op("arith.ori", [same, unordered], bits)
