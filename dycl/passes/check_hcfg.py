"""`dycl-check-hcfg`: says what keeps the program from being host plus kernels.

Before                   After
------                   -----
%y = torch.aten.relu %x  error[DY401]: the host only decides and launches kernels,
dycl.return %y             and `torch.aten.relu` is not in a kernel: run
                           dycl-outline-branches

Needs:  nothing.
Leaves: the program as it was. It has one entry function, which holds decisions,
        launches and scalars; every launch fits a public, straight-line kernel.
Skips:  nothing. All problems are told at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import Problem, kernel_problems, launch_problems
from dycl.diag import PassFailed, SourceLoc
from dycl.ir import torch
from dycl.ir.host.convert import has_host_form, host_type, inputs_not_taken
from dycl.ir.type_words import type_words
from dycl.ir.walking import walk

_MOST_NOTES = 10


@dataclass(frozen=True)
class CheckHcfgPass(ModulePass):
    """Says what keeps the program from being host plus kernels."""

    name = "dycl-check-hcfg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing.

        PassFailed (DY401): the program is not partitioned.
        """
        raise_problems("DY401", list(_problems(op)))


def raise_problems(code: str, problems: Sequence[Problem]) -> None:
    """Raise PassFailed for the first problem, with the others as notes, if any."""
    if not problems:
        return
    first, *others = problems
    notes = [f"{_location(p.op)}: {p.what}" for p in others[:_MOST_NOTES]]
    if len(others) > _MOST_NOTES:
        notes.append(f"and {len(others) - _MOST_NOTES} more")
    raise PassFailed(first.what, first.op, notes, code=code)


def _location(op: Operation) -> str:
    """`net.py:31`, or the op's name where the place is unknown."""
    at = SourceLoc.of(op)
    return f"`{op.name}`" if at is None else f"{at.file}:{at.line}"


def _problems(module: ModuleOp) -> Iterator[Problem]:
    entries = [op for op in module.ops if "dycl.entry" in op.attributes]
    if len(entries) != 1:
        yield Problem(
            module,
            "there must be one host function, marked `dycl.entry`; this module has "
            f"{len(entries)}",
        )
    for entry in entries:
        if not isinstance(entry, FuncOp):
            yield Problem(entry, f"the host function is a `{entry.name}`")
            continue
        yield from _params_problems(entry)
        for argument in inputs_not_taken(entry):
            yield Problem(entry, f"the host cannot take {type_words(argument.type)}")
        for op in walk(entry.body.block):
            yield from _op_problems(op)
        yield from launch_problems(module, entry)
    yield from kernel_problems(module)
    for op in module.ops:
        yield from _mark_problems(op)


def _params_problems(entry: FuncOp) -> Iterator[Problem]:
    params = entry.attributes.get("dycl.params")
    if params is None:
        return
    if not isinstance(params, ArrayAttr) or not all(
        isinstance(name, StringAttr) for name in params
    ):
        what = f"`dycl.params` is {params}, but it must be a list of names"
        yield Problem(entry, what)
    elif len(params) > (count := len(entry.body.block.args)):
        yield Problem(
            entry, f"`dycl.params` has {len(params)} names for {count} arguments"
        )


def _mark_problems(op: Operation) -> Iterator[Problem]:
    """A mark is there or not; what it is given would not be asked for."""
    for name in ("dycl.entry", "dycl.kernel"):
        if not isinstance(attribute := op.attributes.get(name, UnitAttr()), UnitAttr):
            yield Problem(op, f"`{name}` is a mark: write it without = {attribute}")


def _op_problems(op: Operation) -> Iterator[Problem]:
    on_host = has_host_form(op)
    if isinstance(op, torch.TorchOp) and not on_host:
        yield Problem(
            op,
            "the host only decides and launches kernels, and "
            f"`{op.name}` is not in a kernel: run dycl-outline-branches",
        )
    elif not on_host:
        yield Problem(op, f"`{op.name}` has no form on the host")
    else:
        for result in op.results:
            if host_type(result.type) is None:
                yield Problem(op, f"the host cannot hold {type_words(result.type)}")
