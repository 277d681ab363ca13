"""Remarks: why a pass left an op alone, said at the user's line.

A pass calls `remark(op, "not unrolled", "the bound `%n` is not constant")` and goes
on. Whoever wants to know wraps the run:

    with collect_remarks() as remarks:
        pipeline.apply(ctx, module)
    for remark in remarks:
        print(remark)         # m.py:12:9: remark: not unrolled: the bound ...

Without a collector around it a remark is dropped.

Collectors are context variables, as a remark is made in functions that know an op and
no context. They take what passes say; nothing that a pass does depends on them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from xdsl.ir import Operation

from dycl.diag.source import SourceLoc


@dataclass(frozen=True)
class Remark:
    """What was not done, why, and where."""

    what: str
    why: str
    at: SourceLoc | None
    op_name: str

    def __str__(self) -> str:
        """`file:line:col: remark: what: why`."""
        location = self.op_name if self.at is None else self.at
        return f"{location}: remark: {self.what}: {self.why}"


_collector: ContextVar[dict[Remark, None] | None] = ContextVar(
    "dycl_remarks", default=None
)


def remark(op: Operation, what: str, why: str) -> None:
    """Say that `what` ("not outlined") holds for `op`, and `why`."""
    pass_on([Remark(what, why, SourceLoc.of(op), op.name)])


def pass_on(remarks: list[Remark]) -> None:
    """Give remarks collected elsewhere to the collector around the caller."""
    if (collected := _collector.get()) is not None:
        collected.update(dict.fromkeys(remarks))


@contextmanager
def collect_remarks() -> Generator[list[Remark]]:
    """Collect the remarks made inside `with`, each once, in order.

    The list is filled when the block ends, also when it ends with an exception.
    Collectors nest: the inner one takes all.
    """
    collected: dict[Remark, None] = {}
    remarks: list[Remark] = []
    token = _collector.set(collected)
    try:
        yield remarks
    finally:
        _collector.reset(token)
        remarks += collected


@dataclass(frozen=True)
class Note:
    """Something that a pass did, and how often: for `dycl.explain`."""

    what: str
    count: int
    at: SourceLoc | None


_notes: ContextVar[list[Note] | None] = ContextVar("dycl_notes", default=None)


def note(op: Operation, what: str, count: int) -> None:
    """Tell what is done with `op`; dropped without a `collect_notes` around it."""
    if (collected := _notes.get()) is not None:
        collected.append(Note(what, count, SourceLoc.of(op)))


def pass_on_notes(notes: list[Note]) -> None:
    """Give notes collected elsewhere to the collector around the caller."""
    if (collected := _notes.get()) is not None:
        collected += notes


@contextmanager
def collect_notes() -> Generator[list[Note]]:
    """Collect the notes made inside `with`, in order, as they are made."""
    collected: list[Note] = []
    token = _notes.set(collected)
    try:
        yield collected
    finally:
        _notes.reset(token)
