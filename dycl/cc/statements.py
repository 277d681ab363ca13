"""Statements as blocks of the LLVM dialect: one function."""

from collections.abc import Callable
from dataclasses import dataclass, field

from dycl.cc.builtins import Builtins
from dycl.cc.errors import CannotCompile
from dycl.cc.lines import Lines, Place
from dycl.cc.syntax import (
    Block,
    Case,
    Declaration,
    Definition,
    Evaluate,
    If,
    Jump,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
)
from dycl.cc.types import VOID, Function, Record, Type, as_value


@dataclass(frozen=True)
class File:
    """What a function asks of the file that it stands in."""

    outside: Callable[[Lines, str], Place]
    text: Callable[[bytes], str]
    symbol: Callable[[str], str]
    static: Callable[[Declaration], str]
    """Memory for a variable that lasts; its symbol."""


@dataclass(kw_only=True)
class Body(Builtins):
    """Prints the body of one function."""

    file: File
    result: Type
    jumps: dict[str, str] = field(default_factory=dict[str, str])
    """Where `break` and `continue` go here."""
    cases: list[tuple[int | None, str]] = field(
        default_factory=list[tuple[int | None, str]]
    )
    """Of the switch around: values -> labels."""

    def outside(self, name: str) -> Place:
        return self.file.outside(self, name)

    def text(self, data: bytes) -> str:
        return self.file.text(data)

    def symbol_of(self, name: str) -> str:
        return self.file.symbol(name)

    def one(self, found: Statement) -> None:
        """A statement. CannotCompile."""
        match found:
            case Block():
                before = dict(self.locals)
                for item in found.items:
                    self.one(item)
                if found.is_scope:
                    self.locals = before
            case Declaration():
                self.declare(found)
            case Evaluate():
                self.value(found.expression)
            case If():
                self.if_(found)
            case Loop():
                self.loop(found)
            case Switch():
                self.switch(found)
            case Case():
                label = self.label()
                self.cases.append((found.value, label))
                self.start(label)
            case Jump():
                self.go(f"^to_{found.label}" if found.label else self.jumps[found.word])
            case Label():
                self.start(f"^to_{found.name}")
            case Return():
                self.return_(found)

    def declare(self, found: Declaration) -> None:
        """A local variable."""
        if found.is_static:
            address = self.address_of(self.file.static(found))
            self.locals[found.name] = Place(found.kind, address)
            return
        place = Place(found.kind, self.variable(found.kind, found.align))
        self.locals[found.name] = place
        if found.initial is not None:
            self.initialize(place, found.initial)

    def return_(self, found: Return) -> None:
        """Leave the function."""
        if found.value is None:
            self.leave("llvm.return")
            return
        value = self.converted(self.value(found.value), self.result)
        if self.result == VOID:
            self.leave("llvm.return")
            return
        text = value.text
        if isinstance(self.result, Record):
            text = self.aggregate(self.result, text)
        self.leave(f"llvm.return {text} : {as_value(self.result)}")

    def if_(self, found: If) -> None:
        """One side or the other."""
        yes, after = self.label(), self.label()
        no = after if found.no is None else self.label()
        self.branch(self.condition(found.condition), yes, no)
        self.start(yes)
        self.one(found.yes)
        if found.no is not None:
            if not self.ended:
                self.go(after)
            self.start(no)
            self.one(found.no)
        self.start(after)

    def loop(self, found: Loop) -> None:
        """Any loop."""
        before, jumps = dict(self.locals), self.jumps
        test, body, step, after = (self.label() for _ in range(4))
        self.jumps = {"break": after, "continue": step}
        if found.start is not None:
            self.one(found.start)
        if found.late:
            self.go(body)
        self.start(test)
        if found.test is not None:
            self.branch(self.condition(found.test), body, after)
        self.start(body)
        self.one(found.body)
        self.start(step)
        if found.step is not None:
            self.value(found.step)
        self.go(test)
        self.start(after)
        self.locals, self.jumps = before, jumps

    def switch(self, found: Switch) -> None:
        """One of several places in a block."""
        cases, jumps = self.cases, self.jumps
        choose, after = self.label(), self.label()
        self.jumps, self.cases = {**jumps, "break": after}, []
        value = self.value(found.value)
        self.go(choose)
        self.one(found.body)
        self.go(after)
        default = after
        listed: list[str] = []
        for number, label in self.cases:
            if number is None:
                default = label
            else:
                listed.append(f"{number}: {label}")
        self.start(choose)
        kind = as_value(value.kind)
        self.leave(
            f"llvm.switch {value.text} : {kind}, {default} [{', '.join(listed)}]"
        )
        self.start(after)
        self.cases, self.jumps = cases, jumps


def print_function(found: Definition, block: Block, symbol: str, file: File) -> str:
    """A function of the LLVM dialect. CannotCompile."""
    kind = found.declaration.kind
    assert isinstance(kind, Function)
    body = Body(file=file, result=kind.result)
    given: list[str] = []
    for name, param in zip(found.params, kind.params, strict=True):
        given.append(f"%{name}_: {as_value(param)}")
        if isinstance(param, Record):
            address = body.spilled(param, f"%{name}_")
        else:
            address = body.variable(param)
            body.store(param, f"%{name}_", address)
        body.locals[name] = Place(param, address)
    try:
        body.one(block)
    except CannotCompile as error:
        raise CannotCompile(f"{error}, in `{found.declaration.name}`") from error
    if not body.ended:
        body.leave("llvm.return" if kind.result == VOID else "llvm.unreachable")
    linkage = "internal " if found.declaration.is_static else ""
    result = "" if kind.result == VOID else f" -> {as_value(kind.result)}"
    head = f'llvm.func {linkage}@"{symbol}"({", ".join(given)}){result}'
    one = "%one = llvm.mlir.constant(1 : i64) : i64"
    lines = [f"{head} {_ATTRIBUTES} {{", one, *body.head, *body.lines, "}"]
    return "\n".join(lines)


_ATTRIBUTES = 'attributes {passthrough = [["no-jump-tables", "true"]]}'
"""Tables of jumps are at addresses that only a real linker fills in."""
