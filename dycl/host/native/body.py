"""The body of a host function as lines of C.

C has `goto`, so a scope is a block with a label behind it. A loop is `for (;;)`; what a
jump or a yield hands on is assigned to variables that stand before the block.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.host.body import DecisionEntry
from dycl.host.lines import indent, place
from dycl.host.names import Names
from dycl.host.native.heap_values import HeapValues, lends
from dycl.host.native.layout import braced, comment, filled, noted, wrapped_call
from dycl.host.native.positions import Positions
from dycl.host.native.scalars import Scalars
from dycl.host.native.tables import Tables, check_text, decision_entry
from dycl.host.native.types import (
    c_elements,
    c_number,
    c_text,
    c_type,
    declared,
    element_type,
    slot,
)
from dycl.host.outputs import returned_structure
from dycl.host.ways import successor
from dycl.ir import host
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.host.types import NONE, STR, byte_size
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.values import LeafRef, from_attr
from dycl.ir.walking import walk


@dataclass
class BodyPrinter:
    """Prints a host function, given the text of every weight and constant."""

    texts: dict[SSAValue, str]
    names: Names
    offsets: dict[Operation, tuple[int, ...]]
    """Where in the arena each `host.alloc` and `host.keep` has its memory, and each
    `host.launch` its workspace, if the kernel takes one."""
    kernel_names: Mapping[str, str]
    """What each kernel is called in C."""
    inputs_of: Callable[[host.LaunchOp], list[str]]
    """What a kernel is passed besides the buffers that it fills."""
    max_iterations: int | None
    tables: Tables = field(default_factory=Tables)
    decisions: list[DecisionEntry] = field(default_factory=list[DecisionEntry])
    turns: int = 0
    """How many `host.keep` there are."""
    constants: list[str] = field(default_factory=list[str])
    """Definitions that stand before the function."""
    loops: bool = False
    _labels: dict[d.ScopeOp, str] = field(default_factory=dict[d.ScopeOp, str])
    _known_texts: dict[str, str] = field(default_factory=dict[str, str])

    def print(self, func: host.FuncOp) -> list[str]:
        """The lines inside the function. CannotPrint."""
        ops = list(walk(func.body))
        self.loops = any(isinstance(op, d.WhileOp) for op in ops)
        makes_texts = any(_makes_text(op) for op in ops)
        self._scalars = Scalars(self, not makes_texts)
        self._positions = Positions(self, self._scalars)
        self._grown = HeapValues(self, lends(func))
        return self._block(func.body.block)

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        self.texts[value] = self.names.fresh(value.name_hint)
        return self.texts[value]

    def fresh(self, wanted: str) -> str:
        """A new local variable's name."""
        return self.names.fresh(wanted)

    def given(self, value: SSAValue) -> list[str]:
        """What a kernel is passed for an input."""
        return self._grown.given(value)

    # ---- ops

    def _block(self, block: Block) -> list[str]:
        return [line for op in block.ops for line in self._op(op)]

    def _op(self, op: Operation) -> list[str]:
        if (lines := self._grown.lines(op)) is not None:
            return noted(lines, op)
        match op:
            case host.ParamOp():
                return []
            case d.ConstantOp():
                self._constant(op)
                return []
            case host.AllocOp():
                kind = c_type(op.result.type, fills=True)
                name = self.local(op.result)
                element = kind.removesuffix(" *")
                [offset] = self.offsets[op]
                return [f"{kind}const {name} = AT({element}, {offset});"]
            case host.ViewOp():
                self.texts[op.result] = self.texts[op.operand]
                return []
            case host.KeepOp():
                return self._keep(op)
            case host.LaunchOp():
                return self._launch(op)
            case d.CheckedOp():
                error = self.tables.add_check(op, op.message.data)
                self.texts[op.result] = self.texts[op.value]
                return [f"if (!{self.texts[op.condition]}) RAISE({error});"]
            case d.PositionOp():
                return self._positions.lines(op)
            case d.FormatOp():
                named = dict(op.keyword_arguments)
                return self._format(op.result, op.template_text, op.positional, named)
            case d.BinaryOp() if _makes_text(op):
                return self._format(op.result, "{}{}", op.operands, {})
            case d.IfOp():
                return self._if(op)
            case d.ScopeOp():
                return self._scope(op)
            case d.WhileOp():
                return self._while(op)
            case d.YieldOp():
                return self._forward(op)
            case d.LeaveOp():
                assert isinstance(op.target, d.ScopeOp)
                return [*self._forward(op), f"goto {self._labels[op.target]};"]
            case d.BreakOp():
                return [*self._forward(op), "break;"]
            case d.ContinueOp():
                return [*self._forward(op), "continue;"]
            case d.ConditionOp():
                return self._condition(op)
            case d.ReturnOp():
                number = self.tables.add_return(returned_structure(op), op.values)
                return [*self.outputs(op.values), f"RETURN({number});"]
            case d.RaiseOp():
                return self._raise(op)
            case d.EffectOp():
                return self._effect(op)
            case d.UnreachableOp():
                return self._unreachable(op)
            case _:
                return noted(self._scalars.lines(op), op)

    # ---- kernels and memory

    def _constant(self, op: d.ConstantOp) -> None:
        value = op.value
        if isinstance(value, DenseIntOrFPElementsAttr):
            assert isinstance(op.result.type, MemRefType)
            name = self.names.fresh(f"c_{op.result.name_hint or 'tensor'}")
            self.texts[op.result] = name
            elements = c_elements(value, op.result.type) or ["0"]
            kind = element_type(op.result.type)
            head = f"static const {kind} {name}[] ALIGNED = {{"
            self.constants += [*filled(head, elements, "};")]
            return
        known = from_attr(value)
        if isinstance(known, str):
            self.texts[op.result] = self.text_constant(known)
        elif known is None:
            self.texts[op.result] = "0"
        else:
            assert isinstance(known, int | float)
            self.texts[op.result] = c_number(known)

    def text_constant(self, text: str) -> str:
        """The address of a text that is known."""
        if text not in self._known_texts:
            number = self.tables.add_text(text)
            name = self._known_texts[text] = self.names.fresh(f"text_{number}")
            length = len(text.encode("utf-8", "surrogatepass"))
            value = f"{{{number}, {c_text(text)}, {length}, NULL}}"
            self.constants.append(f"static const dycl_text {name} = {value};")
        return f"&{self._known_texts[text]}"

    def _launch(self, op: host.LaunchOp) -> list[str]:
        arguments = self.inputs_of(op)
        for value in op.outputs:
            is_own = isinstance(value.owner, host.AllocOp)
            cast = "" if is_own else f"({c_type(value.type, fills=True)})"
            arguments.append(f"{cast}{self.texts[value]}")
        if op in self.offsets:
            [offset] = self.offsets[op]
            arguments.append(f"m + {offset}")
        before, after = self._grown.launch(op)
        call = wrapped_call(self.kernel_names[op.kernel_name], arguments)
        return [*before, *noted(call, op), *after]

    def _keep(self, op: host.KeepOp) -> list[str]:
        assert isinstance(op.result.type, MemRefType)
        kind = c_type(op.result.type)
        first, second = self.offsets[op]
        source = self.texts[op.operand]
        call = (
            f"dycl_keep(h, {self.turns}, m + {first}, m + {second}, "
            f"{source}, {byte_size(op.result.type)})"
        )
        self.turns += 1
        return [f"{declared(kind, self.local(op.result))} = {call};"]

    # ---- control

    def _declare(self, values: Sequence[SSAValue]) -> list[str]:
        lines: list[str] = []
        for value in values:
            name = self.local(value)
            if value.type != NONE:
                lines.append(f"{declared(c_type(value.type), name)};")
        return lines

    def _assign(
        self, targets: Sequence[SSAValue], values: Sequence[SSAValue]
    ) -> list[str]:
        """All targets at once, as Python assigns a tuple."""
        pairs = [
            (t, self.texts[t], self.texts[v])
            for t, v in zip(targets, values, strict=True)
            if t.uses and t.type != NONE and self.texts[t] != self.texts[v]
        ]
        lines: list[str] = []
        late: list[str] = []
        for i, (target, name, text) in enumerate(pairs):
            if any(other == name for _, _, other in pairs[i + 1 :]):
                kept = self.names.fresh(f"new_{name}")
                lines.append(f"{declared(c_type(target.type), kept)} = {text};")
                late.append(f"{name} = {kept};")
            else:
                lines.append(f"{name} = {text};")
        return braced([*lines, *late]) if late else lines

    def _forward(self, op: RegionTerminator) -> list[str]:
        """Give the values to what they become."""
        return self._assign(successor(op).inputs, op.forwarded)

    def _if(self, op: d.IfOp) -> list[str]:
        head = self._declare(op.results)
        condition = self.texts[op.condition]
        comment = ""
        if op.is_decision:
            condition = f"DECIDE({len(self.decisions)}, {condition})"
            comment = self._note(op)
            if self.loops:
                head.append("ROOM(1);")
        then_lines = self._block(op.then_region.block)
        if op.end_of(op.then_region.block) is None:
            # What follows a guard is its other side: no `else`, no nesting.
            rest = self._block(op.else_region.block)
            guard = [f"if ({condition}) {{{comment}", *indent(then_lines), "}"]
            return [*head, *guard, *rest]
        else_lines = self._block(op.else_region.block)
        if not then_lines and not else_lines:
            return [*head, f"(void){condition};{comment}"] if op.is_decision else head
        if not then_lines:
            lines = [f"if (!{condition}) {{{comment}", *indent(else_lines), "}"]
            return [*head, *lines]
        lines = [*head, f"if ({condition}) {{{comment}", *indent(then_lines)]
        if else_lines:
            lines += ["} else {", *indent(else_lines)]
        return [*lines, "}"]

    def _note(self, op: d.IfOp | d.WhileOp) -> str:
        """Add a decision to the table; its comment."""
        entry = decision_entry(op)
        self.decisions.append(entry)
        words = (place(op), entry.name, entry.test)
        return comment(": ".join(" ".join(word.split()) for word in words if word))

    def _while(self, op: d.WhileOp) -> list[str]:
        carried = op.before.block.args
        lines = [*self._declare(op.results), *self._declare(carried)]
        lines += self._assign(carried, op.initial)
        rounds = ""
        if self.max_iterations is not None:
            rounds = self.names.fresh("rounds")
            lines.append(f"int64_t {rounds} = 0;")
        body = [*self._grown.sweep(op), *self._block(op.before.block)]
        pairs = zip(op.body.block.args, op.condition.values, strict=True)
        for argument, value in pairs:
            self.texts[argument] = self.texts[value]
        if self.max_iterations is not None:
            error = self.tables.add_limit(op, self.max_iterations)
            body.append(f"if (++{rounds} > {self.max_iterations}) RAISE({error});")
        body.append("if (dycl_poll(h)) STOP;")
        body += self._block(op.body.block)
        return [*lines, "for (;;) {", *indent(body), "}"]

    def _condition(self, op: d.ConditionOp) -> list[str]:
        loop = op.parent_op()
        assert isinstance(loop, d.WhileOp)
        if not loop.is_decision:
            return []
        condition = f"DECIDE({len(self.decisions)}, {self.texts[op.condition]})"
        note = self._note(loop)
        leave = [*self._assign(loop.results, op.values), "break;"]
        return ["ROOM(1);", f"if (!{condition}) {{{note}", *indent(leave), "}"]

    def _scope(self, op: d.ScopeOp) -> list[str]:
        label = self.names.fresh(f"left_{op.label.data}")
        self._labels[op] = label
        head = self._declare(op.results)
        body = self._block(op.body.block)
        return [*head, "{", *indent(body), "}", f"{label}:;"]

    def _unreachable(self, op: d.UnreachableOp) -> list[str]:
        message = "this place cannot be reached"
        error = self.tables.add_error(op, "builtins.AssertionError", [message])
        return [f"RAISE({error});"]

    # ---- what leaves the function

    def outputs(self, values: Iterable[SSAValue]) -> list[str]:
        """The lines that hand values out of the function."""
        lines: list[str] = []
        for i, value in enumerate(values):
            if value.type == NONE:
                continue
            lines.append(f"out[{i}].{slot(value)} = {self.texts[value]};")
        return lines

    def _raise(self, op: d.RaiseOp) -> list[str]:
        leaves = [LeafRef(i) for i in range(len(op.values))]
        base = None if op.base is None else op.base_name
        name = op.exception_name
        error = self.tables.add_error(op, name, leaves, op.values, base)
        return noted([*self.outputs(op.values), f"RAISE({error});"], op)

    def _effect(self, op: d.EffectOp) -> list[str]:
        if op.function_name in CHECKS.values():
            fits, _ = op.positional
            error = self.tables.add_check(op, check_text(op))
            return noted([f"if (!{self.texts[fits]}) RAISE({error});"], op)
        number = self.tables.add_effect(op)
        values = [*op.positional, *op.keyword_arguments.values()]
        return self.with_arguments(
            values, "", lambda given: [f"if (dycl_effect(h, {number}, {given})) STOP;"]
        )

    def _format(
        self,
        result: SSAValue,
        template: str,
        positional: Sequence[SSAValue],
        named: dict[str, SSAValue],
    ) -> list[str]:
        number = self.tables.add_format(template, positional, named)
        name = self.local(result)
        values = [*positional, *named.values()]

        def make(given: str) -> list[str]:
            size = f"{len(values)} * sizeof(dycl_value)"
            return [
                f"{name} = dycl_format(h, {number}, {given}, {size});",
                f"if ({name} == NULL) NO_MEMORY;",
            ]

        head = f"const dycl_text *{name};"
        return self.with_arguments(values, head, make)

    def with_arguments(
        self, values: Sequence[SSAValue], head: str, use: "_Use"
    ) -> list[str]:
        """A block with the values in an array, after the line `head`."""
        given = self.names.fresh("arguments")
        entries = [
            "{0}" if v.type == NONE else f"{{.{slot(v)} = {self.texts[v]}}}"
            for v in values
        ]
        listed = ", ".join(entries or ["{0}"])
        array = f"const dycl_value {given}[] = {{{listed}}};"
        return [*([head] if head else []), *braced([array, *use(given)])]


_Use = Callable[[str], list[str]]


def _makes_text(op: Operation) -> bool:
    """Whether an op makes a text at run time."""
    is_sum = isinstance(op, d.BinaryOp) and op.result.type == STR
    return is_sum or isinstance(op, d.FormatOp)
