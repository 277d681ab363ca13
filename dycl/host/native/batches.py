"""Launches that are put off, as lines of C: see batch.h.

A `host.launch` with the attribute `batched` becomes a task. What reads a tensor that
may be one's result first lets all tasks run.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.host.lines import indent
from dycl.host.native.layout import filled, noted
from dycl.host.native.types import CannotPrint, c_table, c_type
from dycl.ir import host
from dycl.ir.batches import Batch, batch_of, beginning, special_batch_of
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.host.types import byte_size
from dycl.ir.walking import walk


class Printer(Protocol):
    """What is needed of the printer of the whole body."""

    texts: dict[SSAValue, str]
    kernel_names: Mapping[str, str]
    launch_numbers: Mapping[Operation, int]
    by_others: Collection[str]

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        ...

    def fresh(self, wanted: str) -> str:
        """A new local variable's name."""
        ...


@dataclass
class Batches:
    """Prints launches that are put off, and the tables and functions for them."""

    workspaces: Mapping[str, int]
    given: Callable[[host.LaunchOp, str, Sequence[Sequence[str]]], list[str]]
    """What a kernel, by its name, is passed where these texts stand for its inputs."""
    is_used: bool
    """Whether there are such launches."""
    lines: list[str] = field(default_factory=list[str])
    """The functions and tables so far."""
    entries: list[str] = field(default_factory=list[str])
    printer: Printer = field(init=False)
    _known: dict[tuple[object, ...], int] = field(
        default_factory=dict[tuple[object, ...], int]
    )

    def is_put_off(self, value: SSAValue) -> bool:
        """Whether a buffer is what a task fills, which has memory of its own."""
        return isinstance(value.owner, host.AllocOp) and any(
            isinstance(use.operation, host.LaunchOp)
            and batch_of(use.operation) is not None
            and value in use.operation.outputs
            for use in value.uses
        )

    def alloc(self, op: host.AllocOp) -> list[str]:
        """A local variable for the row that a task will fill."""
        kind = c_type(op.result.type, fills=True)
        return [f"{kind}{self.printer.local(op.result)} = NULL;"]

    def launch(self, op: host.LaunchOp, batch: Batch) -> list[str]:
        """Put a launch off. CannotPrint: an engine or a GPU runs it."""
        if op.kernel_name in self.printer.by_others:
            raise CannotPrint("rows for the kernel of an engine or a GPU")
        number = self._number(op, batch)
        texts, fresh = self.printer.texts, self.printer.fresh
        given, made = fresh("given"), fresh("rows")
        listed = [texts[op.inputs[i]] for i in batch.rows]
        lines = filled(f"const void *const {given}[] = {{", listed, "};")
        lines.append(f"void *{made}[{len(op.outputs)}];")
        call = f"dycl_put_off(h, {number}, {given}, {made})"
        lines.append(f"if (!{call}) NO_MEMORY;")
        lines += [f"{texts[v]} = {made}[{i}];" for i, v in enumerate(op.outputs)]
        return noted(lines, op)

    def before(self, op: Operation) -> list[str]:
        """Let the tasks run in front of an op that reads what they give."""
        return ["RUN_TASKS;"] if self.is_used and _reads(op) else []

    def after(self, op: d.LocalCallOp) -> list[str]:
        """Let the tasks run where a recursion has ended."""
        is_outermost = function_around(op) is None
        return ["RUN_TASKS;"] if self.is_used and is_outermost else []

    def _number(self, op: host.LaunchOp, batch: Batch) -> int:
        """Which batch a launch is of: its kernels, and what all rows are given."""
        texts = self.printer.texts
        shared = [
            None if i in batch.rows else texts[value]
            for i, value in enumerate(op.inputs)
        ]
        literals = self._literals(op, batch)
        key = (op.kernel_name, *shared, *literals.items())
        if key not in self._known:
            special = special_batch_of(op)
            more = ", NULL, 0"
            if special is not None and literals:
                other = self._add(op, special, ", NULL, 0")
                table = f"dycl_batch_{other}_literals"
                listed = [literals.get(i, "NULL") for i in batch.rows]
                head = f"static const void *const {table}[] = {{"
                self.lines += filled(head, listed, "};")
                more = f", {table}, {other}"
            self._known[key] = self._add(op, batch, more)
        return self._known[key]

    def _literals(self, op: host.LaunchOp, batch: Batch) -> dict[int, str]:
        """The operands that a special batch has literals for, and their names; none, if
        there is no such batch."""
        special = special_batch_of(op)
        if special is None:
            return {}
        places = [i for i in batch.rows if i not in special.rows]
        values = [beginning(op.inputs[i]) for i in places]
        if not all(isinstance(value.owner, d.ConstantOp) for value in values):
            return {}
        texts = [self.printer.texts[value] for value in values]
        return dict(zip(places, texts, strict=True))

    def _add(self, op: host.LaunchOp, batch: Batch, more: str) -> int:
        """Print a batch, whose number this gives; `more` ends its entry."""
        number = len(self.entries)
        rows = [op.inputs[i] for i in batch.rows]
        sizes = [str(_size(value)) for value in (*rows, *op.outputs)]
        counts = map(str, batch.tiles)
        name = f"dycl_batch_{number}"
        self.lines += [
            f"static const int64_t {name}_sizes[] = {{{', '.join(sizes)}}};",
            f"static const int64_t {name}_rows[] = {{{', '.join(counts)}}};",
            f"static void {name}_run(struct dycl_host *h, int64_t version,",
            "    unsigned char *const *at, unsigned char *workspace)",
            "{",
            *indent(self._versions(op, batch)),
            "}",
            "",
        ]
        most = max([self.workspaces.get(kernel, 0) for kernel in batch.kernels])
        entry = f"{len(rows)}, {len(op.outputs)}, {name}_sizes, {len(batch.kernels)}, "
        entry += f"{name}_rows, {most}, {name}_run, {batch.work}{more}"
        self.entries.append(f"{{{entry}}}")
        return number

    def _versions(self, op: host.LaunchOp, batch: Batch) -> list[str]:
        texts = self.printer.texts
        rows = {i: place for place, i in enumerate(batch.rows)}
        inputs = [
            [f"(const void *)at[{rows[i]}]" if i in rows else texts[beginning(value)]]
            for i, value in enumerate(op.inputs)
        ]
        first = len(rows)
        outputs = [f"(void *)at[{first + i}]" for i in range(len(op.outputs))]
        number = self.printer.launch_numbers[op]
        cases: list[str] = []
        for version, kernel in enumerate(batch.kernels):
            arguments = [*self.given(op, kernel, inputs), *outputs]
            if kernel in self.workspaces:
                arguments.append("workspace")
            head = f"LAUNCH({number}, {self.printer.kernel_names[kernel]}("
            cases += [f"case {version}:", *indent(filled(head, arguments, "));"))]
            cases.append("    break;")
        text = "\n".join(cases)
        head = ["uint32_t *const path = h->net.path; // not that of the run"]
        if "w->" in text:
            head.append("const dycl_weights *const w = h->weights;")
        head += ["(void)path;", "(void)workspace;"]
        return [*head, "switch (version) {", *cases, "}"]

    def table(self) -> list[str]:
        """The functions, and the table of batches."""
        if not self.entries:
            return []
        head = "static const struct dycl_batch dycl_batches[]"
        return [*self.lines, *c_table(head, self.entries), ""]


def has_batches(func: host.FuncOp) -> bool:
    """Whether a host puts launches off."""
    return any(
        isinstance(op, host.LaunchOp) and batch_of(op) is not None
        for op in walk(func.body)
    )


def _size(value: SSAValue) -> int:
    assert isinstance(value.type, MemRefType)
    return byte_size(value.type)


def _reads(op: Operation) -> bool:
    """Whether an op reads elements that a task may be going to write."""
    match op:
        case host.ReadOp() | d.ConcatOp() | d.ToListOp():
            return True
        case host.LaunchOp() if batch_of(op) is None:
            return any(map(_may_wait, op.inputs))
        case _:
            return False


def _may_wait(value: SSAValue) -> bool:
    """Whether a value may be what a task gives."""
    if not isinstance(value.type, MemRefType):
        return False
    return not isinstance(value.owner, (host.ParamOp, d.ConstantOp, d.FieldOp))
