"""Kernels that the engines of others run: what all such backends have in common.

    module ─ dycl.kernels.onnx ─▶ a model for each kernel ─ dycl.runtime.engines ─▶ Call

An engine is told a kernel's weights once, when the network is bound to them: they are
initializers of the model, which the engine may lay out anew. Arguments and results are
bound where they lie, without a copy. `backend.py` chooses what an engine takes,
`library.py` has the kernels of a module.
"""

from dycl.kernels.engines.backend import EngineBackend, OnnxBackend
from dycl.kernels.engines.library import EngineError

__all__ = ["EngineBackend", "EngineError", "OnnxBackend"]
