"""The heterogeneous control-flow graph as a graph to draw: kernels, decisions, exits.

Built from a module in the hcfg level by walking its host function once. Ops that
compute nothing (constants, parameters, views) are not shown. Every node has a cell in a
grid, so that printers need no layout algorithm:

    row      reading order; a `then` branch starts beside its decision
    column   nesting: 0 is the main line, a `then` branch stands one to the right
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation

from dycl.diag import PassFailed, SourceLoc
from dycl.report.graph import Edge, Graph, Node, NodeKind, Work
from dycl.report.work import work_of_kernels


def build_graph(module: ModuleOp) -> Graph:
    """Build the graph of the host function of a module at the level hcfg or host.

    PassFailed (DY401): the module has neither a function with attribute `dycl.entry`
    nor a `host.func`.
    """
    for op in module.body.block.ops:
        is_host = "dycl.entry" in op.attributes or op.name == "host.func"
        if is_host and op.regions:
            return _Builder(work_of_kernels(module)).build(op)
    raise PassFailed(
        "there is no control-flow graph to draw: no function is marked `dycl.entry`",
        hint="draw the hcfg level: what the phase `partition` leaves",
        code="DY401",
    )


_Open = list[tuple[int, str]]
"""Ends that lead to whatever comes next: (node, edge label)."""


@dataclass
class _Loop:
    """A loop around the current location: its first node, and where jumps come from."""

    head: int
    again: _Open = field(default_factory=_Open)
    left: _Open = field(default_factory=_Open)


@dataclass
class _Builder:
    work: Mapping[str, Work]
    """What kernels do, by their names."""
    nodes: list[Node] = field(default_factory=list[Node])
    edges: list[Edge] = field(default_factory=list[Edge])
    scopes: list[tuple[str, _Open]] = field(default_factory=list[tuple[str, _Open]])
    loops: list["_Loop"] = field(default_factory=list["_Loop"])
    row: int = 0
    """The first row that is free below all that is placed in this branch so far."""
    column: int = 0
    exits: int = 0

    def build(self, function: Operation) -> Graph:
        block = function.regions[0].block
        name = _text(function.properties.get("sym_name")) or "forward"
        hints = [arg.name_hint or f"arg{arg.index}" for arg in block.args]
        title = f"{name}({', '.join(hints)})"
        start = self.add(NodeKind.ENTRY, title, function, [])
        self.walk(block, [(start, "")])
        return Graph(title, tuple(self.nodes), tuple(self.edges))

    def walk(self, block: Block, ends: _Open) -> _Open:
        """Place a block's ops; what falls out of its end."""
        for op in block.ops:
            match op.name.replace("host.", "dycl.", 1):
                case "dycl.launch":
                    kernel = _text(op.properties.get("kernel"))
                    node = self.add(NodeKind.KERNEL, kernel, op, ends, name=kernel)
                    ends = [(node, "")]
                case "dycl.if":
                    ends = self.decision(op, ends)
                case "dycl.while":
                    ends = self.loop(op, ends)
                case "dycl.scope":
                    ends = self.scope(op, ends)
                case "dycl.leave":
                    label = _text(op.properties.get("label"))
                    self.leave(label, ends)
                    return []
                case "dycl.break":
                    self.loops[-1].left += ends
                    return []
                case "dycl.continue":
                    self.loops[-1].again += ends
                    return []
                case "dycl.return":
                    self.exits += 1
                    self.add(NodeKind.EXIT, f"exit {self.exits}", op, ends)
                    return []
                case "dycl.local_function":
                    self.function(op)
                case "dycl.local_call":
                    label = f"call {_text(op.properties.get('label'))}"
                    ends = [(self.add(NodeKind.KERNEL, label, op, ends), "")]
                case "dycl.local_return":
                    self.add(NodeKind.EXIT, "back to the call", op, ends)
                    return []
                case "dycl.unreachable":
                    return []
                case _ if op.regions:
                    raise PassFailed(
                        f"the control-flow graph cannot show `{op.name}`",
                        op,
                        hint="loops of known length are gone after `normalise`",
                        code="DY401",
                    )
                case _:
                    pass  # computes on the host; not a node
        return ends

    def function(self, op: Operation) -> None:
        """A local function, which stands apart: calls of it name it."""
        block = op.regions[0].block
        hints = [arg.name_hint or f"arg{arg.index}" for arg in block.args]
        title = f"{_text(op.properties.get('label'))}({', '.join(hints)})"
        self.walk(block, [(self.add(NodeKind.ENTRY, title, op, []), "")])

    def decision(self, op: Operation, ends: _Open) -> _Open:
        then_block, else_block = (region.block for region in op.regions)
        name = _text(op.attributes.get("name"))
        label = _text(op.attributes.get("test")) or name or "a value of the tensor"
        node = self.add(NodeKind.DECISION, label, op, ends, name=name)
        below = self.row
        self.row -= 1  # the `then` branch starts beside its decision
        then_ends = self.branch(then_block, [(node, "yes")])
        after_then = self.row = max(self.row, below)
        if not any(inner.regions for inner in else_block.ops):
            self.row = below  # only one column wide: stands beside the `then` branch
        else_ends = self.walk(else_block, [(node, "no")])
        self.row = max(self.row, after_then)
        return then_ends + else_ends

    def loop(self, op: Operation, ends: _Open) -> _Open:
        loop = _Loop(len(self.nodes))
        before, body = (region.block for region in op.regions)
        ends = self.walk(before, ends)
        end = before.last_op or op
        label = _text(op.attributes.get("test")) or "go on?"
        name = _text(op.attributes.get("name"))
        if _is_constant(end):
            label, name = "loop", ""
        node = self.add(NodeKind.DECISION, label, op, ends, name=name)
        below = self.row
        self.row -= 1
        self.loops.append(loop)
        ends = self.branch(body, [(node, "" if _is_constant(end) else "yes")])
        self.loops.pop()
        for source, edge_label in [*ends, *loop.again]:
            self.edges.append(Edge(source, loop.head, edge_label, back=True))
        self.row = max(self.row, below)
        return loop.left if _is_constant(end) else [(node, "no"), *loop.left]

    def scope(self, op: Operation, ends: _Open) -> _Open:
        left: _Open = []
        self.scopes.append((_text(op.properties.get("label")), left))
        ends = self.walk(op.regions[0].block, ends)
        self.scopes.pop()
        return left + ends

    def leave(self, label: str, ends: _Open) -> None:
        """Hand the ends to the nearest scope of this label."""
        for name, left in reversed(self.scopes):
            if name == label:
                left += ends
                return

    def branch(self, block: Block, ends: _Open) -> _Open:
        """Walk a `then` branch, one column to the right."""
        self.column += 1
        ends = self.walk(block, ends)
        self.column -= 1
        return ends

    def add(
        self, kind: NodeKind, label: str, op: Operation, ends: _Open, name: str = ""
    ) -> int:
        node = len(self.nodes)
        location = _location(op)
        place = (location, self.row, self.column)
        work = self.work.get(name) if kind is NodeKind.KERNEL else None
        self.nodes.append(Node(node, kind, label, name, *place, _size(op), work))
        self.edges += [Edge(source, node, text) for source, text in ends]
        self.row += 1
        return node


