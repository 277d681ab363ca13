"""Kernels on the CPU: torch-mlir to linalg, bufferised, to LLVM, in this process.

`lower.py` is the pipeline, `rewrite.py` our own steps in it, `check.py` what is asked
of a module first, `errors.py` what is said when it fails, `engine.py` calling the code.
`vector_body.py` and `vector_math.py` are for what is computed 16 elements at a time.
Importing this package imports torch-mlir.
"""

from dycl.kernels.cpu.backend import CpuBackend

__all__ = ["CpuBackend"]
