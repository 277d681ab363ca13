"""`cpu-write-scatters`: elements go where their index says, one after the other.

torch-mlir makes a list of all places first, with an index for every dim.

Before:
    %y = torch.aten.scatter_add %x, %int1, %index, %source       // 4x8

After:
    %t = torch_c.to_builtin_tensor %x                            // and %i, %s
    %r = scf.for %a = %c0 to %c4 iter_args(%0 = %t) {
      scf.for %b = %c0 to %c8 iter_args(%1 = %0) {
        %at = arith.index_cast (tensor.extract %i[%a, %b])
        %sum = arith.addf (tensor.extract %1[%a, %at]), (tensor.extract %s[%a, %b])
        tensor.insert %sum into %1[%a, %at]
      }
    }
    %y = torch_c.from_builtin_tensor %r

An `index_put` at rows of one index, as `index_add` is, has the same loops; it reads a
number of the index for each row, and not for each element.

Needs:  the torch dialect; indices that are in range.
Leaves: sums in the order of the index, as eager's; `scatter` and `index_put` without
        the sum, where the last element stays.
Skips:  sizes that a run decides, tensors without elements or dims, half floats, bytes;
        an `index_put` at several indices, or of what is repeated.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from dycl.kernels.cpu import build
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.kernels.cpu.tensor_ops import owner
from dycl.kernels.cpu.torch_fixes.clamp_gathers import IN_RANGE
from dycl.kernels.cpu.torch_fixes.keep_topk import builtin

_ADD = "torch.aten.scatter_add"
_PUT = "torch.aten.index_put"
_NAMES = (_ADD, "torch.aten.scatter.src", _PUT)
_KINDS = ("f32", "f64", "i32", "i64")


def write_scatters(module: Any) -> None:
    """Write out every `scatter_add`, `scatter` and `index_put` of known sizes."""
    scatters = [op for op in ops(module.operation) if op.name in _NAMES]
    if not scatters:
        return
    # Running a pass loads the dialects that it makes ops of.
    with ir.Location.unknown():
        run_passes(ir.Module.parse(""), "func.func(convert-torch-to-tmtensor)")
    for op in scatters:
        with ir.InsertionPoint(op), op.location:
            given = _rows(op) if op.name == _PUT else _elements(op)
            if given is not None and (kinds := _kinds(given)) is not None:
                _write(op, given, kinds)


class _Given(NamedTuple):
    """What a scatter is given."""

    x: Any
    along: int
    index: Any
    source: Any
    adds: bool
    by_rows: bool
    """Whether the index has a number for each row along the dim."""


def _elements(op: Any) -> _Given | None:
    """What a scatter is given; None: its dim is not known."""
    x, dim, index, source = op.operands
    number: Any = torch.constant(dim)
    kind = builtin(x)
    if number is None or kind is None or kind.rank == 0:
        return None
    return _Given(x, number % kind.rank, index, source, op.name == _ADD, False)


def _rows(op: Any) -> _Given | None:
    """What an `index_put` is given, if it has one index, of one dim."""
    x, places, source, adds = op.operands
    made = owner(places)
    if made is None or made.name != "torch.prim.ListConstruct":
        return None
    # `None` stands for all of a dim.
    known = [
        (dim, value)
        for dim, value in enumerate(made.operands)
        if str(value.type) != "!torch.none"
    ]
    flag = owner(adds)
    if len(known) != 1 or flag is None or flag.name != "torch.constant.bool":
        return None
    along, index = known[0]
    kinds = [builtin(value) for value in (x, index, source)]
    if None in kinds or kinds[1].rank != 1:
        return None
    shape = list(kinds[0].shape)
    shape[along] = kinds[1].shape[0]
    if list(kinds[2].shape) != shape:
        return None
    return _Given(x, along, index, source, bool(flag.attributes["value"].value), True)


def _kinds(given: _Given) -> list[Any] | None:
    """The types of what is added to, of the index, and of what is added."""
    kinds = [builtin(value) for value in (given.x, given.index, given.source)]
    if None in kinds:
        return None
    element = kinds[0].element_type
    if str(element) not in _KINDS or kinds[2].element_type != element:
        return None
    if str(kinds[1].element_type) != "i64":
        return None
    return kinds if all(0 not in kind.shape for kind in kinds) else None


def _write(op: Any, given: _Given, kinds: list[Any]) -> None:
    x, index, source = (
        build.op("torch_c.to_builtin_tensor", [value], kind)
        for value, kind in zip((given.x, given.index, given.source), kinds, strict=True)
    )
    scatter = _Scatter(index, source, given.along, given.adds, given.by_rows)
    shape = kinds[2 if given.by_rows else 1].shape
    whole = scatter.done(list(shape), [], x)
    converted = build.op("torch_c.from_builtin_tensor", [whole], op.results[0].type)
    op.results[0].replace_all_uses_with(converted)
    op.erase()


@dataclass(frozen=True)
class _Scatter:
    index: Any
    source: Any
    along: int
    adds: bool
    by_rows: bool

    def done(
        self, sizes: list[int], place: list[Any], so_far: Any, row: Any = None
    ) -> Any:
        """A tensor with all that there is from a place on; `row`: if that is known."""
        if self.by_rows and len(place) == self.along + 1:
            row = self._row(place[-1:]) if row is None else row
        if not sizes:
            return self._one(place, so_far, row)

        def trip(at: Any, carried: list[Any]) -> list[Any]:
            return [self.done(sizes[1:], [*place, at], carried[0], row)]

        (result,) = build.counted(range(sizes[0]), [so_far], trip)
        return result

    def _row(self, place: list[Any]) -> Any:
        number = _element(self.index, place)
        in_range = {IN_RANGE: ir.UnitAttr.get()}
        return build.op("arith.index_cast", [number], ir.IndexType.get(), in_range)

    def _one(self, place: list[Any], so_far: Any, row: Any) -> Any:
        at = [*place]
        at[self.along] = self._row(place) if row is None else row
        value = _element(self.source, place)
        if self.adds:
            is_whole = isinstance(value.type, ir.IntegerType)
            name = "arith.addi" if is_whole else "arith.addf"
            value = build.binary(name, _element(so_far, at), value)
        return build.op("tensor.insert", [value, so_far, *at], so_far.type)


def _element(tensor: Any, place: list[Any]) -> Any:
    return build.op("tensor.extract", [tensor, *place], tensor.type.element_type)
