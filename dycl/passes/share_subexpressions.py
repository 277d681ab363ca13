"""`dycl-share-subexpressions`: a product that is computed again is computed once.

Before                                 After
------                                 -----
%a = torch.aten.mm %x, %w : T, T -> T  %a = torch.aten.mm %x, %w : T, T -> T
dycl.if %p {                           dycl.if %p {
  dycl.return %a                         dycl.return %a
}                                      }
%c = torch.aten.mm %x, %w : T, T -> T  %d = torch.aten.relu %a : T -> T
%d = torch.aten.relu %c : T -> T       dycl.return %d
dycl.return %d

Needs:  typed tensors, as `dycl-expand-modules` leaves them; loops that are unrolled.
        Best before `dycl-outline-branches`: kernels see no further than a decision.
Leaves: of two convolutions or matrix products of the same operands, or two reads of a
        node's field, the one that is computed in any case; what led to the other one
        alone is dead.
Skips:  all other ops: to compute them again in a kernel costs less than to keep what
        they give in memory. What is computed on another side of a decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.computation import is_computation, is_free, is_product
from dycl.analysis.control.numbering import op_key
from dycl.ir import FieldOp, HasFieldOp
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import erase


@dataclass(frozen=True)
class ShareSubexpressionsPass(ModulePass):
    """A product that is computed again is computed once."""

    name = "dycl-share-subexpressions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is not None and entry.body.blocks:
            share_products(entry.body.block)


def share_products(block: Block) -> None:
    """Let products of equal operands, in a function's block, be computed once."""
    _share(block, {}, {})


def _share(
    block: Block, numbers: dict[SSAValue, int], outside: Mapping[object, Operation]
) -> None:
    """Share what comes in a block, and in the blocks of its ops.

    `numbers`: equal for values that are equal; `outside`: by key, what is computed
    before the block in any case.
    """
    known = dict(outside)
    for argument in block.args:
        numbers[argument] = len(numbers)
    for op in list(block.ops):
        if is_computation(op) or is_free(op) or isinstance(op, _READS):
            key = op_key(op, numbers)
            first = known.setdefault(key, op)
            if first is not op:
                _give(first, op, numbers)
                continue
        for result in op.results:
            numbers[result] = len(numbers)
        for region in op.regions:
            for inner in region.blocks:
                _share(inner, numbers, known)


def _give(first: Operation, op: Operation, numbers: dict[SSAValue, int]) -> None:
    """Let the results of `op` be known as equal, and those of a product replaced."""
    for result, same in zip(op.results, first.results, strict=True):
        numbers[result] = numbers[same]
        if is_product(op) or isinstance(op, _READS):
            result.replace_all_uses_with(same)
    if is_product(op) or isinstance(op, _READS):
        erase(op)


_READS = (FieldOp, HasFieldOp)
"""Reads of nodes, which nobody changes; one that raises has done so the first time."""
