"""What the returns of a graph tree give, as Python text."""

from xdsl.dialects.builtin import ModuleOp

from dycl.host.literals import structure, tuple_text
from dycl.ir import graph
from dycl.ir.values import from_attr


def print_returns(module: ModuleOp) -> str:
    """A tuple with `lambda rt, v: ...` for each return; `v(i)` is operand number i.

    "": the host of the module is no graph tree.
    """
    for op in module.ops:
        if isinstance(op, graph.FuncOp):
            texts = [
                structure(from_attr(one), lambda i: f"v({i})")
                for one in op.returned.structures
            ]
            return tuple_text([f"lambda rt, v: {text}" for text in texts])
    return ""
