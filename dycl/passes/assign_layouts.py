"""`dycl-assign-layouts`: a tensor between two kernels stands as both of them like it.

Before                               After
------                               -----
%y = host.alloc                      %y = host.alloc : B
host.launch @c ins(%x, %w) outs(%y)  host.launch @c ins(%x, %w) outs(%y)
%z = host.alloc                      %z = host.alloc
host.launch @d ins(%y, %w) outs(%z)  host.launch @d ins(%y, %w) outs(%z)
dycl.return %z                       dycl.return %z
func.func @c(%x, %w) { .. }          func.func @c(%x, %w) -> (T #blocked) { .. }
func.func @d(%y, %w) { .. }          func.func @d(%y #blocked, %w) { .. }

`B` is a buffer and `#blocked` a `dycl.blocked` of blocks of 16 channels.

Needs:  `dycl-lower-host`.
Leaves: images that convolutions hand to one another in blocks of `lanes` channels: no
        kernel packs what the next one unpacks. Shapes and values are as before. What
        two paths forward to one value has one layout.
Skips:  what is handed to a kernel that is missing or takes another number of tensors,
        of which there is a remark; what the host reads, views or returns, inputs and
        parameters, which stand in rows, as does all of kernels of other backends; an
        image whose kernels would rather have rows; other dtypes than f32, and channels
        that `lanes` does not divide.

The layout is chosen for all uses of a value at once, by the number of launches that
save a conversion less those that need one more.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    MemRefType,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

import dycl.ir as d
from dycl.analysis.memory.layouts import CHANNELS, LANES, Wish, wishes
from dycl.diag import remark
from dycl.ir import host
from dycl.ir.functions import BACKEND, OURS, set_slot_attribute
from dycl.ir.host.layouts import BLOCKED, Blocks, BufferType, blocked
from dycl.ir.interfaces import RegionBranchOp, edges
from dycl.ir.walking import walk
from dycl.support.disjoint import DisjointSets


@dataclass(frozen=True)
class AssignLayoutsPass(ModulePass):
    """A tensor between two kernels stands as both of them like it."""

    name = "dycl-assign-layouts"

    lanes: int = LANES
    """Channels in a block: the elements of a vector register."""

    backend: str = OURS
    """The backend of kernels that name none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change types of buffers and attributes of kernels; raises nothing."""
        kernels = {
            kernel.sym_name.data: kernel
            for kernel in op.ops
            if isinstance(kernel, FuncOp)
            and "dycl.kernel" in kernel.attributes
            and len(kernel.body.blocks) == 1
        }
        classes = _Classes()
        for name, kernel in kernels.items():
            backend = kernel.attributes.get(BACKEND, StringAttr(self.backend))
            takes_blocks = backend == StringAttr(OURS)
            classes.add_kernel(name, *wishes(kernel, self.lanes), takes_blocks)
        for function in [o for o in op.ops if isinstance(o, host.FuncOp)]:
            classes.add_host(function)
        blocks = Blocks(CHANNELS, self.lanes)
        for node in classes.to_block():
            if not isinstance(node, SSAValue):
                name, is_result, index = node
                attribute = DenseArrayBase.from_list(i64, list(blocks))
                kernel = kernels[name]
                set_slot_attribute(kernel, is_result, index, BLOCKED, attribute)
            elif isinstance(node.type, MemRefType):
                buffer: BufferType = node.type
                Rewriter.replace_value_with_new_type(node, blocked(buffer, blocks))


Slot = tuple[str, bool, int]
"""A kernel, whether it is a result of it, and which."""
Node = SSAValue | Slot


@dataclass
class _Classes:
    """Where tensors stand: values of the host, and slots of kernels.

    Places that must agree are one class.
    """

    sets: DisjointSets[Node] = field(default_factory=DisjointSets[Node])
    wants: dict[Slot, Wish] = field(default_factory=dict[Slot, Wish])
    votes: dict[Node, int] = field(default_factory=dict[Node, int])
    rows: list[Node] = field(default_factory=list[Node])
    """What must stand in rows."""
    slots: dict[str, tuple[int, int]] = field(
        default_factory=dict[str, tuple[int, int]]
    )
    """By kernel, how many arguments and results it has."""

    def add_kernel(
        self, name: str, inputs: list[Wish], outputs: list[Wish], takes_blocks: bool
    ) -> None:
        self.slots[name] = len(inputs), len(outputs)
        for is_result, side in ((False, inputs), (True, outputs)):
            for index, wish in enumerate(side):
                self.wants[name, is_result, index] = wish
                if not takes_blocks:
                    self.rows.append((name, is_result, index))

    def add_host(self, function: host.FuncOp) -> None:
        self.rows += function.body.block.args
        for op in walk(function):
            if isinstance(op, host.LaunchOp):
                self.add_launch(op)
            elif isinstance(op, host.AllocOp):
                self.sets.find(op.result)
            else:
                pairs = list(_flows(op))
                for one, other in pairs:
                    self.sets.join(one, other)
                if not pairs and not isinstance(op, _FORWARDING):
                    self.rows += [*op.operands, *op.results]

    def add_launch(self, op: host.LaunchOp) -> None:
        counts = self.slots.get(op.kernel_name)
        if counts != (len(op.inputs), len(op.outputs)):
            # dycl-check-host says what is wrong with it.
            remark(op, "kept in rows", f"@{op.kernel_name} is not a kernel that fits")
            self.rows += [*op.inputs, *op.outputs]
            return
        for is_result, values in ((False, op.inputs), (True, op.outputs)):
            for index, value in enumerate(values):
                slot = (op.kernel_name, is_result, index)
                self.sets.join(value, slot)
                vote = self.wants[slot].value
                self.votes[slot] = self.votes.get(slot, 0) + vote

    def to_block(self) -> Iterator[Node]:
        """All nodes of the classes that are faster in blocks, in order."""
        totals: dict[Node, int] = {}
        for slot, votes in self.votes.items():
            root = self.sets.find(slot)
            totals[root] = totals.get(root, 0) + votes
        fixed = {self.sets.find(node) for node in self.rows}
        chosen = {r for r, total in totals.items() if total > 0 and r not in fixed}
        for node in self.sets:
            if self.sets.find(node) in chosen:
                yield node


_FORWARDING = (RegionBranchOp, d.UnreachableOp)


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values that an op forwards as they are, each with what they become."""
    match op:
        case host.KeepOp():
            yield op.operand, op.result
        case d.SelectOp():
            yield op.operands[1], op.result
            yield op.operands[2], op.result
        case _:
            yield from edges(op)
