"""Run a compiled network: NumPy and the standard library, nothing else.

`CompiledNet` executes the printed host (`host.py`) against a table of kernels and the
weights. Where torch tensors come in, torch tensors go out; torch itself is never
imported here, the caller has done that.
"""

from __future__ import annotations

from dycl.runtime.artifact import LoadedNet, load
from dycl.runtime.buffers import Buffer
from dycl.runtime.decisions import Decision
from dycl.runtime.effects import IterationLimit, RecursionLimit
from dycl.runtime.inputs import InputError, InputSpec
from dycl.runtime.kernels import BoundKernel, Kernel, KernelTable
from dycl.runtime.members import ArtifactError
from dycl.runtime.net import CompiledNet
from dycl.runtime.open_shapes import SizeRange
from dycl.runtime.profiling import Profile, ProfileError, profile
from dycl.runtime.weights import WeightError

__all__ = [
    "ArtifactError",
    "BoundKernel",
    "Buffer",
    "CompiledNet",
    "Decision",
    "InputError",
    "InputSpec",
    "IterationLimit",
    "Kernel",
    "KernelTable",
    "LoadedNet",
    "Profile",
    "ProfileError",
    "RecursionLimit",
    "SizeRange",
    "WeightError",
    "load",
    "profile",
]
