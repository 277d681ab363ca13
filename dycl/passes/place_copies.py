"""`dycl-place-copies`: puts copies where a kernel reads what another device has made.

Before                           After
------                           -----
%y = host.alloc                  %y = host.alloc : C
host.launch @k ins(%x) outs(%y)  %x_cuda = host.alloc : C
%z = host.alloc                  host.launch @copy_to_cuda ins(%x) outs(%x_cuda)
host.launch @l ins(%y) outs(%z)  host.launch @k ins(%x_cuda) outs(%y)
dycl.return %z                   %z = host.alloc
func.func @k(%x) {cuda} {        %y_cpu = host.alloc
  %t = torch.aten.exp %x         host.launch @copy_to_cpu ins(%y) outs(%y_cpu)
  func.return %t                 host.launch @l ins(%y_cpu) outs(%z)
}                                dycl.return %z
func.func @l(%y) {               func.func @k(%x #cuda) -> (T #cuda) {cuda} {
  %t = torch.aten.exp %y           %t = torch.aten.exp %x
  func.return %t                   func.return %t
}                                }
                                 func.func @l(%y) {
                                   %t = torch.aten.exp %y
                                   func.return %t
                                 }
                                 func.func @copy_to_cuda(%x) -> (T #cuda) {copy} {
                                   func.return %x
                                 }
                                 func.func @copy_to_cpu(%x #cuda) {copy} {
                                   func.return %x
                                 }

`C` is a buffer in memory of the GPU, `#cuda` stands for `{dycl.memory = "cuda"}`, and
`{cuda}` for `attributes {dycl.backend = "cuda"}`.

Needs:  `dycl-lower-host`; after `dycl-assign-layouts`.
Leaves: each buffer in the memory of who fills it, by its type, and a launch of a copy
        where somebody reads it from elsewhere: just before, unless a copy is there
        already on each way, and ahead of loops that do not change it. Weights and
        constants are in either memory from the start. What is returned stays where it
        is: the caller gets a copy of it anyway.
Skips:  networks whose kernels are all for a GPU, or none is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.analysis.memory.homes import becomes, homes, wanted
from dycl.ir import host
from dycl.ir.claims import kernels_of
from dycl.ir.cloning import clone
from dycl.ir.functions import BACKEND, OURS, set_slot_attribute
from dycl.ir.host.memories import (
    COPIES,
    COPY,
    HOST,
    MEMORY,
    in_memory,
    memories_of,
    memory_of,
)
from dycl.ir.host.segments import is_fixed, launches_filling
from dycl.ir.host.types import BufferType
from dycl.ir.interfaces import LoopOp, is_inside
from dycl.ir.rewriting import append, insert_after, insert_before, retype
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk


@dataclass(frozen=True)
class PlaceCopiesPass(ModulePass):
    """Puts copies where a kernel reads what another device has made."""

    name = "dycl-place-copies"

    backend: str = OURS
    """The backend of kernels that name none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change types of buffers, and add launches; raises nothing."""
        kernels = {kernel.sym_name.data: kernel for kernel in kernels_of(op)}
        memories = memories_of(kernels, self.backend)
        if len({*memories.values()}) < 2 or any(map(_is_placed, kernels.values())):
            return
        for name, memory in memories.items():
            if memory != HOST:
                _mark(kernels[name], memory)
        copies = _Copies(op, kernels)
        for func in [f for f in op.ops if isinstance(f, host.FuncOp)]:
            for value, memory in homes(func, memories).items():
                if memory != HOST and isinstance(value.type, MemRefType):
                    retype(value, in_memory(value.type, memory))
            _move(func, memories, copies)


def _is_placed(kernel: FuncOp) -> bool:
    """Whether a kernel is a copy, so that the pass has been here."""
    return kernel.attributes.get(BACKEND) == StringAttr(COPY)


def _mark(kernel: FuncOp, memory: str) -> None:
    """Say that the tensors of a kernel are in a memory."""
    signature = kernel.function_type
    for is_result, types in ((False, signature.inputs), (True, signature.outputs)):
        for index, found in enumerate(types):
            # A number that a kernel gives comes in memory as well.
            if is_result or isinstance(found, VTensorType):
                set_slot_attribute(kernel, is_result, index, MEMORY, StringAttr(memory))


def _move(func: host.FuncOp, memories: Mapping[str, str], copies: "_Copies") -> None:
    """Give each op its operands in the memory in which it wants them."""
    for op in list(walk(func.body)):
        for index, value in enumerate(op.operands):
            if not isinstance(value.type, MemRefType):
                continue
            names = becomes(op, index)
            memory = memory_of(names[0].type) if names else wanted(op, index, memories)
            if memory is not None and memory != memory_of(value.type):
                op.operands[index] = copies.moved(value, memory, op)


@dataclass
class _Copies:
    """The copies of a program, and the kernels that make them."""

    module: ModuleOp
    kernels: Mapping[str, FuncOp]
    known: dict[tuple[SSAValue, str], list[SSAValue]] = field(
        default_factory=dict[tuple[SSAValue, str], list[SSAValue]]
    )
    names: dict[tuple[Attribute, str], str] = field(
        default_factory=dict[tuple[Attribute, str], str]
    )

    def moved(self, value: SSAValue, memory: str, op: Operation) -> SSAValue:
        """A buffer for an op, in another memory."""
        if is_fixed(value) and not isinstance(value.owner, host.AllocOp):
            return self._twin(value, memory)
        known = self.known.setdefault((value, memory), [])
        for copy in known:
            if _reaches(copy, op):
                return copy
        made = self._copied(value, memory, _anchor(value, op), op)
        if len(launches_filling(value)) < 2:
            known.append(made)
        return made

    def _twin(self, value: SSAValue, memory: str) -> SSAValue:
        """A weight or a constant, or a view of one, in another memory for good."""
        known = self.known.setdefault((value, memory), [])
        if not known:
            owner = value.owner
            assert isinstance(owner, Operation)
            twin = clone(owner)
            if isinstance(owner, host.ViewOp):
                twin.operands[0] = self._twin(owner.operand, memory)
            insert_after(owner, twin)
            result, found = twin.results[0], value.type
            assert isinstance(found, MemRefType)
            result.name_hint = _named(value, memory)
            known.append(retype(result, in_memory(found, memory)))
        return known[0]

    def _copied(
        self, value: SSAValue, memory: str, anchor: Operation, op: Operation
    ) -> SSAValue:
        found = value.type
        assert isinstance(found, MemRefType)
        alloc = host.AllocOp(in_memory(found, memory))
        alloc.result.name_hint = _named(value, memory)
        name = self._kernel(found, memory, op)
        launch = host.LaunchOp(name, [value], [alloc.result])
        insert_before(anchor, alloc, launch, source=op)
        return alloc.result

    def _kernel(self, found: BufferType, memory: str, op: Operation) -> str:
        """The name of the kernel that copies such buffers to a memory."""
        key = (found, memory)
        if key not in self.names:
            base = f"{COPIES}{_spelled(memory)}"
            taken = {*self.names.values(), *self.kernels}
            name, number = base, 0
            while name in taken:
                number += 1
                name = f"{base}_{number}"
            self.names[key] = name
            self._add_kernel(name, found, memory, op)
        return self.names[key]

    def _add_kernel(
        self, name: str, found: BufferType, memory: str, op: Operation
    ) -> None:
        tensor = VTensorType.of(found.get_shape(), _signed(found.element_type))
        block = Block(arg_types=[tensor])
        block.args[0].name_hint = "x"
        kernel = FuncOp(name, ([tensor], [tensor]), Region(block))
        kernel.attributes |= {"dycl.kernel": UnitAttr(), BACKEND: StringAttr(COPY)}
        append(block, ReturnOp(block.args[0]), source=op)
        source = memory_of(found)
        for is_result, where in ((False, source), (True, memory)):
            if where != HOST:
                set_slot_attribute(kernel, is_result, 0, MEMORY, StringAttr(where))
        append(self.module.body.block, kernel, source=op)


def _reaches(copy: SSAValue, op: Operation) -> bool:
    """Whether a copy that was placed for an op before is made on each way to this."""
    owner = copy.owner
    assert isinstance(owner, Operation)
    block = owner.parent
    around: Operation | None = op
    while around is not None:
        if around.parent is block:
            return True
        around = around.parent_op()
    return False


def _anchor(value: SSAValue, op: Operation) -> Operation:
    """Where to copy a value for an op: ahead of the loops in which it stays as is."""
    fillers = launches_filling(value)
    anchor, around = op, op.parent_op()
    while around is not None and not isinstance(around, d.LocalFunctionOp):
        if is_inside(value, around) or any(around.is_ancestor(f) for f in fillers):
            break
        if isinstance(around, LoopOp):
            anchor = around
        around = around.parent_op()
    return anchor if len(fillers) < 2 else op


def _named(value: SSAValue, memory: str) -> str:
    return f"{value.name_hint or 'y'}_{_spelled(memory)}"


def _spelled(memory: str) -> str:
    return memory or "cpu"


def _signed(element: Attribute) -> Attribute:
    """The type that torch has for elements of the host's."""
    if (
        isinstance(element, IntegerType)
        and element != i1
        and element.signedness.data is Signedness.SIGNLESS
    ):
        return IntegerType(element.width, Signedness.SIGNED)
    return element
