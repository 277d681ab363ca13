"""Print a host function as `host.py`: readable, deterministic, NumPy only.

The text has three parts: the tables INPUTS, DECISIONS and LAUNCHES; `load(rt)`, which
binds weights, buffers and kernels once; and the function itself, which `load` returns.
`rt` is `dycl.runtime.host_services.HostServices`. In `rt.launch(kernel, inputs,
outputs)`, `...` stands for an argument that is given at each call: inputs of the
network, joined or carried values, numbers. All other addresses are laid out once, so
that a launch costs little.
"""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.diag import PassFailed
from dycl.host.body import BodyPrinter
from dycl.host.launches import launch_entries
from dycl.host.lines import indent
from dycl.host.literals import (
    kind_and_shape,
    literal,
    memory_text,
    pattern,
    quoted,
    tensor,
    tuple_text,
    wrapped,
)
from dycl.host.names import RESERVED, Names
from dycl.host.statements import Call
from dycl.ir import host
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.host.memories import memory_of
from dycl.ir.host.segments import SEGMENT, given_to, number_in
from dycl.ir.input_sizes import sizes_of, with_names
from dycl.ir.state import state_of
from dycl.ir.values import from_attr
from dycl.ir.walking import walk


def print_python(module: ModuleOp, max_iterations: int | None = None) -> str:
    """The text of `host.py` for the one `host.func` of a module.

    With `max_iterations`, a loop that runs more often raises at run time. Needs what
    `dycl-check-host` checks. PassFailed (DY501): there is no, or more than one, host
    function.
    """
    return _HostPrinter(host_function(module), max_iterations).print()


def host_function(module: ModuleOp) -> host.FuncOp:
    """The one host function. PassFailed (DY501): there is none, or there are more."""
    functions = [op for op in module.ops if isinstance(op, host.FuncOp)]
    if len(functions) != 1:
        raise PassFailed(
            f"there must be one host.func to print; this module has {len(functions)}",
            module,
            hint="run dycl-lower-host",
            code="DY501",
        )
    return functions[0]


