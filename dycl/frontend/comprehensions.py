"""Comprehensions and generators: loops that fill a new list, set or dict.

A generator expression is taken where it is used up at once. Given to `any`, `all`,
`next` or `sum` it is a loop that stops where Python's would; elsewhere it is a list,
which its one reader cannot tell from it.
"""

import ast
import builtins
from collections.abc import Callable

from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import lower_branch, to_bool
from dycl.frontend.loops import lower_jump, lower_loop
from dycl.frontend.source import assigned_names, walrus_names
from dycl.ir import (
    BinaryOp,
    CallOp,
    DictOp,
    InvokeOp,
    ListOp,
    RaiseOp,
    StoreSubscriptOp,
)
from dycl.ir.values import GlobalRef

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Lower = Callable[[FunctionBuilder, ast.expr], SSAValue]

_RESULT, _STOPPED = ".result", ".stopped"
"""Names of what a loop over a generator carries; no name of the user's has a dot."""


def lower_comprehension(
    b: FunctionBuilder, node: Comprehension, expression: Lower, test: Lower
) -> SSAValue:
    """`[f(x) for x in v if c]`, given how to lower an expression and a test.

    Of a generator expression, what it gives as a list.
    """
    if isinstance(node, ast.DictComp):
        table = b.value(DictOp([]), node)

        def store() -> bool:
            key, value = expression(b, node.key), expression(b, node.value)
            b.emit(StoreSubscriptOp(table, key, value), node)
            return True

        _Loops(b, node, expression, test, store).run([])
        return table
    items = b.value(ListOp([]), node)
    element = node.elt

    def append() -> bool:
        b.emit(InvokeOp(items, "append", [expression(b, element)]), node)
        return True

    _Loops(b, node, expression, test, append).run([])
    if isinstance(node, ast.SetComp):
        return b.value(
            CallOp(b.constant(GlobalRef("builtins.set"), node), [items]), node
        )
    return items


def lower_reduction(
    b: FunctionBuilder,
    function: object,
    node: ast.GeneratorExp,
    rest: list[SSAValue],
    expression: Lower,
    test: Lower,
) -> SSAValue | None:
    """`any(... for ...)`, `all`, `next`, `sum`; None when it is another function.

    `rest` are the arguments after the generator.
    """
    reduction = _Reduction(b, node, rest, expression, test)
    if function is builtins.any and not rest:
        return reduction.search(looked_for=True)
    if function is builtins.all and not rest:
        return reduction.search(looked_for=False)
    if function is builtins.next and len(rest) < 2:
        return reduction.first()
    if function is builtins.sum and any(g.ifs for g in node.generators):
        return reduction.total()
    return None


class _Reduction:
    """A loop that carries its result, and ends when that is known."""

    def __init__(
        self,
        b: FunctionBuilder,
        node: ast.GeneratorExp,
        rest: list[SSAValue],
        expression: Lower,
        test: Lower,
    ):
        self.b = b
        self.node = node
        self.rest = rest
        self.expression = expression
        self.test = test

    def search(self, looked_for: bool) -> SSAValue:
        """`any` looks for a true item, `all` for a false one, and then stops."""
        b, element = self.b, self.node.elt
        result = not looked_for

        def stop() -> bool:
            b.bind(_RESULT, b.constant(looked_for, self.node))
            return self.stop()

        def body() -> bool:
            test, text = self.test(b, element), b.source.text(element)
            sides = (stop, lambda: True) if looked_for else (lambda: True, stop)
            return lower_branch(b, element, test, text, *sides)

        return self.run(b.constant(result, self.node), body)

    def first(self) -> SSAValue:
        """`next(... for ...)`: the first item, or the default."""
        b = self.b
        start = self.rest[0] if self.rest else b.constant(None, self.node)

        def body() -> bool:
            b.bind(_RESULT, self.expression(b, self.node.elt))
            return self.stop()

        if self.rest:
            return self.run(start, body)
        result, stopped = self.run_with_flag(start, body)

        def empty() -> bool:
            b.emit(RaiseOp("builtins.StopIteration", []), self.node)
            return False

        lower_branch(b, self.node, stopped, "an item", lambda: True, empty)
        return result

    def total(self) -> SSAValue:
        """`sum(... for ...)`: the items, added to the start one by one."""
        b = self.b
        start = self.rest[0] if self.rest else b.constant(0, self.node)

        def body() -> bool:
            item = self.expression(b, self.node.elt)
            b.bind(_RESULT, b.value(BinaryOp("add", b.env[_RESULT], item), self.node))
            return True

        return self.run(start, body)

    def run(self, start: SSAValue, body: Callable[[], bool]) -> SSAValue:
        return self.run_with_flag(start, body)[0]

    def run_with_flag(
        self, start: SSAValue, body: Callable[[], bool]
    ) -> tuple[SSAValue, SSAValue]:
        """The result, and whether the loops were stopped."""
        b = self.b
        outer = {name: b.env.pop(name, None) for name in (_RESULT, _STOPPED)}
        b.bind(_RESULT, start)
        b.bind(_STOPPED, b.constant(False, self.node))
        _Loops(b, self.node, self.expression, self.test, body).run([_RESULT, _STOPPED])
        result, stopped = b.env.pop(_RESULT), b.env.pop(_STOPPED)
        b.env.update({name: v for name, v in outer.items() if v is not None})
        return result, to_bool(b, stopped, self.node)

    def stop(self) -> bool:
        """Leave the innermost loop; the others ask for the flag."""
        self.b.bind(_STOPPED, self.b.constant(True, self.node))
        lower_jump(self.b, ast.copy_location(ast.Break(), self.node))
        return False


