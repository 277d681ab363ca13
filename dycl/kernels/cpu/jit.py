"""A lowered module in LLVM's JIT, and the object file that it compiles there."""

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dycl.kernels.cpu.code import NAME
from dycl.kernels.cpu.mlir import engine, ir
from dycl.kernels.cpu.objects.llvm_functions import defined_functions, pass_through
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.specs import preparation_name


def object_of(code: Any) -> bytes:
    """What LLVM's JIT has compiled, as an object file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.o"
        code.dump_to_object_file(str(path))
        return path.read_bytes()


def in_jit(module: Any, how: Settings, symbol: str, needs: Sequence[str] = ()) -> Any:
    """A lowered unit in LLVM's JIT; what calls the functions it `needs` may not run."""
    with module.context:
        _rename(module, NAME, symbol)
        _rename(module, preparation_name(NAME), preparation_name(symbol))
        _keep_apart(module)
        code = engine(module, how.opt_level)
    for name in needs:
        code.raw_register_runtime(name, ctypes.c_void_p(1))
    code.raw_lookup(symbol)  # What nobody has asked for is not compiled.
    return code


def _keep_apart(module: Any) -> None:
    """Ask LLVM not to inline what others may call.

    MLIR's engine adds a caller of its own to each such function, `_mlir_<name>`, which
    nobody calls, and which is for this machine whatever the target: with the body in
    it, that would be compiled twice.
    """
    for func in defined_functions(module):
        if "internal" not in str(func.attributes["linkage"]):
            pass_through(func, "noinline")


def _rename(module: Any, old: str, new: str) -> None:
    """Give a function another name, if there is such a function; nothing calls it."""
    symbols = ir.SymbolTable(module.operation)
    if old in symbols:
        symbols.set_symbol_name(symbols[old], new)
