"""Print a host function as `host.c`: readable, deterministic, libc and libm only.

The text has the kernels' prototypes, the weights as a struct, constants, the table of
decisions, the function itself, and the entry points of `dycl.h`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from dycl.host.body import indent
from dycl.host.names import Names
from dycl.host.native.body import BodyPrinter, comment, filled
from dycl.host.native.grown import makes_blocks
from dycl.host.native.types import (
    ELEMENTS,
    CannotPrint,
    c_text,
    c_type,
    declared,
    item_size,
    slot,
)
from dycl.host.python import host_function
from dycl.ir import host
from dycl.ir.host.types import (
    ARENA,
    NUMBERS,
    OFFSET,
    arena_size,
    dtype_of,
    is_static,
)
from dycl.ir.host.workspaces import workspaces_of
from dycl.ir.state import state_of
from dycl.ir.walking import walk
from dycl.placement import aligned


@dataclass(frozen=True)
class NativeProgram:
    """A host in C."""

    source: str
    """The text of host.c."""
    tables: Mapping[str, Any]
    """What its outputs, errors and effects mean: host.json."""


@dataclass(frozen=True)
class Preparation:
    """What is made of a kernel's weights once, by `<kernel>_prepare`."""

    weights: Sequence[int]
    """The inputs of the kernel that it takes, in order."""
    inputs_left: Sequence[int]
    """The inputs that the kernel takes then, before the buffers that were made."""
    outputs: Sequence[tuple[str, Sequence[int]]]
    """Dtype and shape of each of these."""
    recipes: Sequence[tuple[str, Sequence[int]]]
    """What each is made of, and of which of `weights`: see `dycl.kernels.specs`."""


def headers() -> dict[str, str]:
    """What host.c includes: name -> text."""
    folder = resources.files("dycl.host.native")
    return {
        name: (folder / name).read_text("utf-8")
        for name in ("dycl.h", "support.h", "heap.h", "team.h", "objects.h", "entry.h")
    }


def print_native(
    module: ModuleOp,
    max_iterations: int | None = None,
    preparations: Mapping[str, Preparation] = MappingProxyType({}),
    threads: int = 1,
) -> NativeProgram:
    """The one `host.func` of a module as C.

    `preparations`: of the kernels that want their weights in another form; `threads`:
    how many share a kernel's work, where kernels were compiled for more than one.

    CannotPrint: something in it has no form in C. PassFailed (DY501): there is no, or
    more than one, host function.
    """
    func, workspaces = host_function(module), workspaces_of(module)
    program = _Program(func, max_iterations, preparations, workspaces)
    program.threads = threads
    return program.print()


_KERNELS = "Kernels: inputs, what they fill, memory for the call if they need any."


