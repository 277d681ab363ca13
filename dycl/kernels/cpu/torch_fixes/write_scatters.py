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

Needs:  the torch dialect; indices that are in range.
Leaves: sums in the order of the index, as eager's; `scatter` without the sum, where
        the last element stays.
Skips:  sizes that a run decides, tensors without elements or dims, half floats, bytes.
"""

from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.kernels.cpu.torch_fixes.keep_topk import builtin

_ADD = "torch.aten.scatter_add"
_NAMES = (_ADD, "torch.aten.scatter.src")
_KINDS = ("f32", "f64", "i32", "i64")


def write_scatters(module: Any) -> None:
    """Write out every `scatter_add` and `scatter` of known sizes."""
    scatters = [op for op in ops(module.operation) if op.name in _NAMES]
    if not scatters:
        return
    # Running a pass loads the dialects that it makes ops of.
    with ir.Location.unknown():
        run_passes(ir.Module.parse(""), "func.func(convert-torch-to-tmtensor)")
    for op in scatters:
        with ir.InsertionPoint(op), op.location:
            if (kinds := _kinds(op)) is not None:
                _write(op, *kinds)


def _kinds(op: Any) -> list[Any] | None:
    """The types of what is added to, of the index, and of what is added."""
    x, dim, index, source = op.operands
    kinds = [builtin(value) for value in (x, index, source)]
    if None in kinds or torch.constant(dim) is None:
        return None
    element = kinds[0].element_type
    if str(element) not in _KINDS or kinds[2].element_type != element:
        return None
    return kinds if all(0 not in kind.shape for kind in kinds) else None


def _write(op: Any, *kinds: Any) -> None:
    x, dim, index, source = op.operands
    given = [
        build.op("torch_c.to_builtin_tensor", [value], kind)
        for value, kind in zip((x, index, source), kinds, strict=True)
    ]
    number: Any = torch.constant(dim)
    along = number % kinds[0].rank
    scatter = _Scatter(given[1], given[2], along, op.name == _ADD)
    whole = scatter.done(list(kinds[1].shape), [], given[0])
    converted = build.op("torch_c.from_builtin_tensor", [whole], op.results[0].type)
    op.results[0].replace_all_uses_with(converted)
    op.erase()


@dataclass(frozen=True)
class _Scatter:
    index: Any
    source: Any
    along: int
    adds: bool

    def done(self, sizes: list[int], place: list[Any], so_far: Any) -> Any:
        """A tensor with all that the index has from a place on."""
        if not sizes:
            return self._one(place, so_far)

        def trip(at: Any, carried: list[Any]) -> list[Any]:
            return [self.done(sizes[1:], [*place, at], carried[0])]

        (result,) = build.counted(range(sizes[0]), [so_far], trip)
        return result

    def _one(self, place: list[Any], so_far: Any) -> Any:
        at = [*place]
        number = _element(self.index, place)
        at[self.along] = build.op("arith.index_cast", [number], ir.IndexType.get())
        value = _element(self.source, place)
        if self.adds:
            is_whole = isinstance(value.type, ir.IntegerType)
            name = "arith.addi" if is_whole else "arith.addf"
            value = build.binary(name, _element(so_far, at), value)
        return build.op("tensor.insert", [value, so_far, *at], so_far.type)


def _element(tensor: Any, place: list[Any]) -> Any:
    return build.op("tensor.extract", [tensor, *place], tensor.type.element_type)
