"""Kernels that the engines of others run: what all such backends have in common.

    module ─ dycl.kernels.onnx ─▶ a model for each kernel ─ Engine ─▶ Session ─▶ Call

An engine is told a kernel's weights once, when the network is bound to them: they are
initializers of the model, which the engine may lay out anew. Arguments and results are
bound where they lie, without a copy. `backend.py` chooses what an engine takes,
`library.py` has the kernels as the hosts call them, `sessions.py` the sessions.
"""

from dycl.kernels.engines.backend import EngineBackend, missing
from dycl.kernels.engines.sessions import Call, Engine, EngineError, Session

__all__ = ["Call", "Engine", "EngineBackend", "EngineError", "Session", "missing"]
