"""Loops: every name that the body assigns is carried from iteration to iteration.

A loop with an `else` that a `break` skips carries one more, which says that one was
taken: `BROKE` and a number.
"""

import ast
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder, LoweredRegion
from dycl.frontend.control import lower_branch
from dycl.frontend.source import assigned_names
from dycl.ir import BreakOp, ConditionOp, ContinueOp, ForOp, UnaryOp, WhileOp, YieldOp
from dycl.ir.value_names import value_name

BROKE = ".broke"


def lower_for(
    b: FunctionBuilder,
    node: ast.For,
    iterable: SSAValue,
    bind_item: Callable[[SSAValue], None],
    body: Callable[[], bool],
) -> None:
    """`for target in iterable: body`."""
    carried = _loop_carried(b, assigned_names([node.target, *node.body]))
    names = [*carried, *_flag_of(b, node)]
    words = f"{ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    lower_loop(b, node, words, iterable, bind_item, body, names)


def lower_loop(
    b: FunctionBuilder,
    node: ast.AST,
    words: str,
    iterable: SSAValue,
    bind_item: Callable[[SSAValue], None],
    body: Callable[[], bool],
    names: list[str],
) -> None:
    """A loop over `iterable` that carries `names`, and stands at `node`."""
    initial = [b.read(name, node) for name in names]

    def lower() -> bool:
        bind_item(b.block.args[0])
        return _body(b, node, names, body)

    lowered = _in_loop(b, names, lambda: b.region(lower, [None, *names]))
    op = ForOp(iterable, initial, lowered.region())
    op.attributes["test"] = StringAttr(words)
    _bind_results(b, names, list(b.emit(op, node)))


def lower_while(
    b: FunctionBuilder,
    node: ast.While,
    test: Callable[[], SSAValue],
    body: Callable[[], bool],
) -> None:
    """`while test: body`."""
    carried = _loop_carried(b, assigned_names([node.test, *node.body]))
    names = [*carried, *_flag_of(b, node)]
    initial = [b.read(name, node) for name in names]

    def before() -> bool:
        condition = test()
        b.emit(ConditionOp(condition, _current(b, names, node)), node)
        return True

    first = b.region(before, names)
    second = _in_loop(
        b, names, lambda: b.region(lambda: _body(b, node, names, body), names)
    )
    op = WhileOp(initial, first.region(), second.region())
    op.attributes["test"] = StringAttr(ast.unparse(node.test))
    _bind_results(b, names, list(b.emit(op, node)))


def _flag_of(b: FunctionBuilder, node: ast.For | ast.While) -> list[str]:
    """The name that says whether a `break` ended the loop, if there is an `else`."""
    if not node.orelse or not _has_break(node.body):
        return []
    name = f"{BROKE}{node.lineno}_{node.col_offset}"
    b.bind(name, b.constant(False, node))
    return [name]


def _has_break(body: list[ast.stmt]) -> bool:
    """Whether a `break` of this very loop is among its statements."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, (ast.For, ast.While)):
            stack += node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)
    return False


def lower_else(
    b: FunctionBuilder, node: ast.For | ast.While, orelse: Callable[[], bool]
) -> bool:
    """The `else` of the loop just lowered; says whether control falls through."""
    flag = b.env.get(f"{BROKE}{node.lineno}_{node.col_offset}")
    if flag is None or not node.orelse:
        return orelse()
    head = node.orelse[0]
    test = b.value(UnaryOp("not", flag), head)
    return lower_branch(b, head, test, "no break", orelse, lambda: True)


def lower_jump(b: FunctionBuilder, node: ast.Break | ast.Continue) -> None:
    """`break` or `continue` of the nearest loop, with its names as they are here."""
    if not b.leave(b.exits_outside[-1]):
        return
    names = b.loops[-1]
    if isinstance(node, ast.Break) and names and names[-1].startswith(BROKE):
        b.bind(names[-1], b.constant(True, node))
    kind = BreakOp if isinstance(node, ast.Break) else ContinueOp
    b.emit(kind(_current(b, b.loops[-1], node)), node)


def _loop_carried(b: FunctionBuilder, names: list[str]) -> list[str]:
    """What is shared with inner functions lives in a cell, which stays the same."""
    return [n for n in names if n not in b.cells]


def _in_loop(
    b: FunctionBuilder, names: list[str], run: Callable[[], LoweredRegion]
) -> LoweredRegion:
    b.loops.append(names)
    b.exits_outside.append(len(b.exits))
    result = run()
    b.exits_outside.pop()
    b.loops.pop()
    return result


def _body(
    b: FunctionBuilder, node: ast.AST, names: list[str], body: Callable[[], bool]
) -> bool:
    falls = body()
    if falls:
        b.emit(YieldOp(_current(b, names, node)), node)
    return falls


def _current(b: FunctionBuilder, names: list[str], node: ast.AST) -> list[SSAValue]:
    return [b.read(name, node) for name in names]


def _bind_results(
    b: FunctionBuilder, names: list[str], results: list[SSAValue]
) -> None:
    for name, result in zip(names, results, strict=True):
        result.name_hint = value_name(name) if name.isidentifier() else None
        b.env[name] = result
