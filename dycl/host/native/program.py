"""Print a host function as `host.c`: readable, deterministic, libc and libm only.

The text has the kernels' prototypes, the weights as a struct, constants, the table of
decisions, the function itself, and what `dycl.c` needs to know of it, which has the
entry points.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue

import dycl.ir as d
from dycl.host.body import DecisionEntry
from dycl.host.launches import LaunchEntry, launch_entries
from dycl.host.lines import indent
from dycl.host.native.arena import memory_layout
from dycl.host.native.batches import Batches, has_batches
from dycl.host.native.body import BodyPrinter
from dycl.host.native.c_names import RESERVED, CNames
from dycl.host.native.engine_calls import engine_call
from dycl.host.native.heap_values import makes_blocks
from dycl.host.native.on_device import OnDevice
from dycl.host.native.open_inputs import (
    input_line,
    size_check,
    size_fields,
    size_table,
)
from dycl.host.native.recursion import frames_room, own_stack
from dycl.host.native.results import results_of
from dycl.host.native.room import room_function
from dycl.host.native.tables import Tables
from dycl.host.native.types import (
    ELEMENTS,
    c_table,
    c_text,
    c_type,
    kind_of,
)
from dycl.host.native.weights import Preparation, Weights
from dycl.host.python import host_function
from dycl.ir import host
from dycl.ir.batches import kernels_of
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.host.memory import KernelMemory, memories_of
from dycl.ir.host.types import (
    dtype_of,
    is_static,
)
from dycl.ir.host.workspaces import workspaces_of
from dycl.ir.input_sizes import sizes_of, with_names
from dycl.ir.state import state_of
from dycl.ir.walking import walk


@dataclass(frozen=True)
class NativeProgram:
    """A host in C."""

    source: str
    """The text of host.c."""
    tables: Mapping[str, Any]
    """What its outputs, errors and effects mean: host.json."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """What it calls each kernel, and each preparation of weights -> which that is."""


def print_native(
    module: ModuleOp,
    max_iterations: int | None = None,
    preparations: Mapping[str, Preparation] = MappingProxyType({}),
    threads: int = 1,
    on_gpu: Collection[str] = (),
) -> NativeProgram:
    """The one `host.func` of a module as C.

    `preparations`: of the kernels that want their weights in another form; `threads`:
    how many share a kernel's work, where kernels were compiled for more than one;
    `on_gpu`: the kernels of a GPU, and copies, of a network of which it computes a
    part.

    CannotPrint: something in it has no form in C. PassFailed (DY501): there is no, or
    more than one, host function.
    """
    func, workspaces = host_function(module), workspaces_of(module)
    program = _Program(func, max_iterations, preparations, workspaces, on_gpu)
    program.threads = threads
    program.memories = memories_of(module)
    return program.print()


_KERNELS = "Kernels: inputs, what they fill, memory for the call if they need any."


class _Program:
    def __init__(
        self,
        func: host.FuncOp,
        max_iterations: int | None,
        preparations: Mapping[str, Preparation],
        workspaces: Mapping[str, int],
        on_gpu: Collection[str],
    ):
        self.func = func
        self.preparations = preparations
        self.launches = launch_entries(func)
        kernels = {n: op for op in self._ops(host.LaunchOp) for n in kernels_of(op)}
        self.kernels: Mapping[str, host.LaunchOp] = kernels
        self.on_device = OnDevice(func, {n: kernels[n] for n in kernels if n in on_gpu})
        sessions = {n for n, one in preparations.items() if one.is_session}
        self.by_others = {n for n in kernels if n in sessions or n in self.on_device}
        self.names = CNames(RESERVED)
        # Anything else may be the name of something in a header.
        own = f"{func.sym_name.data}_"
        self.kernel_names = {
            kernel: self.names.fresh(
                kernel if kernel.startswith(own) else f"kernel_{kernel}"
            )
            for kernel in kernels
        }
        self.texts: dict[SSAValue, str] = {}
        self.workspaces = workspaces
        self.threads = 1
        self.memories: Mapping[str, KernelMemory] = {}
        offsets, self.arena = memory_layout(func, workspaces)
        self.on_gpu = self.on_device.tables(offsets)
        frames: dict[d.LocalFunctionOp, int] = {}
        for local in local_functions(func):
            inner, frames[local] = memory_layout(local, workspaces)
            offsets |= inner
        self.frames_room = frames_room(frames)
        self.weights = Weights(func, preparations, self.kernel_names, CNames(RESERVED))
        for op in self._ops(host.ParamOp):
            self.texts[op.result] = self.weights.texts[op.path.data]
        self.body = BodyPrinter(
            self.texts,
            self.names,
            frames,
            offsets,
            self.kernel_names,
            {op: number for number, op in enumerate(self.launches)},
            self._arguments,
            self.by_others,
            self.on_device,
            max_iterations,
            Batches(workspaces, self._version, has_batches(func)),
            results_of(func),
        )

    def _ops(self, kind: type[Any]) -> Iterable[Any]:
        return (op for op in walk(self.func.body) if isinstance(op, kind))

    def print(self) -> NativeProgram:
        name = self.func.sym_name.data
        inputs = self._inputs()
        room = room_function(self.func, self.memories)
        forget = self._forget_blocks(bool(room))
        inputs = [*size_check(self.func, self.body.tables), *forget, *inputs]
        lines = self.body.print(self.func)
        tables = self.body.tables
        decisions = self.body.decisions
        text = [
            f"/* The host of `{name}`: decisions and launches. Printed by DyCL. */",
            "",
            *([] if self.threads == 1 else ["#define _GNU_SOURCE", ""]),
            '#include "heap.h"',
            *(['#include "frames.h"'] if local_functions(self.func) else []),
            *(['#include "batch.h"'] if self.body.batches.is_used else []),
            *(['#include "device.h"'] if self.on_device else []),
            "",
            *self._pool(),
            *_section(_KERNELS, self._prototypes()),
            *_section("Weights.", self.weights.struct()),
            *_section("What is made of weights.", self.weights.preparation()),
            *_section("Constants.", self.body.constants),
            *([f"#define FRAMES {self.frames_room}", ""] if self.frames_room else []),
            "/* Name, test, file, line. */",
            *c_table(
                "const dycl_decision dycl_decisions[]",
                [
                    f"{{{', '.join(map(c_text, (d.name, d.test, d.file)))}, {d.line}}}"
                    for d in decisions
                ],
            ),
            f"const int64_t dycl_decision_count = {len(decisions)};",
            "",
            *c_table(
                "static const char *const dycl_error_texts[]",
                [c_text(error_text) for error_text in tables.error_texts],
            ),
            "",
            *size_table(self.func),
            *self.body.functions.lines,
            *self.body.batches.table(),
            *room,
            "static int dycl_forward(struct dycl_host *h)",
            "{",
            *indent(self._head([*inputs, *lines])),
            *indent(inputs),
            *indent(lines),
            "}",
            "",
            *self._program(),
        ]
        names = {
            short: name
            for name, short in self.kernel_names.items()
            if name not in self.by_others
        }
        names |= self.weights.preparation_names
        return NativeProgram("\n".join(text) + "\n", self._tables(), names)

    def _pool(self) -> list[str]:
        if self.threads == 1:
            return []
        return [f"#define THREADS {self.threads}", '#include "thread_pool.h"', ""]

    def _program(self) -> list[str]:
        """What the functions of dycl.h need to know."""
        body = self.body
        fields = {
            "inputs": len(self.func.body.block.args),
            "outputs": body.tables.outputs,
            "turns": body.turns,
            "path": len(body.decisions),
            "made": self.weights.count,
            "arena": self.arena,
            "weights": "sizeof(dycl_weights)",
            "kinds": "dycl_kinds",
            "made_kinds": "dycl_made_kinds",
            "error_texts": "dycl_error_texts",
            "make_missing": "dycl_make_missing",
            "forward": "dycl_forward",
            **size_fields(self.func),
        }
        if body.results:
            fields["results"] = len(body.results)
        if stack := own_stack(local_functions(self.func)):
            fields["stack"] = stack
        if body.batches.entries:
            fields["batches"] = "dycl_batches"
            fields["batch_count"] = len(body.batches.entries)
        if self.threads > 1:
            fields["start_pool"] = "dycl_need_pool"
            fields["run_with_pool"] = "dycl_run_with_pool"
        lines = [f".{name} = {value}," for name, value in fields.items()]
        return ["const struct dycl_program dycl_program = {", *indent(lines), "};"]

    def _tables(self) -> dict[str, Any]:
        body = self.body
        return self.on_gpu | host_tables(
            self.func,
            self.weights,
            body.tables,
            body.decisions,
            [*self.launches.values()],
            self.arena,
            body.loops,
            puts_off=bool(body.batches.entries),
        )

    def _head(self, lines: Sequence[str]) -> list[str]:
        """What the body uses of a handle, by short names."""
        text = "\n".join(lines)
        head = [
            "uint32_t *path = h->net.path;",
            "unsigned char *const m = h->arena;",
            "const dycl_value *const in = h->net.inputs;",
            "dycl_value *const out = h->net.outputs;",
        ]
        if "w->" in text:
            head.append("const dycl_weights *const w = h->weights;")
        unused = " ".join(
            f"(void){name};"
            for name, uses in (
                ("m", ("m + ", "AT(")),
                ("in", ("in[",)),
                ("out", ("out[",)),
            )
            if not any(use in text for use in uses)
        )
        forget = "dycl_format(" in text
        return [
            *head,
            *([unused] if unused else []),
            *(["h->frames_used = 0;"] if self.frames_room else []),
            *(["h->stack_end = 0;"] if local_functions(self.func) else []),
            *(["dycl_forget_texts(h);"] if forget else []),
            *(["dycl_forget_rows(h);"] if self.body.batches.is_used else []),
        ]

    def _forget_blocks(self, has_room: bool) -> list[str]:
        if has_room:
            return ["dycl_forget_blocks(h, dycl_needed(in));"]
        return ["dycl_forget_blocks(h, 0);"] if makes_blocks(self.func) else []

    def _inputs(self) -> list[str]:
        lines: list[str] = []
        for i, (value, wanted) in enumerate(
            zip(self.func.body.block.args, self.func.param_names, strict=True)
        ):
            name = self.texts[value] = self.names.fresh(wanted, "x")
            if value.uses:
                lines.append(input_line(i, value, name))
        return lines

    def _arguments(self, op: host.LaunchOp) -> list[str]:
        texts = [self.body.given(value) for value in op.inputs]
        return self.weights.arguments(op, texts)

    def _version(
        self, op: host.LaunchOp, kernel: str, texts: Sequence[Sequence[str]]
    ) -> list[str]:
        return self.weights.arguments(op, texts, kernel)

    def _prototypes(self) -> list[str]:
        lines: list[str] = []
        for name, op in self.kernels.items():
            given = [_parameters(v) for v in op.inputs]
            outputs: list[str] = []
            if (wants := self.preparations.get(name)) is not None:
                outputs = [f"const {ELEMENTS[dtype]} *" for dtype, _ in wants.outputs]
                given = [given[i] for i in wants.inputs_left]
            kinds = [*(kind for item in given for kind in item), *outputs]
            kinds += [*(c_type(v.type, fills=True) for v in op.outputs)]
            if name in self.workspaces:
                kinds.append("unsigned char *")
            short = self.kernel_names[name]
            if name in self.on_device:
                lines += self.on_device.function(name, short, kinds)
            elif name in self.by_others:
                lines += engine_call(short, kinds, len(op.outputs))
            else:
                lines.append(f"void {short}({', '.join(kinds) or 'void'});")
        return lines


def host_tables(
    func: host.FuncOp,
    weights: Weights,
    tables: Tables,
    decisions: Sequence[DecisionEntry],
    launches: Sequence[LaunchEntry],
    arena: int,
    loops: bool,
    *,
    puts_off: bool = False,
) -> dict[str, Any]:
    """All that host.json says."""
    inputs = zip(func.param_names, func.body.block.args, strict=True)
    sizes = [[size.name, size.low, size.high] for size in sizes_of(func)]
    return {
        **({"sizes": sizes} if sizes else {}),
        **({"puts_off": True} if puts_off else {}),
        "inputs": [[name, *_named_kind(func, name, value)] for name, value in inputs],
        **weights.tables(),
        "decisions": [[d.name, d.test, d.file, d.line] for d in decisions],
        "launches": [[e.kernel, e.file, e.line] for e in launches],
        "arena": arena,
        "loops": loops,
        "state": state_of(func) is not None,
        "returns": tables.returns,
        "errors": tables.errors,
        "effects": tables.effects,
        "texts": tables.texts,
    }


def _named_kind(
    func: host.FuncOp, name: str, value: SSAValue
) -> tuple[str, Sequence[int | str] | None]:
    """The kind of an input, with the names of its open sizes."""
    kind, shape = kind_of(value)
    named = with_names(func, name, shape)
    return kind, None if named is None else list(named)


def _parameters(value: SSAValue) -> list[str]:
    """The C types of what a kernel takes for an input."""
    if not isinstance(value.type, MemRefType) or is_static(value.type):
        return [c_type(value.type)]
    sizes = ["int64_t" for size in value.type.get_shape() if size < 0]
    return [f"const {ELEMENTS[dtype_of(value.type)]} *", *sizes]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"/* {title} */", *lines, ""] if lines else []


__all__ = ["NativeProgram", "Preparation", "print_native"]
