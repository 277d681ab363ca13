"""What a path costs on an H100, on paper: kernels, bytes, FLOPs, nodes, microseconds.

No GPU is needed. The tree of a network is walked along each path that its inputs take;
a kernel takes as long as its bytes, its FLOPs or its start, whichever is longest.
Beside it stands the same for a captured graph of the path alone: its kernels, and no
decision. Figures are measured ones where it says so, of one H100 (driver 580).
"""

import json
from collections import Counter
from dataclasses import dataclass, field

import dycl
import dycl.ir as d
from dycl.ir import graph
from dycl.ir.values import from_attr
from dycl.report.work import work_of_kernels
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
        if slot is not None:
            runs = self._value(slot) != op.is_negated
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


def paper(names):
    """Print a table for each network. The exit status."""
    print(__doc__.split("\n")[0], end="\n\n")
    for name in names:
        print(f"{name:24}{on_paper(name)}", flush=True)
    return 0


def on_paper(name):
    """Lines for a network, one for each path; or why there are none."""
    from bench.cuda import MOST, built

    model, inputs = built(name)
    if not all(hasattr(value, "numpy") for value in inputs[0]):
        return "left out: an input is no tensor"
    try:
        net = dycl.compile(model, inputs[0], backend="cuda")
    except dycl.CompileError as error:
        return f"left out: {str(error).splitlines()[0]}"
    if "graph" not in net.kernel_stages:
        return "left out: it is no graph"
    native = dycl.compile(model, inputs[0])
    paths = {}
    for given in inputs[:MOST]:
        native(*given)
        taken = native.network.taken()
        paths.setdefault(json.dumps(taken), taken)
    alike: dict[str, list[int]] = {}
    for number, path in enumerate(paths.values()):
        try:
            said = line(net, path, len(net.inputs))
        except NotOnPaper as why:
            said = f"not on paper: {why}"
        alike.setdefault(said, []).append(number)
    rows = [
        f"  {len(numbers)} of {len(paths)} paths: {said}"
        for said, numbers in alike.items()
    ]
    return "\n".join(["", *rows])


def line(net, path, inputs):
    """One path in words."""
    module = parse_module(net.kernel_stages["graph"], "graph")
    func = next(op for op in module.ops if isinstance(op, graph.FuncOp))
    functions = {p.name: len(p.functions) for p in net.library.programs}
    work = work_of_kernels(parse_module(net.stages["hcfg"], "hcfg"))
    cost = Walk(func, functions, work, path).cost
    c = cost.counts
    bound = max(("launch", "bandwidth", "compute"), key=lambda kind: c[kind])
    around = LAUNCH + COPY * (inputs + 1)
    tree, plain = cost.kernels + cost.extra + around, cost.kernels + around
    nodes = c["kernels"] + c["skipped"] + c["threads"] + c["copies"]
    return (
        f"{len(path)} decisions, {c['kernels']} kernels, "
        f"{c['bytes'] / 1e6:.2f} MB, {c['flops'] / 1e6:.1f} MFLOP, {nodes} nodes and "
        f"{c['ifs'] + c['rounds']} conditional ones; {tree:.0f} us, most of it by "
        f"{bound}; the path alone {plain:.0f} us"
    )
