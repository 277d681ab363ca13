"""Kernels for NVIDIA's GPUs: torch-mlir to linalg, to Triton functions, to PTX.

    torch -> linalg on tensors   lower.py: the CPU's first steps, and its fixes
          -> nodes               tile/read.py: each tensor says what it is made of
          -> groups              tile/groups.py: which loops are one function
          -> Triton functions    tile/templates.py: elementwise, rows, contractions, ...
          -> PTX                 ptx.py: Triton in a child, for 8.0 and 9.0

- `tile/index.py`: where an element stands, through views and back
- `tile/sizes.py`, `tile/shapes.py`: sizes that a run decides, and those of all tensors
- `tile/nodes.py`: what a tensor can be made of
- `tile/writer.py`: the text of one function, element by element
- `tile/sorts.py`, `tile/selection.py`: sorts, `topk`, and eager's choice among ties
- `tile/apart.py`: sorts, scans, scatters and attention, which are no loops
- `tile/cuts.py`: slices at places that only a run tells
- `tile/payload.py`: one op of a loop's body, and how reductions fold
- `tile/program.py`: functions, and the memory between them
- `tile/write.py`: all of that for one kernel
- `steps.py`: how the host of a run computes sizes
- `building.py`: in a child, with messages; `backend.py`: what the rest of DyCL calls
- `opt.py`: the tile level of a text, for tests and for looking at it

Sizes of tiles are data, in `dycl/schedules/cuda.py` and beside it; `tuning.py` times
them on a GPU. Neither a GPU nor NVIDIA's tools
are needed here, and Triton only for PTX. `dycl.runtime.cuda` runs what is made.
"""

from dycl.kernels.cuda.backend import CudaBackend

__all__ = ["CudaBackend"]
