"""Reading the text of kernels, as `KernelBackend.compile` is given it."""

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func, FuncOp

from dycl.ir.parser import FastParser
from dycl.ir.torch import Torch


def parse_kernels(module_text: str) -> ModuleOp:
    """The module of a text. ParseError: it is none of kernels in the torch dialect."""
    context = Context()
    for dialect in (Builtin, Func, Torch):
        context.load_dialect(dialect)
    return FastParser(context, module_text).parse_module()


def kernels_in(module: ModuleOp) -> dict[str, FuncOp]:
    """The kernels of a module by name, in order."""
    return {
        op.sym_name.data: op
        for op in module.ops
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes
    }
