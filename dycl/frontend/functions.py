"""Functions: parameters, defaults, what an inner function sees of the outer one.

An inner function (`def` or `lambda`) becomes a function of the module whose first
parameters are the variables that it captures; the location of its definition gives
these, by `functools.partial`. A captured variable that may still change is a *cell*: a
dict with one entry, shared by both functions, as in Python.
"""

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dycl.frontend import refusals
from dycl.frontend.autograd import Applied, forward_of
from dycl.frontend.builder import FunctionBuilder, Outside
from dycl.frontend.generators import refused_yield, yields_of
from dycl.frontend.managers import MANAGER, is_manager, parted
from dycl.frontend.memoised import is_memoised, memoised_function
from dycl.frontend.purity import Impure, attributes_read
from dycl.frontend.scopes import captured_names, cell_names, is_own_name, local_names
from dycl.frontend.source import (
    FunctionSource,
    NoSource,
    first_line,
    hidden,
    read,
)
from dycl.ir import CallOp, ReturnOp, UnsupportedOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import GENERATOR, MEMOISED
from dycl.ir.signature import Signature
from dycl.ir.value_names import value_name
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    LeafRef,
    NotAConstant,
    UnsupportedRef,
    to_attr,
)


def lower_function(symbol: str, function: Any, outside: Outside) -> FuncOp:
    """A function that exists now. One without a source is refused where it is used."""
    if isinstance(function, Applied):
        return _lower_applied(symbol, function, outside)
    if is_memoised(function):
        return _lower_memoised(symbol, function, outside)
    wrapped = hidden(function)
    try:
        source = read(function if wrapped is None else wrapped)
    except NoSource as why:
        return _refused_function(symbol, function, refusals.unread(why))
    manager = parted(source) if is_manager(function) else None
    if manager is not None:
        source, wrapped = manager, None
    b = FunctionBuilder(source, local_names(source.node), outside)
    defaults = _known_defaults(source, outside, symbol)
    if manager is not None:
        from dycl.prelude.contexts import Manager

        b.statics[MANAGER] = Manager

    def before() -> SSAValue | None:
        refused = None
        for decorator in source.decorators if wrapped is not None else []:
            what = refusals.decorated(ast.unparse(decorator))
            refused = b.refuse(what, decorator)
        return refused

    return _lower_body(symbol, b, (), defaults, before)


def _lower_memoised(symbol: str, function: Any, outside: Outside) -> FuncOp:
    """A function under `functools.cache`, or of a cached property."""
    try:
        source = read(plain := memoised_function(function))
    except NoSource as why:
        return _refused_function(symbol, function, refusals.unread(why))
    names, impure = frozenset[str](), ""
    try:
        names = attributes_read(plain)
    except (Impure, NoSource) as why:
        impure = str(why)
    b = FunctionBuilder(source, local_names(source.node), outside)

    def before() -> SSAValue | None:
        if not impure:
            return None
        refusal = refusals.memoised(function.__name__, impure)
        return b.refuse(refusal, (source.decorators or [source.node])[0])

    defaults = _known_defaults(source, outside, symbol)
    op = _lower_body(symbol, b, (), defaults, before)
    op.attributes[MEMOISED] = ArrayAttr(map(StringAttr, sorted(names)))
    return op


def _lower_applied(symbol: str, function: Applied, outside: Outside) -> FuncOp:
    """`apply` of an autograd function: its `forward`."""
    try:
        forward = forward_of(function)
    except NoSource as why:
        return _refused_function(symbol, function, refusals.unread(why))
    source = forward.source
    defaults = _known_defaults(source, outside, symbol)
    b = FunctionBuilder(source, local_names(source.node), outside)

    def before() -> None:
        if forward.cls:
            b.local_names.add(forward.cls)
            cls = outside.value(function.cls, symbol)
            b.bind(forward.cls, b.constant(cls, source.node))
        if forward.used is not None:
            b.local_names.add(forward.context)
            what = refusals.autograd_context(forward.context)
            b.bind(forward.context, b.refuse(what, forward.used))

    return _lower_body(symbol, b, (), defaults, before)


def lower_inner_function(
    b: FunctionBuilder, node: ast.FunctionDef | ast.Lambda
) -> SSAValue:
    """The value of a `def` or `lambda` inside the function that `b` builds."""
    from dycl.frontend.expressions import lower_expression

    source = b.source.inner(node)
    used = captured_names(node, b.local_names - set(b.statics))
    recursive = [n for n in used if is_own_name(node, n) and n not in b.cells]
    captured = [n for n in used if n not in recursive]
    for name in captured:
        if name in b.comprehension_names:
            return b.refuse(refusals.late_binding(name), node)
    cells = {n for n in captured if n in b.cells}
    given = [b.env[n] if n in cells else b.read(n, node) for n in captured]
    hidden_names = [f"captured {n}" for n in captured]
    defaults: dict[str, Attribute] = {}
    parameters = source.node.args
    for parameter, default in _written_defaults(parameters):
        defaults[parameter] = to_attr(LeafRef(len(given)))
        given.append(lower_expression(b, default))
        hidden_names.append(f"default {parameter}")
    names = local_names(node) | set(used)
    inner = FunctionBuilder(source, names, b.outside)
    inner.statics = {n: v for n, v in b.statics.items() if n not in inner.local_names}
    inner.cells = cells

    def lower(symbol: str) -> FuncOp:
        shown = [*captured, *("" for _ in hidden_names[len(captured) :])]
        known = list(zip(hidden_names, shown, strict=True))

        def before() -> None:
            for own in recursive:
                arguments = list(inner.block.args[: len(known)])
                inner.bind(own, _closure(inner, node, symbol, arguments))

        return _lower_body(symbol, inner, known, defaults, before)

    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    symbol = b.outside.nested(f"{b.symbol}.{name}", lower)
    return _closure(b, node, symbol, given)


