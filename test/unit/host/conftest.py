"""Host IR as text -> printed Python -> a network with fake kernels."""

import functools

import numpy as np
import pytest

from dycl.artifact import NativeCode, build_native
from dycl.host import NativeProgram, print_native, print_python
from dycl.ir.placing_parser import parse_text
from dycl.runtime import CompiledNet
from dycl.toolchain import find_compiler
from dycl.tools.same import new_context


@functools.cache
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


@functools.cache
def _built(text: str, kernels: str, max_iterations: int | None) -> NativeCode:
    """Compiled once: most tests of a file ask one host of something else."""
    program = _printed_native(text, max_iterations)
    program = NativeProgram(f"{program.source}\n{kernels}", program.tables)
    return build_native(program, {}, {})


@pytest.fixture
def printed_native():
    """Host IR -> host.c and its tables."""
    return _printed_native


@pytest.fixture
def loaded_native():
    """Host IR, kernels as C text, weights -> a network with a native host."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler")

    def loaded(text, kernels="", params=None, max_iterations=None):
        built = _built(text, kernels, max_iterations)
        native = NativeCode(built.program, built.code)  # with a host of its own
        return CompiledNet(_printed(text), {}, params or {}, native=native.host)

    return loaded


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