class _Program:
    def __init__(
        self,
        func: host.FuncOp,
        max_iterations: int | None,
        preparations: Mapping[str, Preparation],
        workspaces: Mapping[str, int],
    ):
        self.func = func
        self.preparations = preparations
        kernels = {op.kernel_name: op for op in self._ops(host.LaunchOp)}
        self.kernels: Mapping[str, host.LaunchOp] = kernels
        self.names, self.fields = _CNames(_RESERVED), _CNames(_RESERVED)
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
        offsets, self.arena = _layout(func, workspaces)
        self.prepared: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        """Kernel and weights -> what is passed instead of these."""
        self.made: dict[tuple[str, tuple[str, ...]], str] = {}
        """Recipe and weights -> the buffer, which kernels share."""
        self.body = BodyPrinter(
            self.texts,
            self.names,
            offsets,
            self.kernel_names,
            self._arguments,
            max_iterations,
        )

    def _ops(self, kind: type[Any]) -> Iterable[Any]:
        return (op for op in walk(self.func.body) if isinstance(op, kind))

    def print(self) -> NativeProgram:
        name = self.func.sym_name.data
        inputs = self._inputs()
        weights = self._weights()
        lines = self.body.print(self.func)
        tables = self.body.tables
        decisions = self.body.decisions
        weights, preparation = self._struct(*weights), self._preparation()
        text = [
            f"/* The host of `{name}`: decisions and launches. Printed by DyCL. */",
            "",
            '#include "heap.h"',
            "",
            *self._team(),
            *_section(_KERNELS, self._prototypes()),
            *_section("Weights.", weights),
            *_section("What is made of weights once.", preparation),
            *_section("Constants.", self.body.constants),
            "#define INPUTS " + str(len(self.func.body.block.args)),
            f"#define OUTPUTS {tables.outputs}",
            f"#define ARENA {self.arena}",
            f"#define TURNS {self.body.turns}",
            f"#define PATH {len(decisions)}",
            f"#define PREPARED {len(self.made)}",
            "",
            "/* Name, test, file, line. */",
            *_table(
                "const dycl_decision dycl_decisions[]",
                [
                    f"{{{', '.join(map(c_text, (d.name, d.test, d.file)))}, {d.line}}}"
                    for d in decisions
                ],
            ),
            f"const int64_t dycl_decision_count = {len(decisions)};",
            "",
            *_table(
                "static const char *const dycl_error_texts[]",
                [c_text(said) for said in tables.error_texts],
            ),
            "",
            "static int dycl_forward(struct dycl_host *h)",
            "{",
            *indent(self._head([*inputs, *lines])),
            *indent(inputs),
            *indent(lines),
            "}",
            "",
            '#include "entry.h"',
        ]
        return NativeProgram("\n".join(text) + "\n", self._tables())

    def _team(self) -> list[str]:
        if self.threads == 1:
            return []
        return [f"#define THREADS {self.threads}", '#include "team.h"', ""]

    def _tables(self) -> dict[str, Any]:
        tables = self.body.tables
        return {
            "inputs": [
                [name, *_kind(value)]
                for name, value in zip(
                    self.func.param_names, self.func.body.block.args, strict=True
                )
            ],
            "weights": [
                [op.path.data, *_kind(op.result)] for op in self._params().values()
            ],
            "decisions": [
                [d.name, d.test, d.file, d.line] for d in self.body.decisions
            ],
            "arena": self.arena,
            "loops": self.body.loops,
            "state": state_of(self.func) is not None,
            "returns": tables.returns,
            "errors": tables.errors,
            "effects": tables.effects,
            "texts": tables.texts,
        }

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
            *(["dycl_forget_texts(h);"] if forget else []),
            *(["dycl_forget_blocks(h);"] if makes_blocks(self.func) else []),
        ]

    def _inputs(self) -> list[str]:
        lines: list[str] = []
        for i, (value, wanted) in enumerate(
            zip(self.func.body.block.args, self.func.param_names, strict=True)
        ):
            name = self.texts[value] = self.names.fresh(wanted, "x")
            if not is_static(value.type) and isinstance(value.type, MemRefType):
                raise CannotPrint("an input whose size a run decides")
            if value.uses:
                kind = c_type(value.type)
                const = "const" if kind.endswith("*") else ""
                left = f"{kind}{const} {name}" if const else f"const {kind} {name}"
                lines.append(f"{left} = in[{i}].{slot(value)};")
        return lines

    def _params(self) -> dict[str, host.ParamOp]:
        """Each weight once, in the order in which the host names them."""
        found: dict[str, host.ParamOp] = {}
        for op in self._ops(host.ParamOp):
            found.setdefault(op.path.data, op)
        return found

    def _weights(self) -> tuple[list[str], list[str]]:
        """The fields of the weights, with comments; the weights' names."""
        fields: dict[str, str] = {}
        lines: list[str] = []
        for path, op in self._params().items():
            fields[path] = self.fields.fresh(op.result.name_hint or path)
            shape = "x".join(map(str, _kind(op.result)[1] or ()))
            kind = declared(c_type(op.result.type), fields[path])
            lines.append(f"{kind};{comment(f'{path} {shape}')}")
        for op in self._ops(host.ParamOp):
            self.texts[op.result] = f"w->{fields[op.path.data]}"
        return lines, [*fields]

    def _struct(self, lines: Sequence[str], paths: Sequence[str]) -> list[str]:
        """The weights, and behind them what is made of them."""
        kinds = {
            field: f"const {ELEMENTS[dtype]} *"
            for (kernel, _), fields in self.prepared.items()
            for field, (dtype, _) in zip(
                fields, self.preparations[kernel].outputs, strict=True
            )
        }
        made = [declared(kind, field) for field, kind in kinds.items()]
        fields = [*lines, *(f"{one};" for one in made)] or ["char none;"]
        table = _table("const char *const dycl_weight_names[]", map(c_text, paths))
        count = f"const int64_t dycl_weight_count = {len(paths)};"
        return ["struct dycl_weights {", *indent(fields), "};", "", *table, count]

    def _arguments(self, op: host.LaunchOp) -> list[str]:
        """What a kernel is passed besides the buffers that it fills."""
        texts = [self.body.given(value) for value in op.inputs]
        wants = self.preparations.get(op.kernel_name)
        if wants is None:
            return [text for one in texts for text in one]
        weights = [op.inputs[i] for i in wants.weights]
        if not all(isinstance(value.owner, host.ParamOp) for value in weights):
            raise CannotPrint("a prepared weight that is no parameter")
        key = (op.kernel_name, tuple(self.texts[value] for value in weights))
        if key not in self.prepared:
            self.prepared[key] = [
                self._made(op.kernel_name, recipe, key[1]) for recipe in wants.recipes
            ]
        left = [text for i in wants.inputs_left for text in texts[i]]
        return [*left, *(f"w->{field}" for field in self.prepared[key])]

    def _made(
        self, kernel: str, recipe: tuple[str, Sequence[int]], weights: Sequence[str]
    ) -> str:
        """The field of a buffer of this recipe, the first one's if there are more."""
        digest, used = recipe
        key = digest, tuple(weights[i] for i in used)
        if key not in self.made:
            self.made[key] = self.fields.fresh(f"{kernel}_made")
        return self.made[key]

    def _preparation(self) -> list[str]:
        """The function that fills in what is made of weights; nonzero: no memory."""
        if not self.prepared:
            head = "static int dycl_make_prepared(dycl_weights *w)"
            return [head, "{", "    (void)w;", "    return 0;", "}"]
        declarations: list[str] = []
        lines: list[str] = []
        done: set[str] = set()
        for (kernel, weights), fields in self.prepared.items():
            if done.issuperset(fields):
                continue  # Other kernels want all of it, too.
            wants, name = self.preparations[kernel], f"{kernel}_prepare"
            short = name if self.kernel_names[kernel] == kernel else f"kernel_{name}"
            values = [self.kernels[kernel].inputs[i] for i in wants.weights]
            kinds = [c_type(value.type) for value in values]
            kinds += [f"{ELEMENTS[dtype]} *" for dtype, _ in wants.outputs]
            symbol = "" if short == name else f" __asm__({c_text(name)})"
            declaration = f"void {short}({', '.join(kinds)}){symbol};"
            if declaration not in declarations:
                declarations.append(declaration)
            made: list[str] = []
            for field, (dtype, shape) in zip(fields, wants.outputs, strict=True):
                made.append(field)
                if field in done:
                    continue  # It is filled with the same again.
                done.add(field)
                size = math.prod(shape) * item_size(dtype)
                kind = f"{ELEMENTS[dtype]} *"
                lines.append(f"{kind}{field} = dycl_allocate({size});")
                lines += [f"if ((w->{field} = {field}) == NULL)", "    return 1;"]
            lines += filled(f"{short}(", [*weights, *made], ");")
        head = "static int dycl_make_prepared(dycl_weights *w)"
        return [*declarations, "", head, "{", *indent([*lines, "return 0;"]), "}"]

    def _prototypes(self) -> list[str]:
        lines: list[str] = []
        for name, op in self.kernels.items():
            given = [_parameters(v) for v in op.inputs]
            made: list[str] = []
            if (wants := self.preparations.get(name)) is not None:
                made = [f"const {ELEMENTS[dtype]} *" for dtype, _ in wants.outputs]
                given = [given[i] for i in wants.inputs_left]
            kinds = [*(kind for one in given for kind in one), *made]
            kinds += [*(c_type(v.type, fills=True) for v in op.outputs)]
            if name in self.workspaces:
                kinds.append("unsigned char *")
            listed, short = ", ".join(kinds) or "void", self.kernel_names[name]
            symbol = "" if short == name else f" __asm__({c_text(name)})"
            lines.append(f"void {short}({listed}){symbol};")
        return lines