def _closure(
    b: FunctionBuilder, node: ast.AST, symbol: str, given: Sequence[SSAValue]
) -> SSAValue:
    """A function with what it captures."""
    value = b.constant(FunctionRef(symbol), node)
    if not given:
        return value
    partial = b.constant(GlobalRef("functools.partial"), node)
    return b.value(CallOp(partial, [value, *given]), node)


def _lower_body(
    symbol: str,
    b: FunctionBuilder,
    hidden_names: "Sequence[tuple[str, str]]",
    defaults: dict[str, Attribute],
    before: Callable[[], SSAValue | None] = lambda: None,
) -> FuncOp:
    """A function. What `before` refuses of it as a whole is all that it gives."""
    source = b.source
    b.symbol = symbol
    signature, names = _signature(source.node.args, hidden_names, defaults)
    block = b.block = Block(arg_types=[VALUE] * len(names))
    own_cells = cell_names(source.node)
    captured = {shown for _, shown in hidden_names}
    for name, argument in zip(names, block.args, strict=True):
        if name in b.cells and name in captured:
            b.env[name] = argument
            argument.name_hint = value_name(name)
        elif name:
            b.bind(name, argument)
    b.make_cells(sorted(own_cells), source.node)
    refused = before()
    from dycl.frontend.statements import lower_statements

    if refused is not None:
        b.emit(ReturnOp([refused]), source.node)
    elif (at := refused_yield(source.node)) is not None:
        # One refusal: what its statements would give is nobody's to read.
        b.emit(ReturnOp([b.refuse(refusals.generator(), at)]), at)
    elif lower_statements(b, source.body):
        b.emit(ReturnOp([b.constant(None, source.node)]), source.node)
    op = FuncOp(symbol, ([VALUE] * len(names), [VALUE]), Region(block))
    op.location = source.location(source.node)
    op.attributes.update(signature.attributes())
    yields = yields_of(source.node) if refused is None else []
    if yields and refused_yield(source.node) is None:
        op.attributes[GENERATOR] = UnitAttr()
    return op


def _signature(
    arguments: ast.arguments,
    hidden_names: Sequence[tuple[str, str]],
    defaults: dict[str, Attribute],
) -> tuple[Signature, list[str]]:
    """The signature, and the names that the body has for the block's arguments."""
    by_place = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
    by_name = [a.arg for a in arguments.kwonlyargs]
    stars = [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
    own = [*by_place, *by_name, *stars]
    signature = Signature(
        (*(name for name, _ in hidden_names), *own),
        len(hidden_names) + len(arguments.posonlyargs),
        tuple(by_name),
        "" if arguments.vararg is None else arguments.vararg.arg,
        "" if arguments.kwarg is None else arguments.kwarg.arg,
        defaults,
    )
    return signature, [*(shown for _, shown in hidden_names), *own]


def _written_defaults(arguments: ast.arguments) -> list[tuple[str, ast.expr]]:
    """Parameters with a default, in the order in which Python evaluates these."""
    by_place = [*arguments.posonlyargs, *arguments.args]
    last = by_place[len(by_place) - len(arguments.defaults) :]
    defaults = [(a.arg, d) for a, d in zip(last, arguments.defaults, strict=True)]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return defaults + [(a.arg, d) for a, d in pairs if d is not None]


def _known_defaults(
    source: FunctionSource, outside: Outside, symbol: str
) -> dict[str, Attribute]:
    result: dict[str, Attribute] = {}
    plain: Any = source.function
    for parameter in inspect.signature(plain, follow_wrapped=False).parameters.values():
        if parameter.default is inspect.Parameter.empty:
            continue
        known = outside.value(parameter.default, f"{symbol}.{parameter.name}")
        try:
            result[parameter.name] = to_attr(known)
        except NotAConstant as why:
            result[parameter.name] = to_attr(UnsupportedRef(str(why)))
    return result


def _refused_function(symbol: str, function: Any, refusal: refusals.Refusal) -> FuncOp:
    op = UnsupportedOp(refusal.code, refusal.what, refusal.help)
    signature = Signature(("args", "kwargs"), vararg="args", kwarg="kwargs")
    block = Block(arg_types=[VALUE] * 2)
    block.add_ops([op, ReturnOp([op.result])])
    result = FuncOp(symbol, ([VALUE] * 2, [VALUE]), Region(block))
    result.attributes.update(signature.attributes())
    location = first_line(function)
    for item in (result, *block.ops):
        item.location = location
    return result
