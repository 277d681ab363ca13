"""Print a host function as text of MLIR's LLVM dialect: where no C compiler is found.

It is the program of host.c, op by op: straight lines, decisions, loops, errors. What
host.c does with support.h beyond that (texts, prints, lists, open sizes, powers) has
no form here: `CannotPrint`, and Python runs the decisions. What a join gives, and what
a loop carries, is a variable on the stack, which LLVM makes a register.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue

from dycl.host.body import DecisionEntry
from dycl.host.names import Names
from dycl.host.native.body import check_text, decision_entry
from dycl.host.native.llvm_numbers import Numbers
from dycl.host.native.llvm_text import (
    NO_MEMORY,
    PTR,
    RAISED,
    RETURNED,
    STOPPED,
    kind_of,
)
from dycl.host.native.program import (
    NativeProgram,
    host_tables,
    memory_layout,
)
from dycl.host.native.types import CannotPrint, element_bytes
from dycl.host.native.weights import Preparation, Weights
from dycl.host.outputs import returned_structure
from dycl.host.python import host_function
from dycl.ir import host
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.host.types import NONE, NUMBERS, byte_size
from dycl.ir.host.workspaces import workspaces_of
from dycl.ir.values import LeafRef, from_attr
from dycl.ir.walking import walk


def print_llvm(
    module: ModuleOp,
    preparations: Mapping[str, Preparation],
    max_iterations: int | None = None,
) -> NativeProgram:
    """The one `host.func` of a module as LLVM dialect, and the tables of host.json.

    CannotPrint: something in it has no form here. PassFailed (DY501): there is no, or
    more than one, host function.
    """
    func, workspaces = host_function(module), workspaces_of(module)
    printer = _Printer(
        func=func,
        preparations=preparations,
        workspaces=workspaces,
        max_iterations=max_iterations,
    )
    return printer.print()


@dataclass(kw_only=True)
class _Printer(Numbers):
    func: host.FuncOp
    preparations: Mapping[str, Preparation]
    workspaces: Mapping[str, int]
    max_iterations: int | None
    globals: list[str] = field(default_factory=list[str])
    declared: dict[str, str] = field(default_factory=dict[str, str])
    """Kernels -> their declarations."""
    slots: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Results of joins and what loops carry -> their variables."""
    decisions: list[DecisionEntry] = field(default_factory=list[DecisionEntry])
    ends: dict[Operation, tuple[str, str]] = field(
        default_factory=dict[Operation, tuple[str, str]]
    )
    """Scopes and loops -> the labels of what follows, and of the next iteration."""
    turns: int = 0

    def print(self) -> NativeProgram:
        offsets, arena = memory_layout(self.func, self.workspaces)
        self.offsets = offsets
        names = {op.kernel_name: op.kernel_name for op in self.launches()}
        self.weights = Weights(self.func, self.preparations, names, Names())
        self.params = [*self.weights.texts]
        self.head.append("%one = llvm.mlir.constant(1 : i64) : i64")
        self.path = self.variable(PTR)
        self.store(self.load(self.word("%h", 3), PTR), self.path, PTR)
        self.arena = self.load(self.word("%h", 10), PTR)
        self.held = self.load(self.word("%h", 12), PTR)
        self.out = self.load(self.word("%h", 1), PTR)
        taken = self.load("%h", PTR)
        for i, value in enumerate(self.func.body.block.args):
            self.values[value] = self.load_value(self.word(taken, i), value.type)
        self.block(self.func.body.block)
        ops = list(walk(self.func.body))
        loops = any(isinstance(op, host.WhileOp) for op in ops)
        tables = host_tables(
            self.func, self.weights, self.tables, self.decisions, arena, loops
        )
        lines, missing = self.lines, self.make_missing()
        text = [
            "// The host, as host.py has it. Printed by DyCL.",
            *self.globals,
            *self.declared.values(),
            "llvm.func internal @dycl_forward(%h: !llvm.ptr) -> i32 {",
            *self.head,
            *lines,
            "}",
            "llvm.func internal @dycl_make_missing(%w: !llvm.ptr) -> i1 {",
            *missing,
            "%done = llvm.mlir.constant(false) : i1",
            "llvm.return %done : i1",
            "^fail:",
            "%failed = llvm.mlir.constant(true) : i1",
            "llvm.return %failed : i1",
            "}",
            self.entry(arena),
        ]
        return NativeProgram("\n".join(text), tables, "llvm", [*self.declared])

    def entry(self, arena: int) -> str:
        """The functions of dycl.h."""
        weights, made = len(self.params), self.weights.count
        numbers = {
            "WEIGHT_WORDS": weights + 2 * made + 1,
            "WEIGHT_BYTES": 8 * weights,
            "WEIGHTS": weights,
            "MADE_BYTES": 8 * made,
            "OWN_START": weights + made,
            "OWN_END": weights + 2 * made,
            "INPUT_WORDS": len(self.func.body.block.args) + 1,
            "OUTPUT_WORDS": self.tables.outputs + 1,
            "PATH_ROOM": len(self.decisions) + 1,
            "ARENA": arena,
            "TURN_WORDS": self.turns + 1,
        }
        folder = resources.files("dycl.host.native")
        text = (folder / "entry.mlir").read_text("utf-8")
        return re.sub(r"\b([A-Z_]{5,}) : i64", lambda m: f"{numbers[m[1]]} : i64", text)

    def launches(self) -> Iterable[host.LaunchOp]:
        return (op for op in walk(self.func.body) if isinstance(op, host.LaunchOp))

    # ---- ops

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.one(op)

    def one(self, op: Operation) -> None:
        printer = _OPS.get(type(op))
        if printer is None:
            raise CannotPrint(f"`{op.name}`")
        printer(self, op)

    def param(self, op: host.ParamOp) -> None:
        place = self.params.index(op.path.data)
        self.values[op.result] = self.load(self.word(self.held, place), PTR)

    def host_constant(self, op: host.ConstantOp) -> None:
        kind = op.result.type
        if isinstance(op.value, DenseIntOrFPElementsAttr):
            assert isinstance(kind, MemRefType)
            data = element_bytes(op.value, kind) or b"\0"
            text = "".join(f"\\{b:02X}" for b in data)
            name = f"@c_{len(self.globals)}"
            array = f"!llvm.array<{len(data)} x i8>"
            self.globals.append(
                f'llvm.mlir.global internal constant {name}("{text}") '
                f"{{addr_space = 0 : i32, alignment = 64 : i64}} : {array}"
            )
            self.values[op.result] = self.op(f"llvm.mlir.addressof {name} : {PTR}")
        elif kind in NUMBERS:
            known = from_attr(op.value)
            assert isinstance(known, int | float)
            self.values[op.result] = self.constant(known, kind)

    def alloc(self, op: host.AllocOp) -> None:
        kind_of(op.result.type)
        [offset] = self.offsets[op]
        self.values[op.result] = self.at(self.arena, offset, "i8")

    def view(self, op: host.ViewOp) -> None:
        self.values[op.result] = self.values[op.operand]

    def launch(self, op: host.LaunchOp) -> None:
        given: list[tuple[str, str]] = []
        numbered = [[f"{i}"] for i in range(len(op.inputs))]
        for text in self.weights.arguments(op, numbered):
            if text.isdigit():
                value = op.inputs[int(text)]
                given.append((self.values[value], kind_of(value.type)))
            else:
                place = len(self.params) + self.weights.place(text)
                given.append((self.load(self.word(self.held, place), PTR), PTR))
        given += [(self.values[v], kind_of(v.type)) for v in op.outputs]
        if op in self.offsets:
            [offset] = self.offsets[op]
            given.append((self.at(self.arena, offset, "i8"), PTR))
        self.call(self.lines, op.kernel_name, given)

    def call(
        self, lines: list[str], kernel: str, given: Sequence[tuple[str, str]]
    ) -> None:
        names, kinds = ", ".join(n for n, _ in given), ", ".join(k for _, k in given)
        self.declared[kernel] = f'llvm.func @"{kernel}"({kinds})'
        lines.append(f'llvm.call @"{kernel}"({names}) : ({kinds}) -> ()')

    def make_missing(self) -> list[str]:
        """The lines that fill what kernels want of their weights, and is not given."""
        self.lines = []
        for kernel, paths, buffers in self.weights.groups():
            make, after = self.label(), self.label()
            for place, _ in buffers:
                word = self.word("%w", len(self.params) + place)
                there = self.label()
                self.branch(self.is_null(self.load(word, PTR)), make, there)
                self.start(there)
            self.go(after)
            self.start(make)
            given = [
                (self.load(self.word("%w", self.params.index(path)), PTR), PTR)
                for path in paths
            ]
            for place, nbytes in buffers:
                numbers = [self.constant(n, i64) for n in (place, nbytes)]
                made = self.op(
                    f"llvm.call @dycl_begin_made(%w, {', '.join(numbers)}) : "
                    f"({PTR}, i64, i64) -> {PTR}"
                )
                there = self.label()
                self.branch(self.is_null(made), "^fail", there)
                self.start(there)
                given.append((made, PTR))
            self.call(self.lines, f"{kernel}_prepare", given)
            for place, _ in buffers:
                number = self.constant(place, i64)
                self.lines.append(
                    f"llvm.call @dycl_end_made(%w, {number}) : ({PTR}, i64) -> ()"
                )
            self.go(after)
            self.start(after)
        return self.lines

    def keep(self, op: host.KeepOp) -> None:
        assert isinstance(op.result.type, MemRefType)
        kind_of(op.result.type)
        first, second = (self.at(self.arena, o, "i8") for o in self.offsets[op])
        number = self.constant(self.turns, i64)
        size = self.constant(byte_size(op.result.type), i64)
        self.turns += 1
        source = self.values[op.operand]
        given = f"%h, {number}, {first}, {second}, {source}, {size}"
        kinds = f"({PTR}, i64, {PTR}, {PTR}, {PTR}, i64)"
        self.values[op.result] = self.op(
            f"llvm.call @dycl_keep({given}) : {kinds} -> {PTR}"
        )

    # ---- control

    def join(self, values: Iterable[SSAValue]) -> None:
        """Variables for what is assigned in more than one place."""
        for value in values:
            if value.type != NONE:
                self.slots[value] = self.variable(kind_of(value.type))

    def assign(self, targets: Iterable[SSAValue], values: Iterable[SSAValue]) -> None:
        for target, value in zip(targets, values, strict=True):
            if target.type != NONE:
                kind = kind_of(target.type)
                self.store(self.values[value], self.slots[target], kind)

    def fetch(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            if value.type != NONE:
                kind = kind_of(value.type)
                self.values[value] = self.load(self.slots[value], kind)

    def decide(self, op: host.IfOp | host.WhileOp, condition: str) -> None:
        """Note which side is taken."""
        number = len(self.decisions)
        self.decisions.append(decision_entry(op))
        path = self.load(self.path, PTR)
        side = self.op(f"llvm.zext {condition} : i1 to i32")
        first = self.op(f"llvm.mlir.constant({number << 1} : i32) : i32")
        self.store(self.op(f"llvm.or {first}, {side} : i32"), path, "i32")
        self.store(self.at(path, 1, "i32"), self.path, PTR)

    def room(self) -> None:
        path = self.load(self.path, PTR)
        roomy = self.op(f"llvm.call @dycl_room(%h, {path}) : ({PTR}, {PTR}) -> {PTR}")
        self.end_if(self.is_null(roomy), -1, NO_MEMORY)
        self.store(roomy, self.path, PTR)

    def if_(self, op: host.IfOp) -> None:
        self.join(op.results)
        condition = self.values[op.condition]
        if op.is_decision:
            if any(isinstance(o, host.WhileOp) for o in _around(op)):
                self.room()
            self.decide(op, condition)
        yes, no, after = self.label(), self.label(), self.label()
        self.branch(condition, yes, no)
        for label, region in ((yes, op.then_region), (no, op.else_region)):
            self.start(label)
            self.block(region.block)
            last = region.block.last_op
            if last is None or isinstance(last, host.YieldOp):
                self.go(after)
        self.start(after)
        self.fetch(op.results)

    def while_(self, op: host.WhileOp) -> None:
        carried = op.before.block.args
        self.join([*op.results, *carried])
        self.assign(carried, op.initial)
        rounds = ""
        if self.max_iterations is not None:
            rounds = self.variable("i64")
            self.store(self.constant(0, i64), rounds, "i64")
        again, after = self.label(), self.label()
        self.ends[op] = after, again
        self.go(again)
        self.start(again)
        self.fetch(carried)
        self.block(op.before.block)
        if self.max_iterations is not None:
            self.count_round(op, rounds, self.max_iterations)
        stop = self.op(f"llvm.call @dycl_poll(%h) : ({PTR}) -> i1")
        self.end_if(stop, -1, STOPPED)
        for argument, value in zip(
            op.body.block.args, op.condition.values, strict=True
        ):
            if argument.type != NONE:
                self.values[argument] = self.values[value]
        self.block(op.body.block)
        if isinstance(op.body.block.last_op, host.YieldOp):
            self.go(again)
        self.start(after)
        self.fetch(op.results)

    def count_round(self, op: host.WhileOp, rounds: str, limit: int) -> None:
        """Raise where a loop has run often enough."""
        count, one = self.load(rounds, "i64"), self.constant(1, i64)
        more = self.op(f"llvm.add {count}, {one} : i64")
        self.store(more, rounds, "i64")
        most = self.constant(limit, i64)
        over = self.op(f'llvm.icmp "sgt" {more}, {most} : i64')
        self.end_if(over, self.tables.add_limit(op, limit), RAISED)

    def condition(self, op: host.ConditionOp) -> None:
        loop = op.parent_op()
        assert isinstance(loop, host.WhileOp)
        if not loop.is_decision:
            return
        condition = self.values[op.condition]
        self.room()
        self.decide(loop, condition)
        leave, go_on = self.label(), self.label()
        self.branch(condition, go_on, leave)
        self.start(leave)
        self.assign(loop.results, op.values)
        self.go(self.ends[loop][0])
        self.start(go_on)

    def scope(self, op: host.ScopeOp) -> None:
        self.join(op.results)
        after = self.label()
        self.ends[op] = after, after
        self.block(op.body.block)
        self.start(after)
        self.fetch(op.results)

    def yield_(self, op: host.YieldOp) -> None:
        owner = op.parent_op()
        if isinstance(owner, host.WhileOp):
            self.assign(owner.before.block.args, op.values)
        else:
            assert isinstance(owner, host.IfOp)
            self.assign(owner.results, op.values)

    def jump(self, op: host.LeaveOp | host.BreakOp | host.ContinueOp) -> None:
        target = op.scope if isinstance(op, host.LeaveOp) else op.loop
        assert target is not None
        if isinstance(op, host.ContinueOp) and isinstance(target, host.WhileOp):
            self.assign(target.before.block.args, op.values)
            self.go(self.ends[target][1])
        else:
            self.assign(target.results, op.values)
            self.go(self.ends[target][0])

    def return_(self, op: host.ReturnOp) -> None:
        number = self.tables.add_return(returned_structure(op), op.values)
        self.outputs(op.values)
        self.end(number, RETURNED)

    def raise_(self, op: host.RaiseOp) -> None:
        leaves = [LeafRef(i) for i in range(len(op.values))]
        base = None if op.base is None else op.base_name
        error = self.tables.add_error(op, op.exception_name, leaves, op.values, base)
        self.outputs(op.values)
        self.end(error, RAISED)

    def unreachable(self, op: host.UnreachableOp) -> None:
        message = "this place cannot be reached"
        error = self.tables.add_error(op, "builtins.AssertionError", [message])
        self.end(error, RAISED)

    def checked(self, op: host.CheckedOp) -> None:
        error = self.tables.add_check(op, op.message.data)
        self.end_if(self.negated(self.values[op.condition]), error, RAISED)
        self.values[op.result] = self.values[op.value]

    def effect(self, op: host.EffectOp) -> None:
        if op.function_name not in CHECKS.values():
            raise CannotPrint(f"`{op.function_name}`")
        fits, _ = op.positional
        error = self.tables.add_check(op, check_text(op))
        self.end_if(self.negated(self.values[fits]), error, RAISED)


def _around(op: Operation) -> Iterable[Operation]:
    """The ops around one."""
    while (outer := op.parent_op()) is not None:
        yield outer
        op = outer


_OPS: dict[type[Operation], Callable[[_Printer, Any], None]] = {
    host.ParamOp: _Printer.param,
    host.ConstantOp: _Printer.host_constant,
    host.AllocOp: _Printer.alloc,
    host.ViewOp: _Printer.view,
    host.LaunchOp: _Printer.launch,
    host.KeepOp: _Printer.keep,
    host.ReadOp: _Printer.read,
    host.UnaryOp: _Printer.unary,
    host.TruthOp: lambda printer, op: printer.values.update(
        {op.result: printer.truth(op.operand)}
    ),
    host.BinaryOp: _Printer.binary,
    host.CompareOp: _Printer.compare,
    host.SelectOp: _Printer.select,
    host.PositionOp: _Printer.position,
    host.CheckedOp: _Printer.checked,
    host.EffectOp: _Printer.effect,
    host.IfOp: _Printer.if_,
    host.WhileOp: _Printer.while_,
    host.ConditionOp: _Printer.condition,
    host.ScopeOp: _Printer.scope,
    host.YieldOp: _Printer.yield_,
    host.LeaveOp: _Printer.jump,
    host.BreakOp: _Printer.jump,
    host.ContinueOp: _Printer.jump,
    host.ReturnOp: _Printer.return_,
    host.RaiseOp: _Printer.raise_,
    host.UnreachableOp: _Printer.unreachable,
}
