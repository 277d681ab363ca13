"""A module of the LLVM dialect to an object file, as it is: no kernel, no lowering."""

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dycl.kernels.cpu.mlir import engine, parse
from dycl.kernels.cpu.objects.pass_on_target import pass_on_target
from dycl.kernels.cpu.target import note_target


def compile_llvm(
    text: str, target: str, function: str, elsewhere: Sequence[str]
) -> bytes:
    """The object file, position-independent, of a module that has `function`.

    `target` is one of `dycl.runtime.targets`. `elsewhere`: the functions that other
    objects have; the code is not to be run in this engine.
    """
    module = parse(text)
    module.operation.verify()
    note_target(module, target)
    with module.context:
        pass_on_target(module)
        code = engine(module, 2)
    for name in elsewhere:
        code.raw_register_runtime(name, ctypes.c_void_p(1))
    code.raw_lookup(function)  # What nobody has asked for is not compiled.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "host.o"
        code.dump_to_object_file(str(path))
        return path.read_bytes()