class _CNames(Names):
    """Names that C and its headers leave free."""

    def fresh(self, wanted: str | None, default: str = "v") -> str:
        name = wanted or default
        if name.isupper() or name.startswith("_"):
            name = f"v_{name}"  # macros, and what is the compiler's
        return super().fresh(name, default)


def _layout(
    func: host.FuncOp, workspaces: Mapping[str, int]
) -> tuple[dict[Operation, tuple[int, ...]], int]:
    """Where each buffer and workspace lies in the arena, and how large that is.

    What `dycl-plan-memory` has said; without it each has a place of its own.
    """
    offsets: dict[Operation, tuple[int, ...]] = {}
    arena = func.attributes.get(ARENA)
    size = arena.value.data if isinstance(arena, IntegerAttr) else 0
    for op in walk(func.body):
        if isinstance(op, host.LaunchOp) and op.kernel_name in workspaces:
            step, count = aligned(workspaces[op.kernel_name]), 1
        elif isinstance(op, host.AllocOp | host.KeepOp):
            buffer = op.result.type
            assert isinstance(buffer, MemRefType)
            if not is_static(buffer):
                continue
            step, count = arena_size(buffer), 2 if isinstance(op, host.KeepOp) else 1
        else:
            continue
        planned = op.attributes.get(OFFSET)
        if isinstance(planned, IntegerAttr):
            start = planned.value.data
        else:
            start, size = size, size + step * count
        offsets[op] = tuple(start + step * i for i in range(count))
    return offsets, size


