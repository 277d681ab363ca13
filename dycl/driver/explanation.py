"""`dycl.explain`: what the compiler makes of a model, line by line; it never raises.

Every `if`, conditional expression and loop of the source that the model can reach is an
entry: how it is kept, or that it is decided at compile time. All refusals
come with their locations and remedies, and whatever else goes wrong is told as well.
"""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from dycl.compiled import CompiledModel
from dycl.diag import (
    CodedError,
    CompileErrors,
    InternalError,
    Note,
    Remark,
    SourceLoc,
    collect_notes,
    collect_remarks,
    pass_on,
)
from dycl.diag.html import errors_html, table, text_block, title
from dycl.driver.explained_sizes import SizesSeen
from dycl.driver.graphs import NO_GRAPH
from dycl.driver.models import compile_watched
from dycl.ir import (
    ForOp,
    IfOp,
    ItemOp,
    LaunchOp,
    SelectOp,
    ToBoolOp,
    ValueType,
    WhileOp,
)
from dycl.ir.type_words import type_words
from dycl.ir.walking import walk
from dycl.options import CompileOptions
from dycl.report import Listener
from dycl.report.placement import Placement

_Key = tuple[str, int, int]
_ON_HOST = "run by the host, and not in a CUDA graph:"


@dataclass(frozen=True)
class Entry:
    """One `if` or loop of the source, and what becomes of it."""

    kind: str
    """`decision` or `loop`."""
    at: SourceLoc
    words: str
    """The test of an `if` or `while`, what a `for` goes over, as the user wrote it."""
    kept: bool
    """Whether it is left to the run, as a branch or a loop of the host."""
    how: str
    """How it is kept, or how it is settled: a sentence without its full stop."""
    names: tuple[str, ...] = ()
    """What it is called in `net.path`; more than one where its code is repeated."""
    iterations: tuple[int, ...] = ()
    """Of an unrolled loop: how many, for each location that it was unrolled at."""
    carried: tuple[str, ...] = ()
    """Of a kept loop: what an iteration hands to the next, such as
    `x: float32 tensor of shape (1, 4)`."""

    def __str__(self) -> str:
        """Place and words, then how, on a line of its own."""
        return f"{self.at.file}:{self.at.line}: {self.words}\n    {self.how}"


@dataclass(frozen=True)
class Explanation:
    """All that is known of how a model compiles. `str()` of it is for reading."""

    model: str
    """Name of the model's class, or of the function."""
    net: CompiledModel | None = None
    """The compiled network, if there is one."""
    entries: tuple[Entry, ...] = ()
    """Decisions and loops, in the order of files and lines."""
    refusals: tuple[CodedError, ...] = ()
    """What is refused: `code`, `what`, `at`, `notes` and `hint` of each."""
    problem: str = ""
    """What else went wrong: wrong inputs, the model's own exception, a bug of ours."""
    sizes: tuple[str, ...] = ()
    """What is said of the sizes that each call decides: a title, and lines below it."""
    kernels: tuple[int, int] | None = None
    """Kernels before and after equal ones were shared, if it got so far."""
    on_host: tuple[Remark, ...] = ()
    """What keeps the network from being one CUDA graph, where its backend makes one."""

    @property
    def compiles(self) -> bool:
        """Whether there is a compiled network."""
        return self.net is not None

    @property
    def placement(self) -> Placement | None:
        """Who computes which kernel, where `backend="auto"` asked for the fastest."""
        return None if self.net is None else self.net.placement

    @property
    def decisions(self) -> tuple[Entry, ...]:
        """The entries of `if`s, kept or settled."""
        return tuple(e for e in self.entries if e.kind == "decision")

    @property
    def loops(self) -> tuple[Entry, ...]:
        """The entries of loops, kept or unrolled."""
        return tuple(e for e in self.entries if e.kind == "loop")

    def __str__(self) -> str:
        """A headline, the entries, the refusals in full."""
        parts = [self._headline(), *map(str, self.entries), *map(str, self.refusals)]
        if self.sizes:
            parts.insert(1, "\n".join(self.sizes))
        if self.placement is not None:
            parts.append(str(self.placement))
        if self.on_host:
            lines = [f"{r.at or r.op_name}: {r.why}" for r in self.on_host]
            parts.append("\n".join([_ON_HOST, *lines]))
        return "\n\n".join([*parts, self.problem] if self.problem else parts)

    def _repr_html_(self) -> str:
        """The explanation for notebooks: a table, then the refusals."""
        rows = [
            (f"{e.at.file.rpartition('/')[2]}:{e.at.line}", e.words, e.how)
            for e in self.entries
        ]
        parts = [title(self._headline())]
        if self.sizes:
            parts.append(text_block("\n".join(self.sizes)))
        parts += [table(("line", "what", "how it is compiled"), rows)] if rows else []
        parts += [errors_html(self.refusals)] if self.refusals else []
        parts += [text_block(self.problem)] if self.problem else []
        return "".join(parts)

    def _headline(self) -> str:
        if not self.compiles:
            count = len(self.refusals)
            why = f"{count} refusal{'s' * (count != 1)}" if count else "see the end"
            return f"{self.model} does not compile: {why}"
        kept = [e for e in self.entries if e.kept]
        decisions = sum(max(1, len(e.names)) for e in kept if e.kind == "decision")
        loops = sum(max(1, len(e.names)) for e in kept if e.kind == "loop")
        text = f"{self.model} compiles: {_count(decisions, 'decision')}, "
        text += _count(loops, "loop")
        if self.kernels is not None:
            before, after = self.kernels
            text += f", {_count(after, 'kernel')}"
            text += f" ({before} before equal ones were shared)" * (before != after)
        return text


