"""The C compiler: finding one, and building shared objects with it.

A network that is compiled becomes a shared object: its kernels, which LLVM has
compiled, and its host in C. That takes a C compiler and its linker: the machine's
own, or the one that `pip install 'dycl[cc]'` brings. Loading takes neither.
"""

from dycl.toolchain.compiler import INSTALL, CCompiler, find_compiler
from dycl.toolchain.link import BOUND, Common, LinkError, object_file, shared_object

__all__ = [
    "BOUND",
    "INSTALL",
    "CCompiler",
    "Common",
    "LinkError",
    "find_compiler",
    "object_file",
    "shared_object",
]
