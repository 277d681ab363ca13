"""Weights in C: the struct that holds them, and what is made of them for kernels.

Behind the weights the struct has a pointer for each buffer that a preparation fills.
Kernels that want the same of the same weights read one buffer. A buffer may be given
(it was made when the network was saved); what is not given, `dycl_make_missing` makes.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from dycl.host.lines import indent
from dycl.host.literals import pattern
from dycl.host.names import Names
from dycl.host.native.layout import comment, filled
from dycl.host.native.types import (
    ELEMENTS,
    CannotPrint,
    c_table,
    c_text,
    c_type,
    declared,
    item_size,
    kind_of,
)
from dycl.host.python import host_function
from dycl.ir import host
from dycl.ir.batches import kernels_of
from dycl.ir.state import state_of
from dycl.ir.walking import walk
from dycl.runtime.weight_set import made_name
from dycl.runtime.weights import SAFETENSORS_NAMES

_ALIGNMENT = 64
"""Bytes; what a kernel is promised of a buffer that is made for it."""


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
    is_session: bool = False
    """Whether an engine runs the kernel. What is made is the number of its session, by
    the runtime and not by a `<kernel>_prepare`."""


@dataclass(frozen=True)
class _Buffer:
    """A field of the struct that holds what is made of weights."""

    field: str
    name: str
    """What it is called where it is stored."""
    paths: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...]
    session_of: str = ""
    """The kernel, if this is the number of its session."""

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * item_size(self.dtype)


class Weights:
    """The weights of a host function, and what its launches are passed of them."""

    def __init__(
        self,
        func: host.FuncOp,
        preparations: Mapping[str, Preparation],
        kernel_names: Mapping[str, str],
        fields: Names,
    ):
        """`kernel_names`: what kernels are called in C; `fields` gives free names."""
        self._preparations = preparations
        self._kernel_names = kernel_names
        self._fields = fields
        self._params: dict[str, host.ParamOp] = {}
        for op in walk(func.body):
            if isinstance(op, host.ParamOp):
                self._params.setdefault(op.path.data, op)
        self.texts = {
            path: f"w->{fields.fresh(op.result.name_hint or path)}"
            for path, op in self._params.items()
        }
        """Weight -> how C names it."""
        self._read = _read(func, preparations)
        self._buffers: dict[str, _Buffer] = {}
        """By name; the first kernel that wants one names its field."""
        self._prepared: dict[tuple[str, tuple[str, ...]], list[_Buffer]] = {}
        """Kernel and weights -> what is passed instead of these."""
        self.preparation_names: dict[str, str] = {}
        """What C calls the function that prepares a kernel's weights -> its name."""
        self._launches: dict[str, host.LaunchOp] = {}

    @property
    def count(self) -> int:
        """How many buffers there are, now that all launches are printed."""
        return len(self._buffers)

    def arguments(
        self, op: host.LaunchOp, texts: Sequence[Sequence[str]], version: str = ""
    ) -> list[str]:
        """What a kernel is passed, where these texts stand for its inputs. CannotPrint.

        Each stands for one by several texts, if it brings its sizes. `version`: the
        name of the kernel, if it is one for several rows.
        """
        kernel = version or op.kernel_name
        wants = self._preparations.get(kernel)
        if wants is None:
            return [text for one in texts for text in one]
        paths: list[str] = []
        for weight in wants.weights:
            owner = op.inputs[weight].owner
            if not isinstance(owner, host.ParamOp):
                raise CannotPrint("a prepared weight that is no parameter")
            paths.append(owner.path.data)
        self._launches.setdefault(kernel, op)
        key = (kernel, tuple(paths))
        if key not in self._prepared:
            self._prepared[key] = [
                self._buffer(kernel, digest, [paths[i] for i in used], *kind)
                for (digest, used), kind in zip(
                    wants.recipes, wants.outputs, strict=True
                )
            ]
        left = [text for i in wants.inputs_left for text in texts[i]]
        return [*left, *(f"w->{buffer.field}" for buffer in self._prepared[key])]

    def _buffer(
        self,
        kernel: str,
        digest: str,
        paths: Sequence[str],
        dtype: str,
        shape: Sequence[int],
    ) -> _Buffer:
        name = made_name(digest, paths)
        if name not in self._buffers:
            field = self._fields.fresh(f"{kernel}_made")
            session_of = kernel if self._preparations[kernel].is_session else ""
            self._buffers[name] = _Buffer(
                field, name, tuple(paths), dtype, tuple(shape), session_of
            )
        return self._buffers[name]

    def place(self, text: str) -> int:
        """Which buffer an argument is that is no input's text."""
        return [f"w->{buffer.field}" for buffer in self._buffers.values()].index(text)

    def groups(
        self,
    ) -> Iterator[tuple[str, Sequence[str], Sequence[tuple[int, int]]]]:
        """Kernels whose preparation fills all buffers between them: its weights, and
        each buffer's place and size in bytes."""
        places = {name: place for place, name in enumerate(self._buffers)}
        done: set[str] = set()
        for (kernel, paths), buffers in self._prepared.items():
            if not done.issuperset(buffer.name for buffer in buffers):
                done.update(buffer.name for buffer in buffers)
                yield kernel, paths, [(places[b.name], b.nbytes) for b in buffers]

    # ---- what is printed

    def struct(self) -> list[str]:
        """The struct, and the tables of what a weights file has to have."""
        fields: list[str] = []
        for path, op in self._params.items():
            shape = "x".join(map(str, kind_of(op.result)[1] or ()))
            field = self.texts[path].removeprefix("w->")
            kind = declared(c_type(op.result.type), field)
            fields.append(f"{kind};{comment(f'{path} {shape}')}")
        for buffer in self._buffers.values():
            kind = f"const {ELEMENTS[buffer.dtype]} *"
            fields.append(f"{declared(kind, buffer.field)};")
        kinds: list[str] = []
        for path, op in self._params.items():
            dtype, shape = kind_of(op.result)
            kinds.append(
                _kind(path, dtype, shape or (), item_size(dtype), path in self._read)
            )
        members = [
            _kind(one.name, one.dtype, one.shape, _ALIGNMENT, False)
            for one in self._buffers.values()
        ]
        return [
            *["struct dycl_weights {", *indent(fields or ["char none;"]), "};", ""],
            *c_table("const char *const dycl_weight_names[]", map(c_text, self.texts)),
            f"const int64_t dycl_weight_count = {len(self.texts)};",
            *c_table("static const struct dycl_kind dycl_kinds[]", kinds),
            *c_table("static const struct dycl_kind dycl_made_kinds[]", members),
        ]

    def preparation(self) -> list[str]:
        """The function that makes what is not given; nonzero: no memory."""
        head = ["static int dycl_make_missing(dycl_weights *w)", "{"]
        if not self._prepared:
            return [*head, *indent(["(void)w;", "return 0;"]), "}"]
        declarations: list[str] = []
        lines: list[str] = []
        done: set[str] = set()
        places = {name: place for place, name in enumerate(self._buffers)}
        for (kernel, paths), buffers in self._prepared.items():
            if done.issuperset(buffer.field for buffer in buffers):
                continue  # Other kernels want all of it, too.
            wants = self._preparations[kernel]
            if wants.is_session:
                [buffer] = buffers
                lines += [f"if (!w->{buffer.field})", "    return DYCL_NO_SESSION;"]
                continue
            short = f"{self._kernel_names[kernel]}_prepare"
            self.preparation_names[short] = f"{kernel}_prepare"
            values = [self._launches[kernel].inputs[i] for i in wants.weights]
            kinds = [c_type(value.type) for value in values]
            kinds += [f"{ELEMENTS[dtype]} *" for dtype, _ in wants.outputs]
            declaration = f"void {short}({', '.join(kinds)});"
            if declaration not in declarations:
                declarations.append(declaration)
            fields = [buffer.field for buffer in buffers]
            done.update(fields)
            missing = " || ".join(f"!w->{field}" for field in fields)
            inner: list[str] = []
            for buffer in buffers:
                left = f"{ELEMENTS[buffer.dtype]} *{buffer.field}"
                own = f"dycl_begin_made(w, {places[buffer.name]}, {buffer.nbytes})"
                inner.append(f"{left} = {own};")
            inner += [f"if ({' || '.join(f'!{field}' for field in fields)})"]
            inner += ["    return 1;"]
            texts = [self.texts[path] for path in paths]
            inner += filled(f"{short}(", [*texts, *fields], ");")
            inner += [f"dycl_end_made(w, {places[buffer.name]});" for buffer in buffers]
            lines += [f"if ({missing}) {{", *indent(inner), "}"]
        return [*declarations, "", *head, *indent([*lines, "return 0;"]), "}"]

    def tables(self) -> dict[str, Any]:
        """What the runtime needs to know: see `dycl.host.native.tables`."""
        return {
            "weights": [[p, *kind_of(op.result)] for p, op in self._params.items()],
            "made": [
                [buffer.name, buffer.dtype, buffer.shape, buffer.nbytes, buffer.paths]
                for buffer in self._buffers.values()
            ],
            **({"sessions": sessions} if (sessions := self._sessions()) else {}),
        }

    def _sessions(self) -> list[list[Any]]:
        """Which of "made" are sessions, and of which kernels."""
        return [
            [place, buffer.session_of]
            for place, buffer in enumerate(self._buffers.values())
            if buffer.session_of
        ]


