"""Ifs, scopes and loops as lines of C.

C has `goto`, so a scope is a block with a label behind it. A loop is `for (;;)`; what a
terminator hands on is assigned to variables that stand before the block, and where
control goes it says by the op that it hands over to.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block

import dycl.ir as d
from dycl.host.body import DecisionEntry
from dycl.host.lines import indent, location_text
from dycl.host.native.layout import comment
from dycl.host.native.tables import decision_entry
from dycl.host.native.variables import Variables
from dycl.host.ways import successor
from dycl.ir.dialect.decisions import LIKELY
from dycl.ir.interfaces import LoopTerminator, RegionTerminator


@dataclass
class Control:
    """Prints the ops with regions, and what ends a region."""

    printer: Variables
    block: Callable[[Block], list[str]]
    """The lines of a block."""
    sweep: Callable[[d.WhileOp], list[str]]
    """The lines that free, before an iteration, what only the last one used."""
    max_iterations: int | None
    loops: bool
    """Whether there are loops, so that a path has any length."""
    decisions: list[DecisionEntry] = field(default_factory=list[DecisionEntry])
    _labels: dict[d.ScopeOp, str] = field(default_factory=dict[d.ScopeOp, str])

    def lines(self, op: d.IfOp | d.ScopeOp | d.WhileOp) -> list[str]:
        """The lines of an op with regions. CannotPrint."""
        match op:
            case d.IfOp():
                return self._if(op)
            case d.ScopeOp():
                return self._scope(op)
            case d.WhileOp():
                return self._while(op)

    def end(self, op: RegionTerminator) -> list[str]:
        """The lines of what hands over to an op around it."""
        if isinstance(op, d.ConditionOp):
            return self._condition(op)
        return [*self._forward(op), *self._jump(op)]

    def _jump(self, op: RegionTerminator) -> list[str]:
        """The statement that leads to where the op hands over, if one is needed."""
        target = op.target
        if isinstance(target, d.ScopeOp):
            return [f"goto {self._labels[target]};"]
        if isinstance(op, LoopTerminator) and op.target is not None:
            return ["continue;" if op.target.continues(op) else "break;"]
        return []  # what follows is reached anyway

    def _forward(self, op: RegionTerminator) -> list[str]:
        """Give the values to what they become."""
        return self.printer.assign(successor(op).inputs, op.forwarded)

    # ---- ops with regions

    def _if(self, op: d.IfOp) -> list[str]:
        head = self.printer.declare(op.results)
        condition = self.printer.texts[op.condition]
        comment = ""
        if op.is_decision:
            condition = self._decided(op, condition)
            comment = self._note(op)
            if self.loops:
                head.append("ROOM(1);")
        then_lines = self.block(op.then_region.block)
        if op.end_of(op.then_region.block) is None:
            # What follows a guard is its other side: no `else`, no nesting.
            rest = self.block(op.else_region.block)
            guard = [f"if ({condition}) {{{comment}", *indent(then_lines), "}"]
            return [*head, *guard, *rest]
        else_lines = self.block(op.else_region.block)
        if not then_lines and not else_lines:
            return [*head, f"(void){condition};{comment}"] if op.is_decision else head
        if not then_lines:
            lines = [f"if (!{condition}) {{{comment}", *indent(else_lines), "}"]
            return [*head, *lines]
        lines = [*head, f"if ({condition}) {{{comment}", *indent(then_lines)]
        if else_lines:
            lines += ["} else {", *indent(else_lines)]
        return [*lines, "}"]

    def _decided(self, op: d.IfOp | d.WhileOp, condition: str) -> str:
        """The decision about to be noted, with the side that a profile calls likely."""
        text = f"DECIDE({len(self.decisions)}, {condition})"
        likely = op.attributes.get(LIKELY)
        if not isinstance(likely, IntegerAttr):
            return text
        return f"{'LIKELY' if likely.value.data else 'UNLIKELY'}({text})"

    def _note(self, op: d.IfOp | d.WhileOp) -> str:
        """Add a decision to the table; its comment."""
        entry = decision_entry(op)
        self.decisions.append(entry)
        words = (location_text(op), entry.name, entry.test)
        return comment(": ".join(" ".join(word.split()) for word in words if word))

    def _while(self, op: d.WhileOp) -> list[str]:
        args = op.before.block.args
        lines = [*self.printer.declare(op.results), *self.printer.declare(args)]
        lines += self.printer.assign(args, op.initial)
        rounds = ""
        most = None if op.is_rolled else self.max_iterations
        if most is not None:
            rounds = self.printer.fresh("rounds")
            lines.append(f"int64_t {rounds} = 0;")
        body = [*self.sweep(op), *self.block(op.before.block)]
        pairs = zip(op.body.block.args, op.condition.values, strict=True)
        for argument, value in pairs:
            self.printer.texts[argument] = self.printer.texts[value]
        if most is not None:
            error = self.printer.tables.add_limit(op, most)
            body.append(f"if (++{rounds} > {most}) RAISE({error});")
        body.append("if (dycl_poll(h)) STOP;")
        body += self.block(op.body.block)
        return [*lines, "for (;;) {", *indent(body), "}"]

    def _condition(self, op: d.ConditionOp) -> list[str]:
        loop = op.parent_op()
        assert isinstance(loop, d.WhileOp)
        if not loop.is_tested:
            return []
        leave = indent([*self.printer.assign(loop.results, op.values), "break;"])
        condition = self.printer.texts[op.condition]
        if not loop.is_decision:
            return [f"if (!{condition}) {{", *leave, "}"]
        condition = self._decided(loop, condition)
        return ["ROOM(1);", f"if (!{condition}) {{{self._note(loop)}", *leave, "}"]

    def _scope(self, op: d.ScopeOp) -> list[str]:
        label = self.printer.fresh(f"left_{op.label.data}")
        self._labels[op] = label
        head = self.printer.declare(op.results)
        body = self.block(op.body.block)
        return [*head, "{", *indent(body), "}", f"{label}:;"]
