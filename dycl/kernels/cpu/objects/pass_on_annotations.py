"""`cpu-pass-on-annotations`: what `cpu-keep-loops` said of a loop reaches LLVM.

The conversion of loops to branches carries it as an attribute that LLVM does not read.

Before:
    llvm.br ^header {llvm.loop_annotation = #llvm.loop_annotation<...>}

After:
    llvm.br ^header {loop_annotation = #llvm.loop_annotation<...>}

Needs:  the LLVM dialect.
Leaves: branches that say it where LLVM looks.
Skips:  branches without an annotation.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ops

ANNOTATION = "llvm.loop_annotation"
"""On a loop, and on the branch that becomes of it."""


def pass_on_annotations(module: Any) -> None:
    """Rename the attribute of every branch that has it."""
    for op in ops(module.operation):
        if op.name == "llvm.br" and ANNOTATION in op.attributes:
            op.attributes["loop_annotation"] = op.attributes[ANNOTATION]
            del op.attributes[ANNOTATION]
