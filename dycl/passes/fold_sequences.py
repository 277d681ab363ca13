"""`dycl-fold-sequences`: a list of a run whose items are known is a list again.

Before                          After
------                          -----
%s = dycl.sequence()            %t = dycl.list(%x)
%t = dycl.append %s, %x         %n = dycl.call %len(%t)
%n = dycl.call %len(%t)         dycl.return %n
dycl.return %n

Where paths have been copied (`dycl-specialize-joins`), each knows what it has put into
the list: tests of its length have one answer, and its tensors are stacked at a size
that is known.

Needs:  `dycl-carry-lists`: nobody changes a list any more.
Leaves: no `append` to a display; no sequence that is read only where its items are
        known.
Skips:  a sequence that a branch or loop forwards, that a recursion gives or is given,
        to which items are put that are not known, or of which a part is taken that is
        not known.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Use
from xdsl.passes import ModulePass

from dycl.ir import (
    AppendOp,
    ExtendOp,
    ListOp,
    LocalCallOp,
    LocalReturnOp,
    SequenceOp,
    SliceOp,
    SubscriptOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import erase, replace
from dycl.ir.walking import walk
from dycl.passes.lists.webs import becomes


@dataclass(frozen=True)
class FoldSequencesPass(ModulePass):
    """A list of a run whose items are known is a list again."""

    name = "dycl-fold-sequences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        for item in walk(entry):
            if isinstance(item, (AppendOp, ExtendOp)):
                _put_together(item)
        for item in [o for o in walk(entry) if isinstance(o, SequenceOp)]:
            if not item.result.uses:
                erase(item)
            elif not any(map(_needs_sequence, item.result.uses)):
                replace(item, ListOp(item.items))


def _needs_sequence(use: Use) -> bool:
    """Whether what becomes of the list is one whose items are not known."""
    is_handed_on = isinstance(use.operation, (LocalCallOp, LocalReturnOp))
    return is_handed_on or bool(becomes(use)) or _slices(use)


def _slices(use: Use) -> bool:
    """Whether a part is taken of which the bounds are not known."""
    op = use.operation
    return isinstance(op, SubscriptOp) and isinstance(op.index.owner, SliceOp)


def _put_together(op: AppendOp | ExtendOp) -> None:
    """What is put behind a display makes one display."""
    first = op.operands[0].owner
    if not isinstance(first, SequenceOp):
        return
    if isinstance(op, AppendOp):
        replace(op, SequenceOp([*first.items, op.value]))
    elif isinstance(rest := op.operands[1].owner, SequenceOp):
        replace(op, SequenceOp([*first.items, *rest.items]))
