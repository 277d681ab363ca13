"""Editing structured IR: what the passes of the normalise phase share."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dycl.ir import (
    ConstantOp,
    LeaveOp,
    ScopeOp,
    UnsupportedOp,
)
from dycl.ir.walking import walk


def blocks_of(op: Operation) -> Iterator[Block]:
    """All blocks inside an op, outer before inner, in order; safe while editing."""
    stack = [b for r in reversed(op.regions) for b in reversed(list(r.blocks))]
    while stack:
        block = stack.pop()
        yield block
        inner = [b for o in block.ops for r in o.regions for b in r.blocks]
        stack.extend(reversed(inner))


def set_slot_attribute(
    kernel: FuncOp, is_result: bool, index: int, name: str, attribute: Attribute
) -> None:
    """Give an argument or a result of a function an attribute."""
    signature = kernel.function_type
    count = len(signature.outputs if is_result else signature.inputs)
    before = kernel.res_attrs if is_result else kernel.arg_attrs
    entries = list(before) if before else [DictionaryAttr({})] * count
    entries[index] = DictionaryAttr({**entries[index].data, name: attribute})
    if is_result:
        kernel.res_attrs = ArrayAttr(entries)
    else:
        kernel.arg_attrs = ArrayAttr(entries)


def erase_from(op: Operation | None) -> None:
    """Erase an op and all that follows it in its block: no path gets there."""
    doomed: list[Operation] = []
    while op is not None:
        doomed.append(op)
        op = op.next_op
    for dead in reversed(doomed):
        dead.detach()
        dead.erase(safe_erase=False)


def move_before(anchor: Operation, ops: Sequence[Operation]) -> None:
    """Move ops (or new ones), in order, in front of `anchor`."""
    block = anchor.parent
    assert block is not None
    for op in ops:
        if op.parent is not None:
            op.detach()
        block.insert_op_before(op, anchor)


def put_before(anchor: Operation, new: Operation) -> SSAValue:
    """Put a new op in front of `anchor`, at its source place; its first result."""
    new.location = anchor.location
    move_before(anchor, [new])
    return new.results[0]


def replace(op: Operation, values: Sequence[SSAValue]) -> None:
    """Give all uses of an op's results to `values` and erase it; names are kept."""
    for old, new in zip(op.results, values, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def constant_before(anchor: Operation, value: Attribute, like: SSAValue) -> SSAValue:
    """A `dycl.constant` in front of `anchor`, with the type and name of `like`."""
    op = ConstantOp(value, like.type)
    op.location = anchor.location
    block = anchor.parent
    assert block is not None
    block.insert_op_before(op, anchor)
    op.result.name_hint = like.name_hint
    return op.result


def retyped(value: SSAValue, wanted: Attribute) -> SSAValue:
    """The value with another type, everywhere it is used."""
    return Rewriter.replace_value_with_new_type(value, wanted)


def refuse(op: Operation, code: str, what: str, help: str) -> None:
    """Replace a value op by a refusal at its place."""
    refusal = UnsupportedOp(code, what, help)
    refusal.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(refusal, op)
    replace(op, [refusal.result] * len(op.results))


def labels_of(module: ModuleOp) -> dict[str, int]:
    """The labels of all scopes, each with the number to try next for its stem."""
    return {o.label.data: 1 for o in walk(module) if isinstance(o, ScopeOp)}


def fresh_label(taken: dict[str, int], stem: str) -> str:
    """A label that no scope has yet; it is taken from now on."""
    label = stem
    while label in taken:
        label = f"{stem}_{taken[stem]}"
        taken[stem] += 1
    taken[label] = 1
    return label


def swap_end(end: Operation, label: str, values: Sequence[SSAValue]) -> None:
    """Replace a terminator by `dycl.leave label values`."""
    leave = LeaveOp(label, values)
    leave.location = end.location
    block = end.parent
    assert block is not None
    block.insert_op_before(leave, end)
    end.detach()
    end.erase()
