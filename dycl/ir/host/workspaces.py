"""Memory that kernels need during a call, and that their caller owns."""

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

WORKSPACE = "dycl.workspace"
"""Attribute of a kernel that has been compiled: how many bytes it takes."""


def workspaces_of(module: ModuleOp) -> dict[str, int]:
    """By kernel, the bytes of its workspace; without those that take none."""
    return {
        op.sym_name.data: size.value.data
        for op in module.ops
        if isinstance(op, FuncOp)
        and isinstance(size := op.attributes.get(WORKSPACE), IntegerAttr)
    }


def set_workspace(kernel: FuncOp, size: int) -> None:
    """Note on a kernel how many bytes it takes."""
    kernel.attributes[WORKSPACE] = IntegerAttr(size, 64)
