"""Loops: every name that the body assigns is carried from iteration to iteration."""

import ast
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder, LoweredRegion
from dycl.frontend.source import assigned_names
from dycl.ir import BreakOp, ConditionOp, ContinueOp, ForOp, WhileOp, YieldOp


def lower_for(
    b: FunctionBuilder,
    node: ast.For,
    iterable: SSAValue,
    bind_item: Callable[[SSAValue], None],
    body: Callable[[], bool],
) -> None:
    """`for target in iterable: body`."""
    names = _carried(b, assigned_names([node.target, *node.body]))
    initial = [b.read(name, node) for name in names]

    def lower() -> bool:
        bind_item(b.block.args[0])
        return _body(b, node, names, body)

    lowered = _in_loop(b, names, lambda: b.region(lower, [None, *names]))
    op = ForOp(iterable, initial, lowered.region())
    words = f"{ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    op.attributes["test"] = StringAttr(words)
    _bind_results(b, names, list(b.emit(op, node)))


def lower_while(
    b: FunctionBuilder,
    node: ast.While,
    test: Callable[[], SSAValue],
    body: Callable[[], bool],
) -> None:
    """`while test: body`."""
    names = _carried(b, assigned_names([node.test, *node.body]))
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


def lower_jump(b: FunctionBuilder, node: ast.Break | ast.Continue) -> None:
    """`break` or `continue` of the nearest loop, with its names as they are here."""
    kind = BreakOp if isinstance(node, ast.Break) else ContinueOp
    b.emit(kind(_current(b, b.loops[-1], node)), node)


def _carried(b: FunctionBuilder, names: list[str]) -> list[str]:
    """What is shared with inner functions lives in a cell, which stays the same."""
    return [n for n in names if n not in b.cells]


def _in_loop(
    b: FunctionBuilder, names: list[str], run: Callable[[], LoweredRegion]
) -> LoweredRegion:
    b.loops.append(names)
    result = run()
    b.loops.pop()
    return result


def _body(
    b: FunctionBuilder, node: ast.stmt, names: list[str], body: Callable[[], bool]
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
        result.name_hint = name
        b.env[name] = result