def weights_read(
    module: ModuleOp, preparations: Mapping[str, Preparation]
) -> frozenset[str]:
    """The weights whose own values a run reads, not only what is made of them.

    What state starts with is read as well. PassFailed (DY501): there is no, or more
    than one, host function.
    """
    func = host_function(module)
    state = state_of(func)
    result = _read(func, preparations)
    for variable in () if state is None else state.variables:
        for value in variable.initial:
            result.update(map(str, pattern(value)[1]))
    return frozenset(result)


def _read(func: host.FuncOp, preparations: Mapping[str, Preparation]) -> set[str]:
    result: set[str] = set()
    for op in walk(func.body):
        wants = [preparations.get(name) for name in kernels_of(op)] or [None]
        for place, value in enumerate(op.operands):
            if isinstance(value.owner, host.ParamOp) and any(
                one is None or one.is_session or place in one.inputs_left
                for one in wants
            ):
                result.add(value.owner.path.data)
    return result


def _kind(
    name: str, dtype: str, shape: Sequence[int], align: int, is_read: bool
) -> str:
    """What a safetensors file says of an entry, as a `struct dycl_kind`."""
    key = json.dumps(name, ensure_ascii=False)[1:-1]
    kind = f"{SAFETENSORS_NAMES[dtype]}[{','.join(map(str, shape))}]"
    size = math.prod(shape) * item_size(dtype)
    numbers = f"{size}, {align}, {int(is_read)}"
    return f"{{{c_text(key)}, {c_text(kind)}, {numbers}}}"
