"""Smaller candidates of IR text, for the reducer. They need not be valid."""

from collections.abc import Iterator, Sequence
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.driver.ir_dump import printed
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.tools.same import new_context


def ir_steps(text: str) -> Iterator[str]:
    """The text without some ops, or with a region in place of its op.

    Locations are kept. Nothing for a text that cannot be parsed.
    """
    try:
        count = len(_ops(_parsed(text)))
    except (ParseError, DiagnosticException):
        return
    size = max(count // 2, 1)
    while size > 0:
        for start in reversed(range(0, count, size)):
            module = _parsed(text)
            if _drop(_ops(module)[start : start + size]):
                yield printed(module, locations=True)
        size = size // 2
    for number in range(count):
        for region in (0, 1):
            module = _parsed(text)
            if _open(_ops(module)[number], region):
                yield printed(module, locations=True)
    for number in range(count):
        module = _parsed(text)
        if _forward(_ops(module)[number]):
            yield printed(module, locations=True)


@cache
def _context():
    return new_context()


def _parsed(text: str) -> ModuleOp:
    return parse_text(_context(), text, "reduced.mlir")


def _ops(module: ModuleOp) -> list[Operation]:
    """All ops but the module, in order."""
    return [op for op in walk(module) if op is not module]


def _drop(ops: Sequence[Operation]) -> bool:
    """Erase the ops that nobody uses, last first; whether any was."""
    dropped = False
    for op in reversed(ops):
        ends = op.has_trait(IsTerminator)
        if not ends and not any(result.uses for result in op.results) and op.parent:
            op.detach()
            op.erase()
            dropped = True
    return dropped


def _open(op: Operation, number: int) -> bool:
    """Put what is in a region in the place of its op, if types allow."""
    if number >= len(op.regions) or len(op.regions[number].blocks) != 1:
        return False
    block, parent = op.regions[number].block, op.parent_op()
    if parent is None or isinstance(parent, ModuleOp):
        return False
    end, given = block.last_op, op.operands[-len(block.args) :] if block.args else []
    if end is None or [v.type for v in given] != [a.type for a in block.args]:
        return False
    values = _matching(end.operands, op)
    if values is None:
        return False
    for argument, value in zip(list(block.args), given, strict=True):
        argument.replace_all_uses_with(value)
    end.detach()
    end.erase()
    for argument in list(block.args):
        block.erase_arg(argument)
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.replace_op(op, [], values)
    return True


def _matching(found: Sequence[SSAValue], op: Operation) -> list[SSAValue] | None:
    """As many of the last values as the op has results, of their types."""
    count = len(op.results)
    values = list(found[len(found) - count :])
    fits = [v.type for v in values] == list(op.result_types)
    return values if len(values) == count and fits else None


def _forward(op: Operation) -> bool:
    """Let users of an op use an earlier value of its type: then it can be dropped."""
    if not op.results or op.regions or not any(r.uses for r in op.results):
        return False
    changed = False
    for result in op.results:
        earlier = next(_values_before(op, result), None)
        if earlier is not None:
            result.replace_all_uses_with(earlier)
            changed = True
    if changed:
        _drop([op])
    return changed


def _values_before(op: Operation, like: SSAValue) -> Iterator[SSAValue]:
    """Values of a type that are there before an op, its operands first."""
    yield from (v for v in op.operands if v.type == like.type)
    block: Block | None = op.parent
    if block is not None:
        yield from (a for a in block.args if a.type == like.type)