def _parameters(value: SSAValue) -> list[str]:
    """The C types of what a kernel takes for an input."""
    if not isinstance(value.type, MemRefType) or is_static(value.type):
        return [c_type(value.type)]
    sizes = ["int64_t" for size in value.type.get_shape() if size < 0]
    return [f"const {ELEMENTS[dtype_of(value.type)]} *", *sizes]


def _kind(value: SSAValue) -> tuple[str, list[int] | None]:
    if isinstance(value.type, MemRefType):
        return dtype_of(value.type), list(value.type.get_shape())
    return NUMBERS[value.type], None


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"/* {title} */", *lines, ""] if lines else []


def _table(head: str, entries: Iterable[str]) -> list[str]:
    """`head = {entry, ...};`, one entry on a line; C has no empty ones."""
    lines = [f"{entry}," for entry in entries]
    return [f"{head} = {{", *indent(lines or ["0,"]), "};"]


_RESERVED = (
    *("auto", "break", "case", "char", "const", "continue", "default", "do", "double"),
    *("else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long"),
    *("register", "restrict", "return", "short", "signed", "sizeof", "static"),
    *("struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"),
    *("bool", "true", "false", "complex", "imaginary", "noreturn", "alignas"),
    *("alignof", "offsetof", "assert", "static_assert", "thread_local", "errno"),
    *("stdin", "stdout", "stderr", "unix", "linux", "asm", "typeof", "nullptr"),
    *("constexpr", "typeof_unqual", "h", "m", "w", "in", "out", "path"),
    *("fabs", "floor", "ceil", "fmod", "copysign", "atan2", "isnan", "isinf"),
    *("isfinite", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos"),
    *("cosh", "erf", "erfc", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)
"""Names that C, its headers or the printed text use."""

__all__ = ["NativeProgram", "headers", "print_native"]