class _Loops:
    """One loop for each `for`, one branch for each `if`, and at the core `body`."""

    def __init__(
        self,
        b: FunctionBuilder,
        node: Comprehension,
        expression: Lower,
        test: Lower,
        body: Callable[[], bool],
    ):
        self.b = b
        self.node = node
        self.expression = expression
        self.test = test
        self.body = body
        self.names: list[str] = []

    def run(self, carried: list[str]) -> None:
        """The loops. What `:=` binds, and `carried`, go from iteration to iteration.

        The targets have a scope of their own, which the first iterable does not see:
        they are hidden again afterwards.
        """
        b, generators = self.b, self.node.generators
        iterable = self.expression(b, generators[0].iter)
        bound = dict.fromkeys(walrus_names(self.node))
        self.names = [*(name for name in bound if name not in b.cells), *carried]
        targets = assigned_names([g.target for g in generators])
        hidden = {name: b.env.get(name) for name in targets}
        added = {name for name in targets if name not in b.local_names}
        b.local_names |= added
        cells, own = b.cells & set(targets), set(targets) - b.comprehension_names
        b.cells -= cells
        b.comprehension_names |= own
        self.add(generators, iterable)
        b.local_names -= added
        b.cells |= cells
        b.comprehension_names -= own
        for name, value in hidden.items():
            b.env.pop(name, None)
            if value is not None:
                b.env[name] = value

    def add(self, generators: list[ast.comprehension], iterable: SSAValue) -> None:
        """The loop of the first generator, with the others inside."""
        head, *rest = generators

        def bind(item: SSAValue) -> None:
            from dycl.frontend.statements import assign

            assign(self.b, head.target, item)

        lower_loop(
            self.b,
            self.node,
            f"{ast.unparse(head.target)} in {ast.unparse(head.iter)}",
            iterable,
            bind,
            lambda: self.filtered(head.ifs, rest),
            self.names,
        )

    def filtered(self, tests: list[ast.expr], rest: list[ast.comprehension]) -> bool:
        """What is done for an item that passes the tests; whether it falls through."""
        b = self.b
        if tests:
            head, *others = tests
            test, text = self.test(b, head), b.source.text(head)
            return lower_branch(
                *(b, head, test, text),
                lambda: self.filtered(others, rest),
                lambda: True,
            )
        if not rest:
            return self.body()
        self.add(rest, self.expression(b, rest[0].iter))
        if _STOPPED not in self.names:
            return True

        def stop() -> bool:
            lower_jump(b, ast.copy_location(ast.Break(), self.node))
            return False

        stopped = to_bool(b, b.env[_STOPPED], self.node)
        return lower_branch(b, self.node, stopped, "stopped", stop, lambda: True)
