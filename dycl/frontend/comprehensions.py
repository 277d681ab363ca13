"""List comprehensions: a loop that appends to a new list."""

import ast
from collections.abc import Callable

from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import lower_branch
from dycl.frontend.source import assigned_names
from dycl.ir import ForOp, InvokeOp, ListOp, YieldOp

Comprehension = ast.ListComp | ast.GeneratorExp
Lower = Callable[[FunctionBuilder, ast.expr], SSAValue]


def lower_comprehension(
    b: FunctionBuilder, node: Comprehension, expression: Lower, test: Lower
) -> SSAValue:
    """`[f(x) for x in v if c]`, given how to lower an expression and a test.

    The targets have a scope of their own, which the first iterable does not see: they
    are hidden again afterwards.
    """
    result = b.value(ListOp([]), node)
    iterable = expression(b, node.generators[0].iter)
    targets = assigned_names([g.target for g in node.generators])
    hidden = {name: b.env.get(name) for name in targets}
    added = {name for name in targets if name not in b.local_names}
    b.local_names |= added
    cells, own = b.cells & set(targets), set(targets) - b.comprehension_names
    b.cells -= cells
    b.comprehension_names |= own
    _Loops(b, node, result, expression, test).add(node.generators, iterable)
    b.local_names -= added
    b.cells |= cells
    b.comprehension_names -= own
    for name, value in hidden.items():
        b.env.pop(name, None)
        if value is not None:
            b.env[name] = value
    return result


class _Loops:
    """One loop for each `for`, one branch for each `if`."""

    def __init__(
        self,
        b: FunctionBuilder,
        node: Comprehension,
        result: SSAValue,
        expression: Lower,
        test: Lower,
    ):
        self.b = b
        self.node = node
        self.result = result
        self.expression = expression
        self.test = test

    def add(self, generators: list[ast.comprehension], iterable: SSAValue) -> None:
        """The loop of the first generator, with the others inside."""
        head, *rest = generators
        b = self.b

        def body() -> bool:
            from dycl.frontend.statements import assign

            assign(b, head.target, b.block.args[0])
            self.filtered(head.ifs, rest)
            b.emit(YieldOp(), self.node)
            return True

        lowered = b.region(body, [None])
        b.emit(ForOp(iterable, [], lowered.region()), self.node)

    def filtered(self, tests: list[ast.expr], rest: list[ast.comprehension]) -> None:
        """What is done for an item that passes the tests."""
        if tests:
            head, *others = tests

            def run() -> bool:
                self.filtered(others, rest)
                return True

            test, text = self.test(self.b, head), self.b.source.text(head)
            lower_branch(self.b, head, test, text, run, lambda: True)
        elif rest:
            self.add(rest, self.expression(self.b, rest[0].iter))
        else:
            item = self.expression(self.b, self.node.elt)
            self.b.emit(InvokeOp(self.result, "append", [item]), self.node)
