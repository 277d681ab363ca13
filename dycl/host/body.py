"""The body of a host function as lines of Python.

A guard (`host.if` whose branch leaves) prints as `if ...: return`, and what follows
stays flat. A scope prints as `while True:` left by `break`; a leave that has more than
one loop to pass sets a flag that each loop in between asks for. Python refuses more
than 20 nested loops and 100 levels of indentation, so what is nested deeper goes into a
local function, a *part*.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.diag import SourceLoc
from dycl.host.literals import structure
from dycl.host.names import Names
from dycl.host.values import expression
from dycl.ir import host
from dycl.ir.values import LeafRef, from_attr

MOST_LEVELS = 40
MOST_LOOPS = 15


@dataclass(eq=False)
class _Function:
    """One Python function: the host's, or a part's."""

    is_part: bool
    parts: list[str] = field(default_factory=list[str])
    """Definitions of the parts inside it."""
    nonlocals: set[str] = field(default_factory=set[str])
    """Names of the functions around it that it assigns."""


@dataclass(eq=False)
class _Scope:
    """A `host.scope` around the current place."""

    op: host.ScopeOp
    function: _Function
    is_loop: bool
    flag: str = ""


@dataclass(frozen=True)
class _Place:
    """Where lines go."""

    function: _Function
    level: int = 0
    loops: int = 0
    scopes: tuple[_Scope, ...] = ()

    def deeper(self) -> "_Place":
        return replace(self, level=self.level + 1)


@dataclass(frozen=True)
class Call:
    """A launch bound at load time, and the values that it is given at each call."""

    name: str
    given: Sequence[SSAValue]


@dataclass(frozen=True)
class DecisionEntry:
    """One line of the printed table DECISIONS."""

    name: str
    test: str
    file: str
    line: int


class BodyPrinter:
    """Prints a host function, given the text of every value made at load time."""

    def __init__(
        self,
        texts: dict[SSAValue, str],
        launches: Mapping[Operation, Call],
        names: Names,
    ):
        self.decisions: list[DecisionEntry] = []
        self._texts = texts
        self._launches = launches
        self._names = names
        self._owners: dict[str, _Function] = {}

    def print(self, func: host.FuncOp) -> list[str]:
        """The lines inside `def forward(...):`."""
        function = _Function(is_part=False)
        lines = self._block(func.body.block, _Place(function))
        return [*function.parts, *lines]

    # ---- one op

    def _block(self, block: Block, at: _Place) -> list[str]:
        return [line for op in block.ops for line in self._op(op, at)]

    def _op(self, op: Operation, at: _Place) -> list[str]:
        match op:
            case host.IfOp() | host.ScopeOp():
                return self._control(op, at)
            case host.LaunchOp():
                return [self._launch(op)]
            case host.YieldOp():
                owner = op.parent_op()
                assert owner is not None
                return self._assign(owner.results, op.values, at)
            case host.LeaveOp():
                return self._leave(op, at)
            case host.ReturnOp():
                return self._return(op, at)
            case host.UnreachableOp():
                return self._unreachable(op)
            case _:
                if op.results and all(r in self._texts for r in op.results):
                    return []  # made at load time, or a literal
                value = expression(op, self._texts)
                [name] = self._declare(op, at)
                return [f"{name} = {value}"]

    def _launch(self, op: host.LaunchOp) -> str:
        call = self._launches[op]
        given = ", ".join(self._texts[value] for value in call.given)
        filled = ", ".join(self._texts[value] for value in op.outputs)
        comment = " ".join(filter(None, (place(op), f"-> {filled}" if filled else "")))
        return f"{call.name}({given})" + (f"  # {comment}" if comment else "")

    def _declare(self, op: Operation, at: _Place) -> list[str]:
        """Name the results of `op` as local variables of the function at `at`."""
        for result in op.results:
            if result not in self._texts:
                name = self._names.fresh(result.name_hint)
                self._texts[result] = name
                self._owners[name] = at.function
        return [self._texts[result] for result in op.results]

    def _assign(
        self, targets: Sequence[SSAValue], values: Sequence[SSAValue], at: _Place
    ) -> list[str]:
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t.uses]
        names = [self._texts[t] for t, _ in pairs]
        for name in names:
            self._will_assign(name, at)
        if not pairs:
            return []
        return [f"{', '.join(names)} = {', '.join(self._texts[v] for _, v in pairs)}"]

    def _will_assign(self, name: str, at: _Place) -> None:
        if self._owners[name] is not at.function:
            at.function.nonlocals.add(name)

    def _return(self, op: host.ReturnOp, at: _Place) -> list[str]:
        if op.structure is not None:
            returned = from_attr(op.structure)
        elif len(op.values) == 1:
            returned = LeafRef(0)
        else:
            returned = tuple(LeafRef(i) for i in range(len(op.values)))
        text = structure(returned, lambda i: self._result(op.values[i]))
        # A part says by a tuple that it returns, and by None that it does not.
        return [f"return ({text},)" if at.function.is_part else f"return {text}"]

    def _result(self, value: SSAValue) -> str:
        text = self._texts[value]
        return f"result({text})" if str(value.type).startswith("memref") else text

    def _unreachable(self, op: host.UnreachableOp) -> list[str]:
        before = op.prev_op
        if isinstance(before, host.IfOp) and all(map(_exits, before.regions)):
            return []
        return ['raise AssertionError("this place cannot be reached")']

    # ---- ifs

    def _control(self, op: host.IfOp | host.ScopeOp, at: _Place) -> list[str]:
        self._declare(op, at)
        if at.level >= MOST_LEVELS or at.loops >= MOST_LOOPS:
            return self._part(op, at)
        return self._if(op, at) if isinstance(op, host.IfOp) else self._scope(op, at)

    def _if(self, op: host.IfOp, at: _Place) -> list[str]:
        condition = self._texts[op.condition]
        comment = ""
        if op.is_decision:
            condition = f"decide({len(self.decisions)}, {condition})"
            comment = self._note(op)
        then_lines = self._block(op.then_region.block, at.deeper())
        if _exits(op.then_region):
            # What follows a guard is its other side: no `else`, no nesting.
            rest = self._block(op.else_region.block, at)
            return [f"if {condition}:{comment}", *indent(then_lines), *rest]
        else_lines = self._block(op.else_region.block, at.deeper())
        if not then_lines and not else_lines:
            return [f"{condition}{comment}"] if op.is_decision else []
        if not then_lines:
            return [f"if not {condition}:{comment}", *indent(else_lines)]
        lines = [f"if {condition}:{comment}", *indent(then_lines)]
        if _is_one_if(else_lines):
            return [*lines, f"el{else_lines[0]}", *else_lines[1:]]
        return [*lines, "else:", *indent(else_lines)] if else_lines else lines

    def _note(self, op: host.IfOp) -> str:
        """Add a decision to the table; its comment."""
        found = SourceLoc.of(op)
        entry = DecisionEntry(
            op.text("name"),
            op.text("test"),
            "" if found is None else short_file(found),
            0 if found is None else found.line,
        )
        self.decisions.append(entry)
        words = (place(op), entry.name, entry.test)
        text = ": ".join(" ".join(word.split()) for word in words if word)
        return f"  # {text}" if text else ""

    # ---- scopes

    def _scope(self, op: host.ScopeOp, at: _Place) -> list[str]:
        leaves = [o for o in op.body.walk() if _leaves(o, op)]
        is_loop = any(leave is not op.body.block.last_op for leave in leaves)
        scope = _Scope(op, at.function, is_loop)
        inside = replace(at, scopes=(*at.scopes, scope))
        if not is_loop:
            return self._block(op.body.block, inside)
        inside = replace(inside.deeper(), loops=at.loops + 1)
        body = self._block(op.body.block, inside)
        lines = [f"while True:  # scope {op.label.data}", *indent(body)]
        if scope.flag:
            lines.insert(0, f"{scope.flag} = False")
        return [*lines, *self._pass_on([op.body], at)]

    def _leave(self, op: host.LeaveOp, at: _Place) -> list[str]:
        scope = next(s for s in reversed(at.scopes) if s.op is op.scope)
        lines = self._assign(scope.op.results, op.values, at)
        if not scope.is_loop:
            return lines
        nearest = next(s for s in reversed(at.scopes) if s.is_loop)
        if scope is nearest and scope.function is at.function:
            return [*lines, "break"]
        if not scope.flag:
            scope.flag = self._names.fresh(f"left_{scope.op.label.data}")
            self._owners[scope.flag] = scope.function
        self._will_assign(scope.flag, at)
        way_out = "break" if scope.function is at.function else "return None"
        return [*lines, f"{scope.flag} = True", way_out]

    def _pass_on(self, regions: Iterable[Region], at: _Place) -> list[str]:
        """After a loop or a part: go on leaving what was left from inside it."""
        left = {
            op.scope
            for region in regions
            for op in region.walk()
            if isinstance(op, host.LeaveOp)
        }
        lines: list[str] = []
        for scope in at.scopes:
            if scope.is_loop and scope.op in left:
                way_out = "break" if scope.function is at.function else "return None"
                lines += [f"if {scope.flag}:", f"    {way_out}"]
        return lines

    # ---- parts

    def _part(self, op: host.IfOp | host.ScopeOp, at: _Place) -> list[str]:
        """Put `op` into a local function; the lines that call it."""
        part = _Function(is_part=True)
        name = self._names.fresh("part")
        inside = _Place(part, scopes=at.scopes)
        body = (
            self._if(op, inside)
            if isinstance(op, host.IfOp)
            else (self._scope(op, inside))
        )
        if not body:
            return []
        assigned = sorted(part.nonlocals)
        head = [f"nonlocal {', '.join(assigned)}"] if assigned else []
        definition = [f"def {name}():", *indent([*head, *part.parts, *body])]
        at.function.parts += [*definition, ""]
        for n in assigned:
            self._will_assign(n, at)
        # `nonlocal` needs the name to be assigned in the function that owns it.
        flags = {scope.flag for scope in at.scopes}
        own = [n for n in assigned if self._owners[n] is at.function]
        lines = [f"{n} = None" for n in own if n not in flags]
        if any(isinstance(o, host.ReturnOp) for o in op.walk()):
            returned = self._names.fresh("returned")
            value = returned if at.function.is_part else f"{returned}[0]"
            lines += [f"{returned} = {name}()", f"if {returned} is not None:"]
            lines += [f"    return {value}"]
        else:
            lines.append(f"{name}()")
        return [*lines, *self._pass_on(op.regions, at)]


def indent(lines: Iterable[str]) -> list[str]:
    """The lines one level deeper; empty lines stay empty."""
    return [f"    {line}" if line else "" for line in lines]


def place(op: Operation) -> str:
    """`net.py:31`, or "" where the place is unknown."""
    found = SourceLoc.of(op)
    return "" if found is None else f"{short_file(found)}:{found.line}"


def short_file(found: SourceLoc) -> str:
    """The user's file without the folders of the machine that compiles."""
    return found.file.replace("\\", "/").rpartition("/")[2]


def _exits(region: Region) -> bool:
    """Whether nothing falls through the end of a branch."""
    return not isinstance(region.block.last_op, host.YieldOp)


def _leaves(op: Operation, scope: host.ScopeOp) -> bool:
    return isinstance(op, host.LeaveOp) and op.scope is scope


def _is_one_if(lines: Sequence[str]) -> bool:
    """Whether the lines are one `if` statement and nothing else."""
    return (
        bool(lines)
        and lines[0].startswith("if ")
        and all(line.startswith(("    ", "elif ", "else:")) for line in lines[1:])
    )
