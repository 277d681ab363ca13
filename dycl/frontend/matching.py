"""`match`: each case is a test of its pattern, a body, and the cases after it.

Before                          After
------                          -----
match v:                        %m = v == 0 or v == 1
    case 0 | 1: a               dycl.if %m { a } else {
    case n if g(n): b             %n = if true { g(v) }; dycl.if %n { n = v; b } else {
    case _: c                       c
                                } }

A pattern is tested from left to right and no further than its first failure. Names are
bound when the whole pattern fits.
"""

import ast
from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import lower_branch, lower_choice, to_bool
from dycl.frontend.expressions import lower_expression, lower_test, static_value
from dycl.ir import (
    CallOp,
    CompareOp,
    GetattrOp,
    InvokeOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.values import GlobalRef

Lower = Callable[[FunctionBuilder, list[ast.stmt]], bool]
Value = Callable[[], SSAValue]
"""Puts what gives a value here: a test has a block of its own."""
Bound = dict[str, Value]
"""Names that a pattern binds, and how to get at their values."""
_TEXTS = ("str", "bytes", "bytearray")
_THEMSELVES = (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is for the value itself."""


def lower_match(b: FunctionBuilder, node: ast.Match, lower: Lower) -> bool:
    """`match`; says whether control falls through."""
    subject = lower_expression(b, node.subject)
    return _cases(b, subject, node.cases, lower)


def _cases(
    b: FunctionBuilder, subject: SSAValue, cases: Sequence[ast.match_case], lower: Lower
) -> bool:
    if not cases:
        return True
    head, *rest = cases
    pattern, guard = head.pattern, head.guard
    matcher = _Matcher(b)
    test = matcher.test(pattern, lambda: subject)
    if guard is not None:
        test = _guarded(b, matcher, test, guard)

    def run() -> bool:
        matcher.bind(pattern)
        return lower(b, head.body)

    text = ast.unparse(pattern) + ("" if guard is None else f" if {ast.unparse(guard)}")
    return lower_branch(
        *(b, pattern, test, f"case {text}", run),
        lambda: _cases(b, subject, rest, lower),
    )


def _guarded(
    b: FunctionBuilder, matcher: "_Matcher", test: SSAValue, guard: ast.expr
) -> SSAValue:
    """Whether the pattern fits and its guard, which sees the names, is true."""

    def asked() -> SSAValue:
        before = dict(b.env)
        matcher.bind(guard)
        answer = lower_test(b, guard)
        for name in matcher.bound:
            b.env.pop(name, None)
            if name in before:
                b.env[name] = before[name]
        return answer

    text = ast.unparse(guard)
    return to_bool(b, lower_choice(b, guard, test, text, asked, lambda: test), guard)


class _Matcher:
    """The test of one pattern, and what it binds."""

    def __init__(self, b: FunctionBuilder):
        self.b = b
        self.bound: Bound = {}

    def bind(self, node: ast.AST) -> None:
        """Give the names of the pattern their values here."""
        for name, value in self.bound.items():
            self.b.bind(name, value(), node)

    def test(self, node: ast.pattern, subject: Value) -> SSAValue:
        """Whether a value fits a pattern."""
        b = self.b
        match node:
            case ast.MatchValue():
                wanted = lower_expression(b, node.value)
                return self.compared("eq", subject(), wanted, node)
            case ast.MatchSingleton():
                wanted = b.constant(node.value, node)
                return self.compared("is", subject(), wanted, node)
            case ast.MatchAs():
                if node.name is not None:
                    self.bound[node.name] = subject
                if node.pattern is None:
                    return b.constant(True, node)
                return self.test(node.pattern, subject)
            case ast.MatchOr():
                return self.either(node, node.patterns, subject)
            case ast.MatchSequence():
                return self.sequence(node, subject)
            case ast.MatchClass():
                return self.instance(node, subject)
            case ast.MatchMapping():
                return self.mapping(node, subject)
            case _:
                return b.refuse(refusals.expression(ast.unparse(node)), node)

    def compared(
        self, kind: str, one: SSAValue, other: SSAValue, node: ast.AST
    ) -> SSAValue:
        return to_bool(self.b, self.b.value(CompareOp(kind, one, other), node), node)

    def either(
        self, node: ast.pattern, patterns: Sequence[ast.pattern], subject: Value
    ) -> SSAValue:
        head, *rest = patterns
        if any(isinstance(n, ast.MatchAs) and n.name for n in ast.walk(node)):
            return self.b.refuse(refusals.expression(ast.unparse(node)), node)
        test = self.test(head, subject)
        if not rest:
            return test
        return self.choose(
            head, test, lambda: test, lambda: self.either(node, rest, subject)
        )

    def all_of(
        self, node: ast.pattern, tests: Sequence[Callable[[], SSAValue]]
    ) -> SSAValue:
        """Whether all of some tests hold, up to the first that does not."""
        head, *rest = tests
        test = head()
        if not rest:
            return test
        return self.choose(node, test, lambda: self.all_of(node, rest), lambda: test)

    def choose(
        self,
        node: ast.pattern,
        test: SSAValue,
        then: Callable[[], SSAValue],
        els: Callable[[], SSAValue],
    ) -> SSAValue:
        results = lower_choice(self.b, node, test, ast.unparse(node), then, els)
        return to_bool(self.b, results, node)

    def call(self, function: str, *given: SSAValue, node: ast.AST) -> SSAValue:
        callee = self.b.constant(GlobalRef(f"builtins.{function}"), node)
        return self.b.value(CallOp(callee, list(given)), node)

    def is_instance(self, subject: Value, classes: SSAValue, node: ast.AST) -> SSAValue:
        asked = self.call("isinstance", subject(), classes, node=node)
        return to_bool(self.b, asked, node)

    def sequence(self, node: ast.MatchSequence, subject: Value) -> SSAValue:
        """`[a, b, *rest]`: a sequence that is no text, of this length."""
        b = self.b
        names = [type(p) is ast.MatchStar for p in node.patterns]
        star = names.index(True) if True in names else None
        count = len(names) - (star is not None)
        texts = [b.constant(GlobalRef(f"builtins.{n}"), node) for n in _TEXTS]
        kind = b.constant(GlobalRef("collections.abc.Sequence"), node)

        def length() -> SSAValue:
            item_count = self.call("len", subject(), node=node)
            asked = "eq" if star is None else "ge"
            return self.compared(asked, item_count, b.constant(count, node), node)

        def no_text() -> SSAValue:
            text = self.is_instance(subject, b.value(TupleOp(texts), node), node)
            return to_bool(b, b.value(UnaryOp("not", text), node), node)

        tests = [lambda: self.is_instance(subject, kind, node), no_text, length]
        for place, pattern in enumerate(node.patterns):
            if isinstance(pattern, ast.MatchStar):
                if pattern.name is not None:
                    after = len(node.patterns) - place - 1
                    end = -after if after else None
                    self.bound[pattern.name] = lambda i=place, e=end: self.part(
                        node, subject, i, e
                    )
                continue
            index = place if star is None or place < star else place - len(names)
            tests.append(
                lambda p=pattern, i=index: self.test(
                    p, lambda: self.item(node, subject, i)
                )
            )
        return self.all_of(node, tests)

    def item(self, node: ast.AST, subject: Value, key: object) -> SSAValue:
        return self.b.value(SubscriptOp(subject(), self.b.constant(key, node)), node)

    def part(
        self, node: ast.AST, subject: Value, start: int, end: int | None
    ) -> SSAValue:
        b = self.b
        bounds = [b.constant(n, node) for n in (start, end, None)]
        value = b.value(SubscriptOp(subject(), b.value(SliceOp(bounds), node)), node)
        return self.call("list", value, node=node)

    def mapping(self, node: ast.MatchMapping, subject: Value) -> SSAValue:
        """`{"a": p, **rest}`: a mapping that has these keys."""
        b = self.b
        kind = b.constant(GlobalRef("collections.abc.Mapping"), node)
        tests = [lambda: self.is_instance(subject, kind, node)]
        for key, pattern in zip(node.keys, node.patterns, strict=True):

            def has(key: ast.expr = key) -> SSAValue:
                return self.compared("in", lower_expression(b, key), subject(), node)

            def fits(key: ast.expr = key, pattern: ast.pattern = pattern) -> SSAValue:
                def item() -> SSAValue:
                    subscript_op = SubscriptOp(subject(), lower_expression(b, key))
                    return b.value(subscript_op, node)

                return self.test(pattern, item)

            tests += [has, fits]
        if node.rest is not None:
            keys = node.keys

            def rest() -> SSAValue:
                left = self.call("dict", subject(), node=node)
                for key in keys:
                    given = [lower_expression(b, key)]
                    b.emit(InvokeOp(left, "__delitem__", given), node)
                return left

            self.bound[node.rest] = rest
        return self.all_of(node, tests)

    def instance(self, node: ast.MatchClass, subject: Value) -> SSAValue:
        """`Point(x=p)` and `Point(p)`."""
        b = self.b
        cls = static_value(b, node.cls)
        names: list[str] = list(getattr(cls, "__match_args__", ()))
        if not isinstance(cls, type) or (
            cls not in _THEMSELVES and len(node.patterns) > len(names)
        ):
            return b.refuse(refusals.expression(ast.unparse(node)), node)
        kind = lower_expression(b, node.cls)
        tests = [lambda: self.is_instance(subject, kind, node)]
        if cls in _THEMSELVES:
            tests += [lambda p=p: self.test(p, subject) for p in node.patterns]
            names = []
        fields: list[tuple[str, ast.pattern]] = []
        fields += zip(names, node.patterns, strict=False)
        fields += zip(node.kwd_attrs, node.kwd_patterns, strict=True)
        for name, pattern in fields:

            def fits(name: str = name, pattern: ast.pattern = pattern) -> SSAValue:
                def field() -> SSAValue:
                    return b.value(GetattrOp(subject(), name), node)

                return self.test(pattern, field)

            tests.append(fits)
        return self.all_of(node, tests)
