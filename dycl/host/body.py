"""The body of a host function as lines of Python.

A guard (`dycl.if` whose branch leaves) prints as `if ...: return`, and what follows
stays flat. A scope prints as `while True:` left by `break`, a loop as `while True:`
with its test inside; what has more than one loop to pass on its way out sets a flag
that each loop in between asks for. Python refuses more than 20 nested loops and 100
levels of indentation, so what is nested deeper goes into a local function, a *part*.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.diag import SourceLoc
from dycl.host.effects import place_arguments
from dycl.host.lines import indent, is_one_if, location_text, noted, short_file
from dycl.host.literals import literal, tuple_text
from dycl.host.names import Names
from dycl.host.statements import Call, Statements
from dycl.host.ways import (
    Function,
    Place,
    Way,
    flag_name,
    is_jump,
    nearest_loop,
    pass_on,
    successor,
    target_of,
    way_out,
)
from dycl.ir import host
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.walking import walk

_Control = d.IfOp | d.ScopeOp | d.WhileOp

MOST_LEVELS = 40
MOST_LOOPS = 15


@dataclass(frozen=True)
class DecisionEntry:
    """One line of the printed table DECISIONS."""

    name: str
    test: str
    file: str
    line: int


class BodyPrinter(Statements):
    """Prints a host function, given the text of every value made at load time."""

    def __init__(
        self,
        texts: dict[SSAValue, str],
        launches: Mapping[Operation, Call],
        names: Names,
        max_iterations: int | None = None,
    ):
        super().__init__(texts, launches, names)
        self.max_iterations = max_iterations
        self.decisions: list[DecisionEntry] = []
        self._carried: set[str] = set()

    def print(self, func: host.FuncOp) -> list[str]:
        """The lines inside `def forward(...):`."""
        function = Function(is_part=False)
        self._name_functions(func)
        lines = self._block(func.body.block, Place(function))
        return [*function.parts, *lines]

    # ---- one op

    def _block(self, block: Block, at: Place) -> list[str]:
        return [line for op in block.ops for line in self._op(op, at)]

    def _op(self, op: Operation, at: Place) -> list[str]:
        match op:
            case d.IfOp() | d.ScopeOp() | d.WhileOp():
                return self._control(op, at)
            case d.LocalFunctionOp():
                self._local_function(op)
                return []
            case d.ConditionOp():
                return self._condition(op, at)
            case RegionTerminator() if op.target is not None:
                return self._hand_over(op, at)
            case _:
                return self._statement(op, at)

    # ---- ifs

    def _control(self, op: _Control, at: Place) -> list[str]:
        self._declare(op, at)
        if at.level >= MOST_LEVELS or at.loops >= MOST_LOOPS:
            return self._part(op, at)
        return self._control_here(op, at)

    def _control_here(self, op: _Control, at: Place) -> list[str]:
        match op:
            case d.IfOp():
                return self._if(op, at)
            case d.ScopeOp():
                return self._scope(op, at)
            case d.WhileOp():
                return self._while(op, at)

    def _if(self, op: d.IfOp, at: Place) -> list[str]:
        condition = self._texts[op.condition]
        comment = ""
        if op.is_decision:
            condition = f"decide({len(self.decisions)}, {condition})"
            comment = self._note(op)
        then_lines = self._block(op.then_region.block, at.deeper())
        if op.end_of(op.then_region.block) is None:
            # What follows a guard is its other side: no `else`, no nesting.
            rest = self._block(op.else_region.block, at)
            return [f"if {condition}:{comment}", *indent(then_lines), *rest]
        else_lines = self._block(op.else_region.block, at.deeper())
        if not then_lines and not else_lines:
            return [f"{condition}{comment}"] if op.is_decision else []
        if not then_lines:
            return [f"if not {condition}:{comment}", *indent(else_lines)]
        lines = [f"if {condition}:{comment}", *indent(then_lines)]
        if is_one_if(else_lines):
            return [*lines, f"el{else_lines[0]}", *else_lines[1:]]
        return [*lines, "else:", *indent(else_lines)] if else_lines else lines

    def _note(self, op: d.IfOp | d.WhileOp) -> str:
        """Add a decision to the table; its comment."""
        location = SourceLoc.of(op)
        entry = DecisionEntry(
            op.decision_name,
            op.test,
            "" if location is None else short_file(location),
            0 if location is None else location.line,
        )
        self.decisions.append(entry)
        words = (location_text(op), entry.name, entry.test)
        text = ": ".join(" ".join(word.split()) for word in words if word)
        return f"  # {text}" if text else ""

    # ---- loops

    def _while(self, op: d.WhileOp, at: Place) -> list[str]:
        carried = op.before.block.args
        self._carried.update(self._declare_all(carried, at))
        start = self._assign(carried, op.initial, at)
        end = Way(op, at.function, is_loop=True)
        following = Way(op, at.function, is_loop=True, again=True)
        inside = replace(
            at.deeper(), loops=at.loops + 1, ways=(*at.ways, end, following)
        )
        body = self._block(op.before.block, inside)
        for argument, value in zip(
            op.body.block.args, op.condition.values, strict=True
        ):
            self._texts[argument] = self._texts[value]
        if self.max_iterations is not None and not op.is_rolled:
            count = self._names.fresh("next_round")
            limit = [literal(self.max_iterations), *place_arguments(op)]
            start.append(f"{count} = rt.rounds({', '.join(limit)})")
            body.append(f"{count}()")
        body += self._block(op.body.block, inside)
        if following.flag:
            body.insert(0, f"{following.flag} = False")
        lines = ["while True:", *indent(body or ["pass"])]
        if end.flag:
            lines.insert(0, f"{end.flag} = False")
        return [*start, *lines, *pass_on(op.regions, at)]

    def _condition(self, op: d.ConditionOp, at: Place) -> list[str]:
        loop = op.parent_op()
        assert isinstance(loop, d.WhileOp)
        if not loop.is_tested:
            return []
        condition, comment = self._texts[op.condition], ""
        if loop.is_decision:
            condition = f"decide({len(self.decisions)}, {condition})"
            comment = self._note(loop)
        lines = [*self._assign(loop.results, op.values, at), "break"]
        return [f"if not {condition}:{comment}", *indent(lines)]

    # ---- scopes

    def _scope(self, op: d.ScopeOp, at: Place) -> list[str]:
        if op in self._launches:
            return self._segment(op, at)
        is_loop = any(leave is not op.body.block.last_op for leave in op.terminators)
        way = Way(op, at.function, is_loop)
        inside = replace(at, ways=(*at.ways, way))
        if not is_loop:
            return self._block(op.body.block, inside)
        inside = replace(inside.deeper(), loops=at.loops + 1)
        body = self._block(op.body.block, inside)
        lines = [f"while True:  # scope {op.label.data}", *indent(body)]
        if way.flag:
            lines.insert(0, f"{way.flag} = False")
        return [*lines, *pass_on([op.body], at)]

    def _segment(self, op: d.ScopeOp, at: Place) -> list[str]:
        """What a device does as one graph; if that gives None, it is done here."""
        call, done = self._launches[op], self._names.fresh("done")
        given = ", ".join(self._texts[value] for value in call.given)
        inside = replace(at.deeper(), ways=(*at.ways, Way(op, at.function, False)))
        here = self._block(op.body.block, inside) or ["pass"]
        start = noted(f"{done} = {call.name}({given})", location_text(op))
        lines = [start, f"if {done} is None:", *indent(here)]
        if any(isinstance(inner, d.ReturnOp) for inner in walk(op)):
            value = f"({done}[1],)" if at.function.is_part else f"{done}[1]"
            lines += [f"elif {done}[0]:", f"    return {value}"]
        names = [self._texts[result] for result in op.results]
        for name in names:
            self._will_assign(name, at)
        if names:
            lines += ["else:", f"    {tuple_text(names)} = {done}[1]"]
        return [*lines, *pass_on([op.body], at)]

    # ---- terminators

    def _hand_over(self, op: RegionTerminator, at: Place) -> list[str]:
        """Assign what is handed on, and go where it goes."""
        lines = self._assign(successor(op).inputs, op.forwarded, at)
        if not is_jump(op):
            return lines
        target = target_of(op)
        way = next(w for w in reversed(at.ways) if (w.op, w.again) == target)
        if not way.is_loop:
            return lines
        if way.op is nearest_loop(at) and way.function is at.function:
            return [*lines, way_out(way, at)]
        if not way.flag:
            way.flag = self._names.fresh(flag_name(way))
            self._owners[way.flag] = way.function
        self._will_assign(way.flag, at)
        return [*lines, f"{way.flag} = True", way_out(way, at)]

    # ---- parts

    def _part(self, op: _Control, at: Place) -> list[str]:
        """Put `op` into a local function; the lines that call it."""
        part = Function(is_part=True)
        name = self._names.fresh("part")
        body = self._control_here(op, Place(part, ways=at.ways))
        if not body:
            return []
        assigned = sorted(part.nonlocals)
        head = [f"nonlocal {', '.join(assigned)}"] if assigned else []
        definition = [f"def {name}():", *indent([*head, *part.parts, *body])]
        at.function.parts += [*definition, ""]
        for n in assigned:
            self._will_assign(n, at)
        # `nonlocal` needs the name to be assigned in the function that owns it.
        has_value = {*self._carried, *(way.flag for way in at.ways)}
        own = [n for n in assigned if self._owners[n] is at.function]
        lines = [f"{n} = None" for n in own if n not in has_value]
        if any(isinstance(o, d.ReturnOp | d.LocalReturnOp) for o in walk(op)):
            returned = self._names.fresh("returned")
            value = returned if at.function.is_part else f"{returned}[0]"
            lines += [f"{returned} = {name}()", f"if {returned} is not None:"]
            lines += [f"    return {value}"]
        else:
            lines.append(f"{name}()")
        return [*lines, *pass_on(op.regions, at)]
