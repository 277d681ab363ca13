"""The functions of a module of the LLVM dialect, and what LLVM is told of them."""

from collections.abc import Iterator
from typing import Any

from dycl.kernels.cpu.mlir import ir


def defined_functions(module: Any) -> Iterator[Any]:
    """The functions that have a body."""
    for op in module.body.operations:
        func = op.operation
        if func.name == "llvm.func" and len(func.regions[0].blocks):
            yield func


def pass_through(func: Any, word: str) -> None:
    """Give a function one of LLVM's own attributes, such as `noinline`, as well."""
    words = func.attributes.get("passthrough", ())
    all_words = [*words, ir.StringAttr.get(word)]
    func.attributes["passthrough"] = ir.ArrayAttr.get(all_words)