def explain(
    model: Any,
    inputs: Sequence[Any],
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    **overrides: Any,
) -> Explanation:
    """Compile a model as `dycl.compile` does, and tell how it went.

    The arguments are those of `dycl.compile`. Raises nothing: what compiling raises is
    part of the explanation (KeyboardInterrupt excepted).
    """
    watch = _Watch()
    net: CompiledModel | None = None
    refusals: tuple[CodedError, ...] = ()
    problem = ""
    with collect_notes() as notes, collect_remarks() as remarks:
        try:
            net = compile_watched(
                model,
                inputs,
                watch,
                options,
                listener,
                kwargs=kwargs,
                dynamic_shapes=dynamic_shapes,
                **overrides,
            )
        except CompileErrors as errors:
            refusals = errors.errors
        except CodedError as error:
            refusals = (error,)
        except InternalError as error:
            problem = str(error)
        except Exception as error:
            problem = _as_traceback(error)
    pass_on(remarks)
    try:
        entries = tuple(_entries(watch, notes))
    except Exception as error:
        entries = ()
        problem = "\n".join(filter(None, (problem, _as_traceback(error))))
    sizes = tuple(watch.sizes.lines())
    name, kernels = _name(model), watch.kernels
    on_host = tuple(one for one in remarks if one.what in NO_GRAPH)
    return Explanation(name, net, entries, refusals, problem, sizes, kernels, on_host)


@dataclass(frozen=True)
class _Left:
    """What is left of an `if` or loop of the source, in some level."""

    kind: str
    """`if`, `while`, `for`, `select`, or `test` for what only reads a predicate."""
    name: str
    carried: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Origin:
    """An `if` or loop of the source."""

    kind: str
    at: SourceLoc
    words: str
    test: _Key | None
    """Where the condition of an `if` is."""


@dataclass
class _Watch:
    """What the driver shows."""

    module: ModuleOp | None = None
    source: dict[_Key, _Origin] = field(default_factory=dict[_Key, _Origin])
    left: dict[_Key, list[_Left]] | None = None
    """What is left in the hcfg, where the decisions have their names."""
    kernels: tuple[int, int] | None = None

    sizes: SizesSeen = field(default_factory=SizesSeen)

    def __call__(self, level: str, module: ModuleOp) -> None:
        """Note what a level says, for passes change the module afterwards."""
        self.module = module
        self.sizes.look(level, module)
        if level == "source":
            for op in walk(module):
                key, at = _key(op), SourceLoc.of(op)
                if isinstance(op, (IfOp, ForOp, WhileOp)) and key and at:
                    self.source.setdefault(key, _origin(op, at))
        elif level == "hcfg":
            self.left = _left_in(module)
            launches = [o.kernel_name for o in walk(module) if isinstance(o, LaunchOp)]
            # Each launch had a kernel of its own before sharing.
            self.kernels = len(launches), len(set(launches))


def _origin(op: IfOp | ForOp | WhileOp, at: SourceLoc) -> _Origin:
    words = _words(op)
    if isinstance(op, ForOp):
        return _Origin("for", at, f"for {words}", None)
    if isinstance(op, WhileOp):
        return _Origin("while", at, f"while {words}", None)
    test = op.condition.owner
    location = _key(test) if isinstance(test, Operation) else None
    return _Origin("if", at, words or at.text(), location)


