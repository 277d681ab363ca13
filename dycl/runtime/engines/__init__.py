"""Kernels that the engines of others run: NumPy and the engine are all that it takes.

    OnnxModel ─ Engine ─▶ Session ─▶ Call

`kernels.py` has the kernels as hosts call them, `sessions.py` what an engine is,
`models.py` the models that it is given, and the rest is an engine each.
"""

from __future__ import annotations

from dycl.runtime.engines.kernels import EngineCode, EngineKernel, EngineKernels, Place
from dycl.runtime.engines.models import IreeModel, Model, OnnxModel
from dycl.runtime.engines.sessions import (
    ENGINES,
    Engine,
    EngineMissing,
    OnnxEngine,
    engine_of,
)

__all__ = [
    "ENGINES",
    "Engine",
    "EngineCode",
    "EngineKernel",
    "EngineKernels",
    "EngineMissing",
    "IreeModel",
    "Model",
    "OnnxEngine",
    "OnnxModel",
    "Place",
    "engine_of",
]
