"""Reads of a list by a name that has no value on some path."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir.environment import Environment
from dycl.passes.checks.unbound_constants import unbound_reads


def reads_without_value(entry: FuncOp) -> dict[SSAValue, Operation]:
    """What reads a name that may have no value, by the value.

    What the list has become by then would stand in its place, and nothing be raised.
    """
    module = entry.parent_op()
    assert isinstance(module, ModuleOp)
    return {v: op for op, v, _ in unbound_reads(entry, Environment(module))}