class _HostPrinter:
    def __init__(self, func: host.FuncOp, max_iterations: int | None):
        self.func = func
        self.max_iterations = max_iterations
        self.names = Names({*RESERVED, *_called_names(func)})
        self.texts: dict[SSAValue, str] = {}
        self.calls: dict[Operation, Call] = {}
        self.weights: list[str] = []
        self.buffers: list[str] = []
        self.launches: list[str] = []

    def print(self) -> str:
        name = self.names.fresh(self.func.sym_name.data)
        arguments = self._name_arguments()
        for op in walk(self.func.body):
            self._bind(op)
        body = BodyPrinter(self.texts, self.calls, self.names, self.max_iterations)
        lines = body.print(self.func)
        load = [
            *_section("Weights and constants.", self.weights),
            *_section("Memory that the kernels fill.", self.buffers),
            *_section("Launches: kernel, inputs, outputs.", self.launches),
            "decide, result = rt.decide, rt.result",
            "",
            *body.functions,
            f"def {name}({', '.join(arguments)}):",
            *indent(lines),
            "",
            f"return {name}",
        ]
        entries = [
            tuple_text([quoted(d.name), quoted(d.test), quoted(d.file), str(d.line)])
            for d in body.decisions
        ]
        launched = [
            tuple_text([quoted(e.kernel), quoted(e.file), str(e.line)])
            for e in launch_entries(self.func).values()
        ]
        text = [
            f'"""The host of `{name}`: decisions and launches. Printed by DyCL."""',
            "",
            *self._imports(),
            "# Name, dtype or kind of number, shape.",
            *_table("INPUTS", self._inputs()),
            "",
            *self._sizes(),
            "# Name, test, file, line.",
            *_table("DECISIONS", entries),
            "",
            "# Kernel, file, line; in the order of `load`.",
            *_table("LAUNCHES", launched),
            "",
            *self._state(),
            "",
            "def load(rt):",
            f'    """Bind weights, memory and kernels; return `{name}`."""',
            *indent(load),
        ]
        return "\n".join(text) + "\n"

    def _imports(self) -> list[str]:
        called = {
            op.function.data.rpartition(".")[0]
            for op in walk(self.func.body)
            if isinstance(op, d.BuiltinOp)
        }
        needed = [name for name in ("math", "numpy") if name in called]
        return [*(f"import {name}" for name in needed), ""] if needed else []

    def _name_arguments(self) -> list[str]:
        for value, wanted in zip(
            self.func.body.block.args, self.func.param_names, strict=True
        ):
            self.texts[value] = self.names.fresh(wanted, "x")
        return [self.texts[value] for value in self.func.body.block.args]

    def _inputs(self) -> list[str]:
        entries: list[str] = []
        for value, name in zip(
            self.func.body.block.args, self.func.param_names, strict=True
        ):
            kind, shape = kind_and_shape(value.type)
            shape = with_names(self.func, name, shape)
            entries.append(tuple_text([quoted(name), quoted(kind), literal(shape)]))
        return entries

    def _sizes(self) -> list[str]:
        """SIZES: what the names in the shapes of inputs may stand for."""
        entries = [
            tuple_text([quoted(s.name), str(s.low), literal(s.high)])
            for s in sizes_of(self.func)
        ]
        title = "# Sizes that each call decides: name, smallest, largest."
        return [title, *_table("SIZES", entries), ""] if entries else []

    def _state(self) -> list[str]:
        """STATE: the rows, how many inputs are the user's, where the variant is."""
        state = state_of(self.func)
        if state is None:
            return []
        rows: list[str] = []
        for variable in state.variables:
            initial = "None"
            if variable.initial:
                text, paths = pattern(variable.initial[0])
                names = tuple_text([quoted(str(path)) for path in paths])
                initial = tuple_text([text, names])
            given: list[str] = []
            for structure in variable.given:
                text, places = pattern(structure)
                first = 0 if variable.writes else state.inputs
                inner = [str(cast(int, p) - first) for p in places]
                given.append(tuple_text([text, tuple_text(inner)]))
            head = [quoted(variable.name), quoted(variable.mode)]
            rows.append(tuple_text([*head, initial, tuple_text(given)]))
        kind = None if state.kind is None else state.kind - state.inputs
        return [
            "# Attribute, mode, start, what variants take; inputs; the variant's place",
            "STATE = (",
            *indent(["(", *indent(f"{row}," for row in rows), "),"]),
            *indent([f"{state.inputs},", f"{kind},"]),
            ")",
            "",
        ]

    # ---- what is bound at load time

    def _bind(self, op: Operation) -> None:
        """Print what `op` can do before the first call, if anything."""
        match op:
            case d.ConstantOp(value=DenseIntOrFPElementsAttr() as value):
                name = self._name(op.result, "constant")
                made = tensor(value, memory_of(op.result.type))
                self.weights.append(f"{name} = {made}")
            case d.ConstantOp():
                self.texts[op.result] = literal(from_attr(op.value))
            case host.ParamOp():
                name = self._name(op.result, op.path.data)
                arguments = [quoted(op.path.data), *_place(op.result)]
                self.weights += wrapped(f"{name} = rt.param", arguments)
            case host.AllocOp() | host.KeepOp() if function_around(op) is not None:
                pass  # each call of a local function has its own
            case host.AllocOp():
                name = self._name(op.result, "y")
                self.buffers += wrapped(f"{name} = rt.buffer", _place(op.result))
            case host.KeepOp():
                name = self.names.fresh(f"keep_{op.result.name_hint or 'value'}")
                self.buffers += wrapped(f"{name} = rt.keeper", _place(op.result))
                self.calls[op] = Call(name, [op.operand])
            case host.ViewOp() if self._is_bound(op.operand):
                name = self._name(op.result, "view")
                source, (_, shape) = self.texts[op.operand], _type(op.result)
                self.buffers.append(f"{name} = {source}.view({shape})")
            case d.PositionOp():
                name = self.names.fresh(f"find_{op.key.name_hint or 'key'}")
                arguments = [literal(op.known_keys), quoted(op.error.data)]
                self.weights += wrapped(f"{name} = rt.finder", arguments)
                self.calls[op] = Call(name, [op.key])
            case host.LaunchOp():
                self._bind_launch(op)
            case d.ScopeOp() if (number := number_in(op, SEGMENT)) is not None:
                name = self.names.fresh(f"segment_{number}")
                self.launches.append(f"{name} = rt.segment({number})")
                self.calls[op] = Call(name, given_to(op))
            case _:
                pass

    def _bind_launch(self, op: host.LaunchOp) -> None:
        values = [*op.inputs, *op.outputs]
        given = [v for v in values if not self._is_bound(v)]
        name = self.names.fresh(op.kernel_name)
        arguments = [
            quoted(op.kernel_name),
            tuple_text([self._bound_text(v) for v in op.inputs]),
            tuple_text([self._bound_text(v) for v in op.outputs]),
        ]
        self.launches += wrapped(f"{name} = rt.launch", arguments)
        self.calls[op] = Call(name, given)

    def _is_bound(self, value: SSAValue) -> bool:
        """Whether the value is known at load time: no input, nothing joined or read."""
        return value in self.texts and value.owner is not self.func.body.block

    def _bound_text(self, value: SSAValue) -> str:
        return self.texts[value] if self._is_bound(value) else "..."

    def _name(self, value: SSAValue, default: str) -> str:
        self.texts[value] = self.names.fresh(value.name_hint, default)
        return self.texts[value]


def _called_names(func: host.FuncOp) -> Iterator[str]:
    """What the texts of ops on numbers call, which no value may be named."""
    for op in walk(func.body):
        if isinstance(op, d.ScalarOp):
            yield from _NAME.findall(op.python_text(["0"] * len(op.operands)))


_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def _type(value: SSAValue) -> list[str]:
    """Dtype and shape of a buffer as Python text."""
    dtype, shape = kind_and_shape(value.type)
    return [quoted(dtype), literal(shape)]


def _place(value: SSAValue) -> list[str]:
    """The same, and its memory, if that is not the processor's."""
    return [*_type(value), *memory_text(value.type)]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"# {title}", *lines, ""] if lines else []


def _table(name: str, entries: Sequence[str]) -> list[str]:
    """`NAME = (entry, ...)`, one entry on a line."""
    if not entries:
        return [f"{name} = ()"]
    return [f"{name} = (", *indent(f"{entry}," for entry in entries), ")"]
