"""`dycl-partition-backends`: each region of a kernel becomes a kernel of its backend.

Before                              After
------                              -----
%y = dycl.launch @k(%x)             %b = dycl.launch @k_toy(%x)
dycl.return %y                      %y = dycl.launch @k_cpu(%b)
func.func @k(%a) {                  dycl.return %y
  %b = torch.aten.relu %a {toy, 0}  func.func @k_toy(%a) attributes {toy} {
  %c = torch.aten.sinh %b {cpu, 1}    %b = torch.aten.relu %a
  func.return %c                      func.return %b
}                                   }
                                    func.func @k_cpu(%b) attributes {cpu} {
                                      %c = torch.aten.sinh %b
                                      func.return %c
                                    }

`{toy, 0}` stands for `{dycl.backend = "toy", dycl.region = 0 : i64}`.

Needs:  `dycl-merge-backend-regions`.
Leaves: kernels whose ops have one backend, which their `dycl.backend` names. A launch
        of a kernel that is parted becomes a launch of each part, in order. Weights keep
        their marks, composites their names; no `dycl.region` is left.
Skips:  kernels without regions, which the network's backend compiles whole; those that
        are launched with another number of values than they take.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.decisions import identifier
from dycl.analysis.control.launches import fitting_launches
from dycl.analysis.control.units import needed
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.claims import REGION, kernels_of
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.functions import BACKEND
from dycl.ir.outlining import KernelBody
from dycl.ir.rewriting import append, erase, insert_before, replace


@dataclass(frozen=True)
class PartitionBackendsPass(ModulePass):
    """Each region of a kernel becomes a kernel of its backend."""

    name = "dycl-partition-backends"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace kernels and launches; raises nothing."""
        regions = {
            kernel.sym_name.data: found
            for kernel in kernels_of(op)
            if (found := _regions(kernel))
        }
        if not regions:
            return
        launches = {k.sym_name.data: found for k, found in fitting_launches(op)}
        taken = set(symbol_ops(op))
        for kernel in kernels_of(op):
            if (found := regions.get(kernel.sym_name.data)) is None:
                continue
            own = launches.get(kernel.sym_name.data)
            if own is None or not _fits(kernel, own):
                remark(kernel, "not parted", "a launch passes it too many or too few")
            elif len(found) == 1:
                kernel.attributes[BACKEND] = _backend_of(found[0])
                _strip(found[0])
            else:
                parts = [_part(kernel, region, taken) for region in found]
                part_kernel(kernel, parts, own)


def _regions(kernel: FuncOp) -> list[list[Operation]]:
    """The ops of each region, in the order of their numbers."""
    found: dict[int, list[Operation]] = {}
    for op in kernel.body.block.ops:
        number = op.attributes.get(REGION)
        if isinstance(number, IntegerAttr) and BACKEND in op.attributes:
            found.setdefault(number.value.data, []).append(op)
    return [found[number] for number in sorted(found)]


def _fits(kernel: FuncOp, launches: Sequence[LaunchOp]) -> bool:
    """Whether all launches of a kernel take as many values as it gives."""
    count = len(kernel.function_type.outputs)
    return all(len(one.results) == count for one in launches)


def _backend_of(region: Sequence[Operation]) -> StringAttr:
    backend = region[0].attributes[BACKEND]
    assert isinstance(backend, StringAttr)
    return backend


def _strip(ops: Sequence[Operation]) -> None:
    for op in ops:
        del op.attributes[BACKEND], op.attributes[REGION]


class Part(NamedTuple):
    """A region of a kernel that is to be a kernel of its own."""

    name: str
    ops: Sequence[Operation]
    attributes: Mapping[str, Attribute]
    """What it has besides `dycl.kernel`."""


class _Made(NamedTuple):
    """A region as a kernel: what it takes and gives, in terms of the whole kernel."""

    function: FuncOp
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]


def part_kernel(
    kernel: FuncOp, parts: Sequence[Part], launches: Sequence[LaunchOp]
) -> None:
    """Replace a kernel by its parts, each behind those that it needs, and its launches.

    An op that is in no part is copied to those that use it.
    """
    end = kernel.body.block.last_op
    assert isinstance(end, ReturnOp)
    placed = {op for part in parts for op in part.ops}
    passed = set(end.operands)
    for part in parts:
        own = set(part.ops)
        for op in part.ops:
            passed |= {v for v in needed(op, placed) if v.owner not in own}
    made: list[_Made] = []
    for part in parts:
        outputs = [r for op in part.ops for r in op.results if r in passed]
        one = _made(kernel, part, outputs, placed)
        insert_before(kernel, one.function, source=part.ops[0])
        made.append(one)
    for launch in launches:
        _replace_launch(launch, kernel, made, end)
    for op in reversed(list(kernel.body.block.ops)):
        erase(op)
    erase(kernel)


def _made(
    kernel: FuncOp, part: Part, outputs: Sequence[SSAValue], placed: set[Operation]
) -> _Made:
    """Move the ops of a part into a new kernel."""
    body = KernelBody(set(part.ops), lambda op: op not in placed)
    for op in part.ops:
        op.detach()
        body.add(op)
    append(body.block, ReturnOp(*outputs), source=part.ops[-1])
    inputs = list(body.inputs)
    types = [v.type for v in inputs], [v.type for v in outputs]
    function = FuncOp(part.name, types, Region(body.block))
    function.attributes |= {"dycl.kernel": UnitAttr(), **part.attributes}
    if (attributes := kernel.arg_attrs) is not None:
        entries = [
            attributes.data[value.index]
            if isinstance(value, BlockArgument)
            else DictionaryAttr({})
            for value in inputs
        ]
        if any(entry.data for entry in entries):
            function.arg_attrs = ArrayAttr(entries)
    return _Made(function, inputs, outputs)


def _part(kernel: FuncOp, region: Sequence[Operation], taken: set[str]) -> Part:
    backend = _backend_of(region)
    _strip(region)
    return Part(_name(kernel, backend, taken), region, {BACKEND: backend})


def _name(kernel: FuncOp, backend: StringAttr, taken: set[str]) -> str:
    """A new name: that of the kernel, and the backend."""
    base = f"{kernel.sym_name.data}_{identifier(backend.data)}"
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _replace_launch(
    launch: LaunchOp, kernel: FuncOp, parts: Sequence[_Made], end: ReturnOp
) -> None:
    """Launch the parts of a kernel one after the other."""
    values: dict[SSAValue, SSAValue] = dict(
        zip(kernel.body.block.args, launch.operands, strict=True)
    )
    for part in parts:
        types = [value.type for value in part.outputs]
        name = part.function.sym_name.data
        new = LaunchOp(name, [values[value] for value in part.inputs], types)
        insert_before(launch, new)
        for value, result in zip(part.outputs, new.results, strict=True):
            result.name_hint = value.name_hint
            values[value] = result
    replace(launch, [values[value] for value in end.operands])
