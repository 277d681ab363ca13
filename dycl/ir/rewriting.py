"""Editing structured IR: values that ops with regions forward come and go."""

from collections.abc import Sequence
from typing import TypeVar

from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dycl.ir.interfaces import RegionBranchOp

BranchOpT = TypeVar("BranchOpT", bound=RegionBranchOp)


def append_results(
    op: BranchOpT,
    types: Sequence[Attribute],
    names: Sequence[str | None],
    initial: Sequence[SSAValue] = (),
) -> BranchOpT:
    """Replace an op by one with further results; gives the new one.

    Its terminators forward the values already. `initial` are further first values.
    """
    count = len(op.results)
    new = op.rebuilt([*op.result_types, *types], [*op.forwarded, *initial])
    _replace(op, new, range(count))
    for result, name in zip(new.results[count:], names, strict=True):
        result.name_hint = name
    return new


def keep_results(op: BranchOpT, kept: Sequence[int]) -> BranchOpT:
    """Replace an op by one that forwards the values of these numbers only.

    Nobody uses the others: neither the results nor, apart from the terminators that
    forward them, what they are inside.
    """
    dropped = [i for i in range(len(op.results)) if i not in kept]
    for end in op.terminators:
        values = end.forwarded
        end.forward([values[i] for i in kept])
    op.erase_arguments(dropped)
    values = op.forwarded
    new = op.rebuilt(
        [op.results[i].type for i in kept], [values[i] for i in kept if values]
    )
    _replace(op, new, kept)
    return new


def _replace(old: RegionBranchOp, new: RegionBranchOp, kept: Sequence[int]) -> None:
    """Put an op in the place of another: its first results are those of `kept`."""
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)
    for i, result in zip(kept, new.results, strict=False):
        result.name_hint = old.results[i].name_hint
        old.results[i].replace_all_uses_with(result)
    Rewriter.erase_op(old, safe_erase=False)
