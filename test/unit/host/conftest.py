"""Host IR as text -> printed Python -> a network with fake kernels."""

import numpy as np
import pytest

from dycl.host import print_python
from dycl.runtime import CompiledNet
from dycl.tools.opt_parser import parse_text
from dycl.tools.same import new_context


def _printed(text: str) -> str:
    module = parse_text(new_context(), text, "folder/net.py")
    module.verify()
    return print_python(module)


def _loaded(text, kernels=None, params=None):
    return CompiledNet(_printed(text), kernels or {}, params or {})


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
