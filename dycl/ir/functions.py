"""The functions of a module: which one is run, and where it returns."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region

from dycl.ir.dialect import ReturnOp
from dycl.ir.walking import walk


def entry_function(module: ModuleOp) -> FuncOp | None:
    """The function marked `dycl.entry`, which a compiled model runs, or None."""
    for op in module.body.ops:
        if isinstance(op, FuncOp) and "dycl.entry" in op.attributes:
            return op
    return None


def returns_in(body: Block | Region) -> list[ReturnOp]:
    """The returns of a function's body, at any depth, in order."""
    return [op for op in walk(body) if isinstance(op, ReturnOp)]
