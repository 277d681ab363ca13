"""Branches: `if`, `elif`, conditional expressions, `and`, `or`, comparison chains.

Names that a branch assigns become results of the `dycl.if`; a branch that leaves
(`return`, `break`, `continue`) yields nothing, and what follows stands flat after it.
"""

import ast
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder, LoweredRegion
from dycl.ir import IfOp, TruthOp, UnboundOp, UnreachableOp, YieldOp
from dycl.ir.dialect.syntax import VALUE

Lower = Callable[[], bool]
LowerValue = Callable[[], SSAValue]


def lower_branch(
    b: FunctionBuilder,
    node: ast.AST,
    test: SSAValue,
    text: str,
    then: Lower,
    els: Lower,
) -> bool:
    """`if test: then else: els`; says whether control falls through."""
    sides = [b.region(then), b.region(els)]
    names = _changed_names(b, sides)
    if not any(s.falls for s in sides):
        _close(b, node, test, text, sides, [], [])
        b.emit(UnreachableOp(), node)
        return False
    _close(b, node, test, text, sides, names, [])
    return True


def lower_choice(
    b: FunctionBuilder,
    node: ast.AST,
    test: SSAValue,
    text: str,
    then: LowerValue,
    els: LowerValue,
) -> SSAValue:
    """`then if test else els`, evaluating one side only."""
    values: list[SSAValue] = []

    def lower(side: LowerValue) -> Lower:
        def run() -> bool:
            values.append(side())
            return True

        return run

    sides = [b.region(lower(then)), b.region(lower(els))]
    names = _changed_names(b, sides)
    return _close(b, node, test, text, sides, names, values)[0]


def truth(b: FunctionBuilder, value: SSAValue, node: ast.AST) -> SSAValue:
    """`bool(value)`."""
    if isinstance(value.owner, TruthOp):
        return value
    return b.value(TruthOp(value), node)


def _changed_names(b: FunctionBuilder, sides: list[LoweredRegion]) -> list[str]:
    changed: dict[str, None] = {}
    for side in sides:
        if side.falls:
            for name in {**side.env, **b.env}:
                if side.env.get(name) is not b.env.get(name):
                    changed[name] = None
    return list(changed)


def _close(
    b: FunctionBuilder,
    node: ast.AST,
    test: SSAValue,
    text: str,
    sides: list[LoweredRegion],
    names: list[str],
    values: list[SSAValue],
) -> list[SSAValue]:
    """End the regions, add the `dycl.if`, bind the names; gives the extra results."""
    for index, side in enumerate(sides):
        if side.falls:
            ends = values[index : index + 1]
            ends += [_at_end(b, side, name, node) for name in names]
            end = YieldOp(ends)
            end.location = b.source.location(node)
            side.block.add_op(end)
    count = len(names) + (1 if values else 0)
    then, els = sides
    op = IfOp(test, [VALUE] * count, then.region(), els.region())
    op.attributes["test"] = StringAttr(text)
    results = list(b.emit(op, node))
    extra = results[: count - len(names)]
    for name, result in zip(names, results[len(extra) :], strict=True):
        b.bind(name, result)
    return extra


def _at_end(
    b: FunctionBuilder, side: LoweredRegion, name: str, node: ast.AST
) -> SSAValue:
    found = side.env.get(name)
    if found is not None:
        return found
    op = UnboundOp(name)
    op.location = b.source.location(node)
    side.block.add_op(op)
    return op.result
