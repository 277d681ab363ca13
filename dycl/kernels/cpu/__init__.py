"""Kernels on the CPU: torch-mlir to linalg, bufferised, to LLVM, in this process.

`lower.py` is the pipeline: steps as data, each in a file of its own, those that follow
eager where torch-mlir does not in `agreement/`. `check.py` is what is asked of a module
first, `errors.py` what is said when it fails, `engine.py` calling the code.
Importing this package imports torch-mlir.
"""

from dycl.kernels.cpu.backend import CpuBackend

__all__ = ["CpuBackend"]
