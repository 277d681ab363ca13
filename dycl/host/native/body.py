"""The body of a host function as lines of C: ops in order, by what they are of.

`variables.py` knows what each value is called, `control.py` prints ops with regions,
`scalars.py` numbers, `heap_values.py` what is made at run time; the rest is here:
memory, launches, and what leaves the function.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.host.body import DecisionEntry
from dycl.host.native.batches import Batches
from dycl.host.native.control import Control
from dycl.host.native.drops import drops_of
from dycl.host.native.heap_values import HeapValues, lends
from dycl.host.native.layout import filled, noted
from dycl.host.native.nodes import Nodes
from dycl.host.native.on_device import OnDevice, is_there
from dycl.host.native.positions import Positions
from dycl.host.native.recursion import LocalFunctions
from dycl.host.native.scalars import Scalars
from dycl.host.native.tables import check_text
from dycl.host.native.types import (
    c_elements,
    c_number,
    c_type,
    declared,
    element_type,
)
from dycl.host.native.variables import Variables
from dycl.host.outputs import returned_structure
from dycl.ir import host
from dycl.ir.batches import batch_of
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.host.types import STR, byte_size
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.values import LeafRef, from_attr
from dycl.ir.walking import walk


@dataclass
class BodyPrinter(Variables):
    """Prints a host function, given the text of every weight and constant."""

    frames: Mapping[d.LocalFunctionOp, int]
    """How many bytes the buffers of each local function take."""
    offsets: dict[Operation, tuple[int, ...]]
    """Where in the arena each `host.alloc` and `host.keep` has its memory, and each
    `host.launch` its workspace, if the kernel takes one."""
    kernel_names: Mapping[str, str]
    """What each kernel is called in C."""
    launch_numbers: Mapping[Operation, int]
    """Of each `host.launch`, by which a profile knows it."""
    inputs_of: Callable[[host.LaunchOp], list[str]]
    """What a kernel is passed besides the buffers that it fills."""
    by_others: Collection[str]
    """The kernels that engines or a GPU run."""
    on_device: OnDevice
    max_iterations: int | None
    batches: Batches
    results: Mapping[Operation, int]
    """Each `host.alloc` whose memory the caller may take, and its number."""
    decisions: list[DecisionEntry] = field(default_factory=list[DecisionEntry])
    turns: int = 0
    """How many `host.keep` there are."""
    loops: bool = False

    def print(self, func: host.FuncOp) -> list[str]:
        """The lines inside the function. CannotPrint."""
        ops = list(walk(func.body))
        self.loops = any(isinstance(op, d.WhileOp | d.LocalFunctionOp) for op in ops)
        makes_texts = any(_makes_text(op) for op in ops)
        self._scalars = Scalars(self, not makes_texts)
        self._positions = Positions(self, self._scalars)
        self._grown = HeapValues(self, lends(func))
        self._drops = drops_of(func)
        self._nodes = Nodes(self)
        self.batches.printer = self
        self.functions = LocalFunctions(self, self._block, self.frames)
        for frame in self.frames:
            self.functions.declare(frame)
        self._control = Control(
            self,
            self._block,
            self._grown.sweep,
            self.max_iterations,
            self.loops,
            self.decisions,
        )
        return self._block(func.body.block)

    def given(self, value: SSAValue) -> list[str]:
        """What a kernel is passed for an input."""
        return self._grown.given(value)

    # ---- ops

    def _block(self, block: Block) -> list[str]:
        return [line for op in block.ops for line in self._op(op)]

    def _op(self, op: Operation) -> list[str]:
        lines = [*self.batches.before(op), *self._own_lines(op)]
        dropped = self._drops.get(op, ())
        return [*lines, *(f"dycl_drop(h, {self.texts[v]});" for v in dropped)]

    def _own_lines(self, op: Operation) -> list[str]:
        if (lines := self._nodes.lines(op)) is not None:
            return noted(lines, op)
        if (lines := self._grown.lines(op)) is not None:
            return noted(lines, op)
        match op:
            case host.ParamOp():
                return []
            case d.ConstantOp():
                self._constant(op)
                return []
            case host.AllocOp() if self.batches.is_put_off(op.result):
                return self.batches.alloc(op)
            case host.AllocOp():
                return self._alloc(op)
            case host.ViewOp():
                self.texts[op.result] = self.texts[op.operand]
                return []
            case host.KeepOp():
                return self._keep(op)
            case host.LaunchOp():
                batch = batch_of(op)
                return self.batches.launch(op, batch) if batch else self._launch(op)
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
            case d.IfOp() | d.ScopeOp() | d.WhileOp():
                return self._control.lines(op)
            case d.LocalFunctionOp():
                self.functions.define(op)
                return []
            case d.LocalCallOp():
                return [*self.functions.call(op), *self.batches.after(op)]
            case d.LocalReturnOp():
                return self.functions.end(op)
            case d.ReturnOp():
                number = self.tables.add_return(returned_structure(op), op.values)
                fetched = self.on_device.fetched(op.values, self.texts)
                return [*fetched, *self.outputs(op.values), f"RETURN({number});"]
            case d.RaiseOp():
                return self._raise(op)
            case d.EffectOp():
                return self._effect(op)
            case d.UnreachableOp():
                return self._unreachable(op)
            case RegionTerminator():
                return self._control.end(op)
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
            is_node = isinstance(op.result.type, d.NodeType)
            self.texts[op.result] = "((const dycl_node *)0)" if is_node else "0"
        else:
            assert isinstance(known, int | float)
            self.texts[op.result] = c_number(known)

    def _alloc(self, op: host.AllocOp) -> list[str]:
        assert isinstance(op.result.type, MemRefType)
        kind, name = c_type(op.result.type, fills=True), self.local(op.result)
        if (number := self.results.get(op)) is not None:
            size = byte_size(op.result.type)
            return [
                f"{kind}const {name} = dycl_result(h, {number}, {size});",
                f"if ({name} == NULL) NO_MEMORY;",
            ]
        [offset] = self.offsets[op]
        return [f"{kind}const {name} = AT({kind.removesuffix(' *')}, {offset});"]

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
        number = self.launch_numbers[op]
        name, macro = self.kernel_names[op.kernel_name], "LAUNCH"
        if op.kernel_name in self.by_others:
            macro, arguments = "LAUNCH_ENGINE", ["h", *arguments]
        call = filled(f"{macro}({number}, {name}(", arguments, "));")
        return [*before, *noted(call, op), *after]

    def _keep(self, op: host.KeepOp) -> list[str]:
        assert isinstance(op.result.type, MemRefType)
        kind = c_type(op.result.type)
        first, second = self.offsets[op]
        source = self.texts[op.operand]
        turn = self.functions.turn(op, self.turns)
        self.turns += 1
        places = f"m + {first}, m + {second}, {source}, {byte_size(op.result.type)}"
        if is_there(op):
            name = self.local(op.result)
            call = f"dycl_keep_on_device(h, {turn}, {places})"
            return [
                f"{declared(kind, name)} = {call};",
                f"if ({name} == NULL)",
                "    STOP;",
            ]
        function = "KEEP" if self.batches.is_used else "dycl_keep"
        call = f"{function}({turn}, {places})"
        return [f"{declared(kind, self.local(op.result))} = {call};"]

    # ---- control

    def _unreachable(self, op: d.UnreachableOp) -> list[str]:
        message = "this place cannot be reached"
        error = self.tables.add_error(op, "builtins.AssertionError", [message])
        return [f"RAISE({error});"]

    # ---- what leaves the function

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


def _makes_text(op: Operation) -> bool:
    """Whether an op makes a text at run time."""
    is_sum = isinstance(op, d.BinaryOp) and op.result.type == STR
    return is_sum or isinstance(op, d.FormatOp)
