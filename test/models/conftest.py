"""Every call of a network with a native host is made with the Python host as well.

Values, paths, exceptions and state have to be equal to the last bit. With another
backend (`replaced.py`), the other call is one of our own code, and has the same path.

With `--rows`, the rows of a test's calls are computed together as well (`in_rows.py`).
With `--sizes`, inputs of other sizes are compared with eager (`in_sizes.py`).
"""

import copy
import dataclasses
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from dycl.compiled import CompiledModel
from dycl.runtime import InputError

sys.path.insert(0, str(Path(__file__).parent))

import in_rows
import in_sizes
import replaced
from replaced import pytest_collection_modifyitems, replaced_backend
from variants import pytest_terminal_summary, twins, twins_compared

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
    "replaced_backend",
    "twins",
    "twins_compared",
]


def pytest_addoption(parser):
    for module in (replaced, in_rows, in_sizes):
        module.pytest_addoption(parser)


@pytest.fixture(autouse=True)
def both_hosts(twins_compared, monkeypatch, children_go_on, replaced_backend):
    native_call = CompiledModel.__call__
    ours = replaced_backend or {}
    twins, weights, lock = {}, {}, threading.Lock()

    def call(self, *args, **kwargs):
        if self.host == "native" and prints(self.native.program.tables):
            return native_call(self, *args, **kwargs)
        if id(self) not in twins and id(self) in ours:
            twins[id(self)] = ours[id(self)]
        if id(self) not in twins and self.host != "native":
            return native_call(self, *args, **kwargs)
        if id(self) not in twins:
            twins[id(self)] = self, self.with_python_host()
        twin = twins[id(self)][1]
        before = exact((args, kwargs))
        mine = (args, kwargs)
        writes = self._net._written or self._net._refilled
        if writes:  # the two calls write to the same values
            mine = copy.deepcopy(mine, {id(v): v for v in args if is_fixed(v)})
        with lock:  # Once for all threads: it forgets the paths of each.
            if weights.get(id(self), twin.weights) is not self.weights:
                twin.load_weights(self.weights)
                weights[id(self)] = self.weights
        twin._net._state.replace(self._net._state.values())
        wanted = outcome(native_call, twin, *mine[0], **mine[1])
        assert exact((args, kwargs)) == before
        got = outcome(native_call, self, *args, **kwargs)
        if id(self) in ours:
            assert got[0] == wanted[0]
            if not isinstance(got[2], InputError):  # The path is that of a call before.
                assert str(self.path) == str(twin.path)
        else:
            if writes:
                assert exact((args, kwargs)) == exact(mine)
            assert exact(got[:2]) == exact(wanted[:2])
            assert self.path == twin.path
            assert exact(self._net._state.values()) == exact(twin._net._state.values())
        if got[2] is not None:
            raise got[2]
        return got[1]

    monkeypatch.setattr(CompiledModel, "__call__", call)


def is_fixed(value):
    """Whether nobody writes to a value: a copy of it would be another thing."""
    if isinstance(value, torch.Tensor):
        return value.is_inference()
    return isinstance(value, np.ndarray) and not value.flags.writeable


def prints(tables):
    """Whether a run does what must not be done twice."""
    return any("expression" not in entry for entry in tables["effects"])


def outcome(function, *args, **kwargs):
    """Class and arguments of what it raises, or None and the value; the exception."""
    try:
        return None, function(*args, **kwargs), None
    except Exception as error:
        return type(error).__name__, error.args, error


def exact(value):
    """What can be compared: type, dtype, shape and bytes of all there is in a value."""
    kind = type(value).__name__
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.device.type != "cpu":
            return kind, str(value)
        value = value.detach().resolve_neg().resolve_conj()
        if value.dtype == torch.bfloat16:
            return kind, exact(value.view(torch.int16))  # NumPy lacks it
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return kind, value.dtype.str, value.shape, value.tobytes()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return kind, [(exact(k), exact(v)) for k, v in value.items()]
    if isinstance(value, tuple | list):
        return kind, [exact(v) for v in value]
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return kind, exact(vars(value))
    return kind, repr(value)


class Watched:
    """A network that notes how many rows it is called with."""

    def __init__(self, net):
        self.net, self.calls = net, []
        self.rows, self.inputs, self.state = net.rows, net.inputs, net.state
        self.sizes = net.sizes

    def __call__(self, x):
        self.calls.append(len(x))
        return self.net(x)


@pytest.fixture
def watched(net):
    """The `net` of a file, and what it is called with."""
    return Watched(net)
