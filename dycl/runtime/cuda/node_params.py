"""What `cuGraphAddNode_v2` is given: structs of `cuda.h`, of CUDA 12.8 and later."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_longlong, c_uint, c_uint64, c_void_p
from typing import Any, ClassVar

KERNEL, CONDITIONAL = 0, 13
"""CUgraphNodeType."""
IF, WHILE, SWITCH = 0, 1, 2
"""CUgraphConditionalNodeType."""


class KernelParams(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v3."""

    _fields_: ClassVar[Any] = [
        ("func", c_void_p),
        *((f"grid{axis}", c_uint) for axis in "XYZ"),
        *((f"block{axis}", c_uint) for axis in "XYZ"),
        ("shared", c_uint),
        ("parameters", POINTER(c_void_p)),
        ("extra", c_void_p),
        ("kern", c_void_p),
        ("context", c_void_p),
    ]


class ConditionalParams(ctypes.Structure):
    """CUDA_CONDITIONAL_NODE_PARAMS."""

    _fields_: ClassVar[Any] = [
        ("handle", c_uint64),
        ("kind", c_int),
        ("size", c_uint),
        ("bodies", POINTER(c_void_p)),
        ("context", c_void_p),
    ]


class _Either(ctypes.Union):
    _fields_: ClassVar[Any] = [
        ("padding", c_longlong * 29),
        ("kernel", KernelParams),
        ("conditional", ConditionalParams),
    ]


class NodeParams(ctypes.Structure):
    """CUgraphNodeParams: a kernel, or a decision."""

    _fields_: ClassVar[Any] = [
        ("kind", c_int),
        ("reserved0", c_int * 3),
        ("of", _Either),
        ("reserved2", c_longlong),
    ]


def kernel_node(function: int, blocks: int, threads: int, shared: int) -> Any:
    """The parameters of a kernel node, without those of its kernel."""
    params: Any = NodeParams(kind=KERNEL)
    kernel = params.of.kernel
    kernel.func, kernel.shared = function, shared
    kernel.gridX, kernel.gridY, kernel.gridZ = blocks, 1, 1
    kernel.blockX, kernel.blockY, kernel.blockZ = threads, 1, 1
    return params


def conditional_node(handle: int, kind: int, bodies: int, context: Any) -> Any:
    """The parameters of a decision."""
    params: Any = NodeParams(kind=CONDITIONAL)
    decision = params.of.conditional
    decision.handle, decision.kind, decision.size = handle, kind, bodies
    decision.context = context
    return params