def _is_constant(end: Operation) -> bool:
    """Whether a loop's first region ends in a condition that is known."""
    owner = end.operands[0].owner if end.operands else None
    return isinstance(owner, Operation) and owner.name == "dycl.constant"


def _text(attr: object) -> str:
    """The text of a string or symbol attribute; empty for anything else."""
    match attr:
        case StringAttr():
            return attr.data
        case SymbolRefAttr():
            return attr.root_reference.data
        case _:
            return ""


_TENSOR = re.compile(r"vtensor<\[([^]]*)\],(\w+)>")
_MEMORY = re.compile(r"memref<((?:[0-9?]+x)*)(\w+)[,>]")


def _size(op: Operation) -> str:
    """The tensors that a launch gives: `f32[1,16,8,8]`, of several with `, `."""
    if op.name == "host.launch":
        found = [
            _MEMORY.search(str(value.type)) for value in getattr(op, "outputs", ())
        ]
        sizes = [(m[1].strip("x").replace("x", ","), m[2]) for m in found if m]
    elif op.name == "dycl.launch":
        found = [_TENSOR.search(str(value.type)) for value in op.results]
        sizes = [(m[1], m[2]) for m in found if m]
    else:
        return ""
    return ", ".join(f"{dtype}[{shape}]" for shape, dtype in sizes)


def _location(op: Operation) -> str:
    location = SourceLoc.of(op)
    if location is None:
        return ""
    return f"{location.file.replace(chr(92), '/').rpartition('/')[2]}:{location.line}"
