"""Write a `.dycl`: one file that `dycl.load` runs with NumPy only.

`dycl.runtime.artifact` says what is in it, and reads it.
"""

from dycl.artifact.archive import PAGE
from dycl.artifact.contents import Contents, TargetCode, save
from dycl.artifact.link import BOUND, LinkError, compiler
from dycl.artifact.native import NativeCode, build_native, build_with_llvm

__all__ = [
    "BOUND",
    "PAGE",
    "Contents",
    "LinkError",
    "NativeCode",
    "TargetCode",
    "build_native",
    "build_with_llvm",
    "compiler",
    "save",
]