def _left_in(module: ModuleOp) -> dict[_Key, list[_Left]]:
    """What the entry function holds, by location."""
    result: dict[_Key, list[_Left]] = {}
    entries = (f for f in module.body.ops if "dycl.entry" in f.attributes)
    for op in (op for entry in entries for op in walk(entry)):
        if (key := _key(op)) is None:
            continue
        match op:
            case IfOp() | ForOp() | SelectOp():
                kind = op.name.removeprefix("dycl.")
                result.setdefault(key, []).append(_Left(kind, _name_of(op)))
            case WhileOp():
                carried = tuple(map(_loop_carried, op.before.block.args))
                result.setdefault(key, []).append(_Left("while", _name_of(op), carried))
            case ItemOp() | ToBoolOp():
                result.setdefault(key, []).append(_Left("test", ""))
            case _:
                pass
    return result


def _key(op: Operation) -> _Key | None:
    at = SourceLoc.of(op)
    return None if at is None else (at.file, at.line, at.col)


def _entries(watch: _Watch, notes: Sequence[Note]) -> list[Entry]:
    left = watch.left
    if left is None:
        left = {} if watch.module is None else _left_in(watch.module)
    rounds: dict[_Key, list[int]] = {}
    for note in notes:
        if note.what == "unrolled" and note.at is not None:
            key = (note.at.file, note.at.line, note.at.col)
            rounds.setdefault(key, []).append(note.count)
    entries: list[Entry] = []
    for key, origin in watch.source.items():
        left_here = left.get(key, [])
        if origin.kind == "if":
            is_asked = origin.test is not None and bool(left.get(origin.test))
            entries.append(_decision(origin, left_here, is_asked))
        else:
            entries.append(_loop(origin, left_here, rounds.get(key, [])))
    files = list(dict.fromkeys(e.at.file for e in entries))
    return sorted(entries, key=lambda e: (files.index(e.at.file), e.at.line, e.at.col))


def _decision(origin: _Origin, found: Sequence[_Left], is_asked: bool) -> Entry:
    branches = [item for item in found if item.kind == "if"]
    names = tuple(item.name for item in branches if item.name)
    if branches:
        how = f"decided at run time{_listed(names, len(branches))}"
    elif any(item.kind == "select" for item in found):
        how = "a choice between two computed values; no branch"
    elif is_asked:
        how = "tested at run time; it has no branch of its own"
    else:
        how = "decided at compile time"
    kept = bool(branches)
    return Entry("decision", origin.at, origin.words, kept, how, names)


def _loop(origin: _Origin, found: Sequence[_Left], rounds: Sequence[int]) -> Entry:
    loops = [item for item in found if item.kind == "while"]
    if loops:
        names = tuple(item.name for item in loops if item.name)
        carried = loops[0].carried
        how = f"a loop of the host{_listed(names, len(loops))}"
        how += f"; carries {', '.join(carried) or 'nothing'}"
        return Entry("loop", origin.at, origin.words, True, how, names, (), carried)
    if any(item.kind == "for" for item in found):
        how = "how often it runs is not known"
    elif rounds:
        each = list(dict.fromkeys(rounds))
        how = f"unrolled: {_count(each[0], 'iteration')}"
        if len(each) > 1:
            how = f"unrolled: {', '.join(map(str, each))} iterations"
        if len(rounds) > 1:
            how += f", in {len(rounds)} places"
    else:
        how = "no run gets there"
    words = origin.words
    return Entry("loop", origin.at, words, False, how, iterations=tuple(rounds))


def _listed(names: Sequence[str], count: int) -> str:
    """At most three names."""
    if not names:
        return f", in {count} places" if count > 1 else ""
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f", as {shown}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _loop_carried(value: SSAValue) -> str:
    kind = type_words(value.type).removeprefix("a ").removeprefix("an ")
    is_known = not isinstance(value.type, ValueType)
    return f"{value.name_hint or 'a value'}: {kind if is_known else 'not known'}"


def _words(op: Operation) -> str:
    attribute = op.attributes.get("test")
    return " ".join(attribute.data.split()) if isinstance(attribute, StringAttr) else ""


def _name_of(op: Operation) -> str:
    attribute = op.attributes.get("name")
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _name(model: Any) -> str:
    name = model if isinstance(model, type) else type(model)
    if hasattr(type(model), "__code__"):
        return str(getattr(model, "__name__", "the function"))
    return name.__name__


def _as_traceback(error: Exception) -> str:
    """An exception as Python tells it, and where the model's code raised it."""
    last = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    location = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{last}{location}"
