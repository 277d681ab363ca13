"""Write a `.dycl`: one file that `dycl.load` runs with NumPy only.

`dycl.runtime.artifact` says what is in it, and reads it.
"""

from dycl.artifact.archive import PAGE
from dycl.artifact.contents import Contents, TargetCode, save
from dycl.artifact.native import NativeCode, build_native

__all__ = [
    "PAGE",
    "Contents",
    "NativeCode",
    "TargetCode",
    "build_native",
    "save",
]
