"""In which memory buffers are, where kernels of one network run on several devices.

A buffer is in memory of the processor, unless its type says otherwise:

    memref<1x5xf32, "cuda">

The kernels of such a network say so of their arguments and results by `dycl.memory`; a
kernel of the backend "copy" has its argument in one memory and its result in another.
"""

from collections.abc import Mapping
from typing import Final

from xdsl.dialects.builtin import DictionaryAttr, MemRefType, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from dycl.ir.functions import BACKEND
from dycl.ir.host.layouts import BufferType

MEMORY: Final = "dycl.memory"
"""On an argument or result of a kernel: the memory it is in, by its name."""

GPU: Final = "cuda"
"""That of a GPU, and the backend whose kernels work on it."""

COPY: Final = "copy"
"""The backend of kernels that copy a tensor from one memory to another."""

COPIES: Final = "copy_to_"
"""How the names of these kernels begin; a memory's name comes next."""

HOST: Final = ""
"""Stands for the memory of the processor, which types do not name."""


def memory_of(buffer: Attribute) -> str:
    """The name of the memory that a buffer is in; of others than buffers it is HOST."""
    if isinstance(buffer, MemRefType):
        space: Attribute = buffer.memory_space
        if isinstance(space, StringAttr):
            return space.data
    return HOST


def is_memory(space: Attribute) -> bool:
    """Whether the memory space of a type is one that hosts know."""
    return isinstance(space, NoneAttr) or space == StringAttr(GPU)


def in_memory(buffer: BufferType, memory: str) -> BufferType:
    """The same buffer in another memory."""
    space = StringAttr(memory) if memory else NoneAttr()
    return MemRefType(buffer.element_type, buffer.shape, buffer.layout, space)


def given_memory(attributes: DictionaryAttr) -> str:
    """The memory of an argument or result of a kernel, by its attributes."""
    memory = attributes.data.get(MEMORY)
    return memory.data if isinstance(memory, StringAttr) else HOST


def memories_of(kernels: Mapping[str, FuncOp], backend: str) -> dict[str, str]:
    """Kernel -> the memory that it works on.

    `backend`: that of kernels that name none.
    """
    own, gpu = StringAttr(backend), StringAttr(GPU)
    return {
        name: GPU if kernel.attributes.get(BACKEND, own) == gpu else HOST
        for name, kernel in kernels.items()
    }
