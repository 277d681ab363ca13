"""`dycl-check-host`: says what keeps the host function from being printed.

Before                   After
------                   -----
%y = dycl.launch @k(%x)  error[DY501]: `@forward` is not lowered to the host dialect:
dycl.return %y             run dycl-lower-host

Needs:  nothing.
Leaves: the program as it was. It has one `host.func`, of `host` ops and shared ones,
        which have types of the host; every launch fits a public, straight-line kernel,
        and fills buffers that it does not read; buffers in use at the same time do not
        share memory.
Skips:  nothing. All problems are told at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.analysis.control.launches import Problem, kernel_problems, launch_problems
from dycl.analysis.memory.arena import memory_problems
from dycl.ir import host
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.dialect.syntax import RunsOnHost
from dycl.ir.host.rules import type_problems
from dycl.ir.host.types import NUMBERS, SCALARS, why_not_a_buffer
from dycl.ir.host.workspaces import workspaces_of
from dycl.ir.interfaces import is_inside
from dycl.ir.walking import walk
from dycl.passes.check_hcfg import raise_problems


@dataclass(frozen=True)
class CheckHostPass(ModulePass):
    """Says what keeps the host function from being printed."""

    name = "dycl-check-host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing. PassFailed (DY501): the host is not complete."""
        raise_problems("DY501", list(_problems(op)))
        workspaces = workspaces_of(op)
        for function in [f for f in op.ops if isinstance(f, host.FuncOp)]:
            # Asked of programs that are whole otherwise.
            for body in (function, *local_functions(function)):
                raise_problems("DY501", list(memory_problems(body, workspaces)))


def _problems(module: ModuleOp) -> Iterator[Problem]:
    functions = [op for op in module.ops if isinstance(op, host.FuncOp)]
    not_lowered = [op for op in module.ops if "dycl.entry" in op.attributes]
    for op in not_lowered:
        name = op.sym_name.data if isinstance(op, FuncOp) else op.name
        yield Problem(
            op, f"`@{name}` is not lowered to the host dialect: run dycl-lower-host"
        )
    if len(functions) != 1 and not not_lowered:
        yield Problem(
            module, f"there must be one host.func; this module has {len(functions)}"
        )
    for function in functions:
        for argument in function.body.block.args:
            if argument.type not in NUMBERS and not isinstance(
                argument.type, MemRefType | d.NodeType
            ):
                yield Problem(function, f"an input cannot be of type {argument.type}")
        for op in walk(function.body.block):
            yield from _op_problems(op)
        for inner in local_functions(function):
            yield from _captured(inner)
        yield from launch_problems(module, function)
    yield from kernel_problems(module)


def _captured(function: d.LocalFunctionOp) -> Iterator[Problem]:
    """Values that a local function uses and was not given."""
    for op in walk(function.body):
        for value in op.operands:
            is_known = isinstance(value.owner, (host.ParamOp, d.ConstantOp))
            if not is_known and not is_inside(value, function):
                yield Problem(op, f"{function.label} uses a value that it is not given")


def _op_problems(op: Operation) -> Iterator[Problem]:
    if not (op.name.startswith("host.") or op.has_trait(RunsOnHost)):
        yield Problem(
            op,
            "printing the host needs every branch outlined, and "
            f"`{op.name}` is not in a kernel: run dycl-outline-branches",
        )
        return
    for value in op.results:
        if (why := _why_not(value.type)) is not None:
            yield Problem(op, f"{value.type} {why}")
    for problem in type_problems(op):
        yield Problem(op, problem)


def _why_not(found: Attribute) -> str | None:
    """Why the host cannot hold this type, as the end of a sentence, or None."""
    if isinstance(found, MemRefType):
        return why_not_a_buffer(found)
    if isinstance(found, d.SequenceType):
        return _why_not(found.element)
    if isinstance(found, d.NodeType):
        return None
    return None if found in SCALARS else "is no type of the host"
