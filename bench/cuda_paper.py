"""What a path costs on an H100, on paper: kernels, bytes, FLOPs, nodes, microseconds.

No GPU is needed. The tree of a network is walked along each path that its inputs take;
a kernel takes as long as its bytes, its FLOPs or its start, whichever is longest.
Beside it stands the same for a captured graph of the path alone: its kernels, and no
decision. Figures are measured ones where it says so, of one H100 (driver 580).
"""

from collections import Counter
from dataclasses import dataclass, field

import dycl
import dycl.ir as d
from bench.subjects import Recipe, case_of, made_by, recipes
from dycl.ir import graph
from dycl.ir.values import from_attr
from dycl.report.work import work_of_kernels
from dycl.runtime.decisions import sides_of
from dycl.tools.cli_show import parse_module

BANDWIDTH = 3.35e6
"""Bytes in a microsecond, nominal."""
PEAK = 165e6
"""FLOPs in a microsecond: nominal tf32, three products for one of f32."""
START = 0.92
"""A small kernel in a graph, measured; one that looks at a byte and ends, too."""
LAUNCH = 8.5
"""Launching a graph and waiting for it, measured."""
COPY = 4.5
"""Queueing a copy of an input or of the results, as a launch by ctypes."""
NOT_TAKEN, TAKEN, ROUND = 4.9, 8.4, 6.9
"""A conditional node without an `else` that is not taken; any other one; an iteration
of a loop, with what it has of kernels: measured."""


@dataclass
class Cost:
    """Of one path."""

    counts: Counter = field(default_factory=Counter)
    kernels: float = 0.0
    """Microseconds of the kernels that do something."""
    extra: float = 0.0
    """Microseconds of threads, of nodes that end at once, and of conditional nodes."""


class NotOnPaper(Exception):
    """What a condition is cannot be told from the path."""


class Walk:
    """Goes through a tree along one path."""

    def __init__(self, func, functions, work, path):
        self.functions, self.work = functions, work
        self.path, self.cost = list(path), Cost()
        self.known = {}
        self._nodes(func.body.block)

    def _nodes(self, block):
        for op in block.ops:
            if isinstance(op, graph.NodeOp):
                self._node(op)
            elif isinstance(op, graph.IfOp):
                self._if(op)
            elif isinstance(op, graph.SwitchOp):
                self.cost.counts["switches"] += 1
                self.cost.extra += TAKEN
                self._nodes(op.bodies[self._value(op.condition)].block)
            elif isinstance(op, graph.WhileOp):
                while self._value(op.condition):
                    self.cost.counts["rounds"] += 1
                    self.cost.extra += ROUND
                    self._nodes(op.body.block)

    def _if(self, op):
        taken = self._value(op.condition)
        bodies = [op.then_body.block, op.else_body.block]
        has_else = len(list(bodies[1].ops)) > 1
        self.cost.counts["ifs"] += 1
        self.cost.extra += TAKEN if taken or has_else else NOT_TAKEN
        self._nodes(bodies[0 if taken else 1])

    def _value(self, what):
        if what not in self.known:
            raise NotOnPaper("a condition that is no decision")
        return self.known[what]

    def _node(self, op):
        slot, runs = op.guard_slot, True
        if slot in self.known:  # Else it is no decision: both of its sides are counted.
            runs = self.known[slot] != op.is_negated
        count = 1
        if isinstance(op, graph.LaunchOp):
            count = self.functions[op.kernel_name]
        if not runs:
            self.cost.counts["skipped"] += count
            self.cost.extra += START * count
            return
        if isinstance(op, graph.LaunchOp):
            self._launch(op.kernel_name, count)
        elif isinstance(op, graph.ScalarsOp):
            self._thread(op)
        else:
            self.cost.counts["copies"] += 1
            self.cost.extra += START

    def _launch(self, name, count):
        flops, size = self.work[name].flops, self.work[name].bytes
        bounds = {
            "launch": START * count,
            "bandwidth": size / BANDWIDTH,
            "compute": flops / PEAK,
        }
        bound = max(bounds, key=bounds.get)
        self.cost.kernels += bounds[bound]
        self.cost.counts.update(kernels=count, bytes=size, flops=flops)
        self.cost.counts[bound] += bounds[bound]

    def _thread(self, op):
        self.cost.counts["threads"] += 1
        self.cost.extra += START
        sides = {}
        for inner in op.body.block.ops:
            if isinstance(inner, graph.RecordOp):
                is_next = self.path and self.path[0][0] == inner.index
                if is_next:
                    sides[inner.value] = self.path.pop(0)[1]
                elif inner.when is None:
                    raise NotOnPaper("another path")
            elif isinstance(inner, graph.SetOp | graph.WriteOp):
                is_set = isinstance(inner, graph.SetOp)
                self._set(inner.condition if is_set else inner.slot, inner.value, sides)

    def _set(self, target, value, sides):
        while isinstance(value.owner, d.SelectOp) and value.owner.condition in sides:
            owner = value.owner
            value = owner.if_true if sides[owner.condition] else owner.if_false
        owner = value.owner
        if value in sides:
            self.known[target] = sides[value]
        elif isinstance(owner, d.ConstantOp):
            self.known[target] = from_attr(owner.value)
        else:
            self.known.pop(target, None)


