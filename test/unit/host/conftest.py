"""Host IR as text -> printed Python -> a network with fake kernels."""

import numpy as np
import pytest

from dycl.artifact import build_native, build_with_llvm
from dycl.host import NativeProgram, print_llvm, print_native, print_python
from dycl.kernels.cpu.objects.llvm_object import compile_llvm
from dycl.runtime import CompiledNet
from dycl.tools.opt_parser import parse_text
from dycl.tools.same import new_context


def _printed(text: str) -> str:
    module = parse_text(new_context(), text, "folder/net.py")
    module.verify()
    return print_python(module)


def _loaded(text, kernels=None, params=None):
    return CompiledNet(_printed(text), kernels or {}, params or {})


def _printed_native(text: str, max_iterations=None) -> NativeProgram:
    module = parse_text(new_context(), text, "folder/net.py")
    module.verify()
    return print_native(module, max_iterations)


def _loaded_native(text, kernels="", params=None, max_iterations=None):
    program = _printed_native(text, max_iterations)
    program = NativeProgram(f"{program.source}\n{kernels}", program.tables)
    native = build_native(program, {})
    return CompiledNet(_printed(text), {}, params or {}, native=native.host)


def _loaded_llvm(text, kernels=None, params=None, max_iterations=None):
    module = parse_text(new_context(), text, "folder/net.py")
    module.verify()
    objects = {
        name: compile_llvm(code, "native", name, [])
        for name, code in (kernels or {}).items()
    }
    native = build_with_llvm(print_llvm(module, {}, max_iterations), objects)
    return CompiledNet(_printed(text), {}, params or {}, native=native.host)


@pytest.fixture
def loaded_llvm():
    """Host IR, kernels in the LLVM dialect, weights -> a network, without C."""
    return _loaded_llvm


@pytest.fixture
def printed_native():
    """Host IR -> host.c and its tables."""
    return _printed_native


@pytest.fixture
def loaded_native():
    """Host IR, kernels as C text, weights -> a network with a native host."""
    return _loaded_native


@pytest.fixture
def printed():
    """Host IR -> the text of host.py."""
    return _printed


@pytest.fixture
def loaded():
    """Host IR, kernels, weights -> a callable network."""
    return _loaded


@pytest.fixture
def kernels():
    """Kernels over arrays: outputs come last."""

    def mean(x, y):
        y[...] = x.mean()

    def double(x, y):
        np.multiply(x, 2, out=y)

    def add(x, n, y):
        np.add(x, n, out=y)

    return {"mean": mean, "double": double, "add": add}
