"""`backend="iree"`: kernels that IREE compiles and runs (`pip install 'dycl[iree]'`).

    kernel ─ lower.py ─▶ linalg on tensors ─ compiler.py ─▶ a module of IREE's machine

IREE is given what our own kernels are made of, linalg in which torch's ops mean what
they mean in eager, before our own choice of blocks and loops. `claims.py` says which
ops have such a form. Its compiler is a process of its own; what it made is in the
cache, and in a saved network, which needs the runtime of IREE alone.
"""

from dycl.kernels.iree.backend import IreeBackend

__all__ = ["IreeBackend"]
