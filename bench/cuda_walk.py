"""A graph tree, walked along the path of a run: which nodes run, and what they take.

Numbers are computed as the threads of the tree compute them: from constants, from each
other, and from the decisions of the path. What depends on elements of tensors besides
is not known; where such a number is a condition, the path is not on paper.
"""

from collections import Counter
from dataclasses import dataclass, field

import dycl.ir as d
from dycl.ir import graph
from dycl.ir.environment import Environment
from dycl.ir.host import ReadOp
from dycl.ir.semantics import evaluate

START = 0.92
"""Microseconds of a small kernel in a graph, measured; one that looks at a byte and
ends, too."""
NOT_TAKEN, TAKEN, ROUND = 4.9, 8.4, 6.9
"""A conditional node without an `else` that is not taken; any other one; an iteration
of a loop, with what it has of kernels: measured."""


@dataclass
class Walked:
    """What one path meets."""

    nodes: Counter = field(default_factory=Counter)
    """How many there are: `kernels` are functions, `skipped` those that end at once;
    `threads`, `copies`, and conditional ones by kind. Of a small `if` that is no
    decision, both sides are counted."""
    launches: Counter = field(default_factory=Counter)
    """By kernel."""
    extra: float = 0.0
    """Microseconds of all that is no kernel which does something."""


class NotOnPaper(Exception):
    """What a path costs cannot be told."""


def walk(module, functions, path):
    """What a path meets in the tree of a module. NotOnPaper.

    `functions`: how many each kernel has; `path`: pairs of a decision and its side.
    """
    func = next(op for op in module.ops if isinstance(op, graph.FuncOp))
    walking = _Walk(functions, path, Environment(module))
    walking.through(func.body.block)
    if walking.path:
        raise NotOnPaper(f"{len(walking.path)} decisions are left")
    return walking.found


class _Walk:
    def __init__(self, functions, path, environment):
        self.functions, self.environment = functions, environment
        self.path, self.found = list(path), Walked()
        self.known = {}
        """Slots and conditions whose value the path decides."""

    def through(self, block):
        """All nodes of a block."""
        for op in block.ops:
            if isinstance(op, graph.NodeOp):
                self._node(op)
            elif isinstance(op, graph.IfOp):
                self._if(op)
            elif isinstance(op, graph.SwitchOp):
                self._meets("switches", TAKEN)
                self.through(op.bodies[self._value(op.condition)].block)
            elif isinstance(op, graph.WhileOp):
                while self._value(op.condition):
                    self._meets("rounds", ROUND)
                    self.through(op.body.block)

    def _meets(self, kind, time, count=1):
        self.found.nodes[kind] += count
        self.found.extra += time * count

    def _if(self, op):
        taken = self._value(op.condition)
        bodies = [op.then_body.block, op.else_body.block]
        has_else = len(list(bodies[1].ops)) > 1
        self._meets("ifs", TAKEN if taken or has_else else NOT_TAKEN)
        self.through(bodies[0 if taken else 1])

    def _value(self, what):
        if what not in self.known:
            raise NotOnPaper("a condition that is no decision")
        return self.known[what]

    def _node(self, op):
        slot = op.guard_slot
        is_launch = isinstance(op, graph.LaunchOp)
        count = self.functions[op.kernel_name] if is_launch else 1
        runs = self.known.get(slot)
        if runs is not None and bool(runs) == op.is_negated:
            self._meets("skipped", START, count)
        elif is_launch:
            self.found.nodes["kernels"] += count
            self.found.launches[op.kernel_name] += 1
            for slot in op.outputs:
                self.known.pop(slot, None)
        elif isinstance(op, graph.ScalarsOp):
            self._meets("threads", START)
            self._thread(op.body.block)
        else:
            self._meets("copies", START)
            self._fill(op.target, self.known.get(op.source))

    def _fill(self, what, value):
        if value is None:
            self.known.pop(what, None)
        else:
            self.known[what] = value

    def _thread(self, block):
        """What one thread computes: first which decisions there are, for what stands
        above a decision may be what it decides."""
        sides = {}
        self._computed(block, sides, decides=True)
        values = self._computed(block, sides, decides=False)
        for op in block.ops:
            if isinstance(op, graph.WriteOp):
                self._fill(op.slot, values.get(op.value))
            elif isinstance(op, graph.SetOp):
                self._fill(op.condition, values.get(op.value))
            elif isinstance(op, ReadOp) and op.result in sides:
                self.known[op.operand] = sides[op.result]

    def _computed(self, block, sides, *, decides):
        values = dict(sides)
        for op in block.ops:
            if isinstance(op, graph.RecordOp) and decides:
                self._decided(op, values, sides)
            elif isinstance(op, ReadOp):
                if op.operand in self.known:
                    values.setdefault(op.result, self.known[op.operand])
            elif op.results:
                self._compute(op, values)
        return values

    def _decided(self, op, values, sides):
        happens = True if op.when is None else values.get(op.when)
        if happens is False:
            return
        if self.path and self.path[0][0] == op.index:
            values[op.value] = sides[op.value] = self.path.pop(0)[1]
        elif happens:
            raise NotOnPaper("another path")

    def _compute(self, op, values):
        """The results of an op, as far as they are known."""
        if all(result in values for result in op.results):
            return
        if isinstance(op, d.SelectOp) and op.condition in values:
            side = op.if_true if values[op.condition] else op.if_false
            if side in values:
                values[op.results[0]] = values[side]
        elif all(operand in values for operand in op.operands):
            given = [values[operand] for operand in op.operands]
            found = evaluate(op, given, self.environment)
            values.update(zip(op.results, found, strict=True))
