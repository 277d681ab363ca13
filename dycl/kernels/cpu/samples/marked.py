"""The op that stands for a loop over samples, until there are calls.

It is a `linalg.generic` for the sake of bufferisation alone: it reads all of its inputs
and writes all of its results. Nobody may take its payload at its word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.build import constant, i64
from dycl.kernels.cpu.mlir import ir

SAMPLE_OF = "dycl.sample_of"
"""On that op: the function that computes one sample."""
DIMS = "dycl.sample_dims"
"""On that op: of each operand the dimension that samples lie along; -1: none. A size
that becomes known later makes no other op of it."""
SAMPLE = "dycl.sample"
"""On a function: it computes one sample, or a group of them."""
GROUP = "dycl.sample_group"
"""On that op: how many samples the function computes at once, if not one."""
BEHIND = "dycl.sample_behind"
"""On that op: it is for the samples behind the last whole group of so many, and keeps
what it writes over for all before. Without it: for all samples, or whole groups."""


@dataclass(frozen=True)
class Which:
    """The samples that an op is for."""

    group: int = 1
    """How many its function computes at once."""
    behind: int = 0
    """Those behind the last whole group of so many; 0: those from the first on."""

    @classmethod
    def of(cls, op: Any) -> "Which":
        """What is said on an op."""
        group, behind = (
            int(op.attributes[name].value) if name in op.attributes else usual
            for name, usual in ((GROUP, cls.group), (BEHIND, cls.behind))
        )
        return cls(group, behind)

    def attributes(self) -> dict[str, Any]:
        """What says it on an op."""
        found = {GROUP: self.group} if self.group != 1 else {}
        found |= {BEHIND: self.behind} if self.behind else {}
        return {name: i64(number) for name, number in found.items()}


EACH = Which()
"""All samples, one after the other."""


def marked(
    name: str,
    inputs: Sequence[Any],
    into: Sequence[Any],
    dims: Sequence[int],
    which: Which = EACH,
) -> Any:
    """The op that calls function `name` for each sample, and writes over `into`.

    `dims`: of each operand the dimension that samples lie along; -1: it is for all.
    `which`: the samples that it is for.
    """
    operands = [*inputs, *into]
    maps, iterators = _loops(operands, len(inputs), dims)
    scalars = [value.type.element_type for value in operands]
    new = ir.Operation.create(
        "linalg.generic",
        operands=operands,
        results=[value.type for value in into],
        attributes={
            "indexing_maps": ir.ArrayAttr.get(maps),
            "iterator_types": ir.ArrayAttr.get(
                [ir.Attribute.parse(f"#linalg.iterator_type<{i}>") for i in iterators]
            ),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(into)]),
            SAMPLE_OF: ir.FlatSymbolRefAttr.get(name),
            DIMS: ir.DenseI64ArrayAttr.get(list(dims)),
            **which.attributes(),
        },
        regions=1,
    )
    here = [ir.Location.current] * len(scalars)
    block = new.regions[0].blocks.append(*scalars, arg_locs=here)
    with ir.InsertionPoint(block):
        is_kept = which.behind > 0
        word = _all_of(list(block.arguments)[: None if is_kept else len(inputs)])
        given = [_as(word, kind) for kind in scalars[len(inputs) :]]
        ir.Operation.create("linalg.yield", operands=given)
    return new


def _loops(
    operands: Sequence[Any], inputs: int, dims: Sequence[int]
) -> tuple[list[Any], list[str]]:
    """A loop over samples, and loops of each operand's own."""
    iterators = ["parallel"]
    places: list[list[int]] = []
    for number, (value, batch) in enumerate(zip(operands, dims, strict=True)):
        place = [0 if dim == batch else -1 for dim in range(value.type.rank)]
        for dim in (d for d, loop in enumerate(place) if loop):
            place[dim] = len(iterators)
            iterators.append("reduction" if number < inputs else "parallel")
        places.append(place)
    loops = ", ".join(f"d{i}" for i in range(len(iterators)))
    return [
        build.affine_map(f"({loops}) -> ({', '.join(f'd{i}' for i in place)})")
        for place in places
    ], iterators


def _all_of(scalars: Sequence[Any]) -> Any:
    """An integer that depends on each: operands that no payload names would go."""
    total = constant(0, ir.IntegerType.get_signless(64))
    for scalar in scalars:
        total = build.op("arith.xori", [total, _word(scalar)], total.type)
    return total


def _word(scalar: Any) -> Any:
    word = ir.IntegerType.get_signless(64)
    if isinstance(scalar.type, ir.IntegerType):
        wide = scalar.type == word
        return scalar if wide else build.op("arith.extui", [scalar], word)
    return build.op("arith.fptosi", [scalar], word)


def _as(word: Any, kind: Any) -> Any:
    if isinstance(kind, ir.IntegerType):
        return word if kind == word.type else build.op("arith.trunci", [word], kind)
    return build.op("arith.sitofp", [word], kind)
