"""Kernels on the CPU: torch-mlir to linalg, bufferised, to LLVM, in this process.

`lower.py` is the pipeline: steps as data, each in a file of its own. Their rooms, in
the order in which a kernel comes through:

- `custom/`: code that users give for operators of theirs
- `torch_fixes/`: what eager gives, where torch-mlir's lowering differs
- `weights/`: what depends on weights alone is computed once
- `blocks/`: 16 channels side by side
- `loops/`: elementwise chains, orders of loops, mathematical functions
- `buffers/`: results, workspaces and sizes in memory of the caller's
- `nests/`: contractions in tiles of registers, and threads that share them
- `rows/`: softmax, norms and other reductions, row by row
- `samples/`: a batch is a loop over the kernel of one sample, or of some
- `selection/`: `topk`, with equal elements in eager's order
- `objects/`: what LLVM is told of functions and loops

`backend.py` is what the rest of DyCL calls: `known.py` finds modules that were compiled
before, `building.py` compiles others. `check.py` is what is asked of a module first,
`errors.py` what is said when it fails, `engine.py` calling the code, `many.py`
compiling side by side with a cache, `parts.py` what kernels have in common and `jit.py`
object code. `mlir.py`, `build.py` and `tensor_ops.py` are how
all of them read and make ops, `nests/function.py` how functions are made that many
places call.
Importing this package does not import torch-mlir: compiling a kernel does.
"""

from dycl.kernels.cpu.backend import CpuBackend

__all__ = ["CpuBackend"]