HEAD = (
    "| network | path | decisions | kernels | MB | MFLOP | nodes | conditional | us | "
    "most of it by | the path alone, us |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |"
)


def paper(names):
    """Print a row for each path of networks, by their recipes or examples; without
    names, of all that decide something. The exit status."""
    known = recipes()
    print(__doc__.split("\n")[0], HEAD, sep="\n\n", flush=True)
    for name in names or [n for n, recipe in known.items() if not recipe.plain]:
        recipe = known.get(name) or Recipe(name, "more", case_of(f"examples.{name}"))
        print(*rows_of(recipe), sep="\n", flush=True)
    return 0


def rows_of(recipe):
    """Rows of a network, one for each path that is shown, or why there are none."""
    subject = made_by(recipe)
    try:
        net = dycl.compile(subject.model, subject.inputs[0], backend="cuda")
    except dycl.CompileError as error:
        return [f"| {recipe.title} | left out: {str(error).splitlines()[0]} |"]
    if "graph" not in net.kernel_stages:
        return [f"| {recipe.title} | left out: it is no graph |"]
    native = dycl.compile(subject.model, subject.inputs[0])
    rows, paper_of = [], Paper(net)
    for label, given in zip(subject.labels, subject.inputs, strict=True):
        native(*given)
        try:
            said = paper_of.row(sides_of(native.network.taken()))
        except NotOnPaper as why:
            said = f"not on paper: {why}"
        rows.append(f"| {recipe.title} | {label} | {said} |")
    return rows


class Paper:
    """What paths of one network cost."""

    def __init__(self, net):
        module = parse_module(net.kernel_stages["graph"], "graph")
        self.func = next(op for op in module.ops if isinstance(op, graph.FuncOp))
        self.functions = {p.name: len(p.functions) for p in net.library.programs}
        self.work = work_of_kernels(parse_module(net.stages["hcfg"], "hcfg"))
        self.around = LAUNCH + COPY * (len(net.inputs) + 1)

    def row(self, path):
        """Columns of one path. NotOnPaper."""
        cost = Walk(self.func, self.functions, self.work, path).cost
        c = cost.counts
        bound = max(("launch", "bandwidth", "compute"), key=lambda kind: c[kind])
        nodes = c["kernels"] + c["skipped"] + c["threads"] + c["copies"]
        asked = c["ifs"] + c["switches"] + c["rounds"]
        tree = cost.kernels + cost.extra + self.around
        return (
            f"{len(path)} | {c['kernels']} | {c['bytes'] / 1e6:.2f} | "
            f"{c['flops'] / 1e6:.1f} | {nodes} | {asked} | {tree:.0f} | {bound} | "
            f"{cost.kernels + self.around:.0f}"
        )
