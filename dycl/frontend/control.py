"""Branches: `if`, `elif`, conditional expressions, `and`, `or`, comparison chains.

Names that a branch assigns become results of the `dycl.if`; a branch that leaves
(`return`, `break`, `continue`) yields nothing, and what follows stands flat after it.
"""

import ast
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Region, SSAValue

from dycl.frontend.builder import FunctionBuilder, LoweredRegion
from dycl.ir import IfOp, ToBoolOp, UnboundOp, UnreachableOp, YieldOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionBranchOp

Lower = Callable[[], bool]
LowerValue = Callable[[], SSAValue]
Make = Callable[[Sequence[Attribute], Sequence[Region]], RegionBranchOp]


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
    return close_regions(b, node, sides, [(), ()], _if(test, text)) is not None


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
    results = close_regions(b, node, sides, [[v] for v in values], _if(test, text))
    assert results is not None
    return results[0]


def to_bool(b: FunctionBuilder, value: SSAValue, node: ast.AST) -> SSAValue:
    """`bool(value)`."""
    if isinstance(value.owner, ToBoolOp):
        return value
    return b.value(ToBoolOp(value), node)


def _changed_names(b: FunctionBuilder, sides: Sequence[LoweredRegion]) -> list[str]:
    changed: dict[str, None] = {}
    for side in sides:
        if side.falls:
            for name in {**side.env, **b.env}:
                if side.env.get(name) is not b.env.get(name):
                    changed[name] = None
    return list(changed)


def _if(test: SSAValue, text: str) -> Make:
    def make(types: Sequence[Attribute], regions: Sequence[Region]) -> IfOp:
        then, els = regions
        return IfOp(test, types, then, els, {"test": StringAttr(text)})

    return make


def close_regions(
    b: FunctionBuilder,
    node: ast.AST,
    sides: Sequence[LoweredRegion],
    values: Sequence[Sequence[SSAValue]],
    make: Make,
) -> Sequence[SSAValue] | None:
    """End the regions, add the op that `make` makes of them, and bind the names.

    `values` are further values that each side gives, if control falls out of it. Gives
    the results for them; None if control falls out of no side.
    """
    falls = [side for side in sides if side.falls]
    names = _changed_names(b, sides)
    count = 0
    for side, given in zip(sides, values, strict=True):
        if side.falls:
            count = len(given)
            yield_op = YieldOp(
                [*given, *(_at_end(b, side, name, node) for name in names)]
            )
            yield_op.location = b.source.location(node)
            side.block.add_op(yield_op)
    types = [VALUE] * (count + len(names)) if falls else []
    op = make(types, [side.region() for side in sides])
    results = b.emit(op, node)
    for name, result in zip(names, results[count:], strict=True):
        b.bind(name, result)
    if not falls:
        b.emit(UnreachableOp(), node)
        return None
    return results[:count]


def _at_end(
    b: FunctionBuilder, side: LoweredRegion, name: str, node: ast.AST
) -> SSAValue:
    result = side.env.get(name)
    if result is not None:
        return result
    op = UnboundOp(name)
    op.location = b.source.location(node)
    side.block.add_op(op)
    return op.result


def lower_bool_op(
    b: FunctionBuilder,
    node: ast.BoolOp,
    lower: Callable[[FunctionBuilder, ast.expr], SSAValue],
) -> SSAValue:
    """`a and b` is `b if a else a`, evaluating `a` once; `or` the other way round."""
    first, *rest = node.values
    value = lower(b, first)
    if not rest:
        return value
    tail = (
        rest[0]
        if len(rest) == 1
        else ast.copy_location(ast.BoolOp(node.op, rest), rest[0])
    )
    others: list[Callable[[], SSAValue]] = [lambda: lower(b, tail), lambda: value]
    if isinstance(node.op, ast.Or):
        others.reverse()
    test = to_bool(b, value, first)
    return lower_choice(b, first, test, b.source.text(first), *others)
