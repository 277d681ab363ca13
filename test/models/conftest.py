"""Every call of a network with a native host is made with the others as well.

They are the host that the machine's C compiler has made, the one that our compiler and
LLVM make where there is none, and the Python host. Values, paths, exceptions and state
have to be equal to the last bit.

The second of them is asked in one test of four, which one by its name: it is made of
the same text as the first. `DYCL_ALL_HOSTS=1` asks it in all.
"""

import dataclasses
import os
import zlib

import numpy as np
import pytest
import torch

from dycl.artifact import build_with_llvm
from dycl.compiled import CompiledModel


@pytest.fixture(autouse=True)
def all_hosts(monkeypatch, request):
    native_call = CompiledModel.__call__
    twins = {}
    chosen = zlib.crc32(request.node.nodeid.encode()) % 4 == 0
    makers = [CompiledModel.with_python_host]
    if chosen or os.environ.get("DYCL_ALL_HOSTS"):
        makers.append(through_llvm)

    def call(self, *args, **kwargs):
        if self.host != "native" or prints(self.native.program.tables):
            return native_call(self, *args, **kwargs)
        if id(self) not in twins:
            twins[id(self)] = self, *(make(self) for make in makers)
        others = twins[id(self)][1:]
        before, wanted, paths = exact((args, kwargs)), [], []
        for twin in others:
            if twin.weights is not self.weights:
                twin.load_weights(self.weights)
            twin._net._state.replace(self._net._state.values())
            wanted.append(exact(outcome(native_call, twin, *args, **kwargs)[:2]))
            paths.append(twin.path)
            assert exact((args, kwargs)) == before
        got = outcome(native_call, self, *args, **kwargs)
        assert [exact(got[:2])] * len(others) == wanted
        assert [self.path] * len(others) == paths
        values = [exact(n._net._state.values()) for n in (self, *others)]
        assert values[1:] == values[:1] * len(others)
        if got[2] is not None:
            raise got[2]
        return got[1]

    monkeypatch.setattr(CompiledModel, "__call__", call)


def through_llvm(net):
    """The same network with the host that machines without a C compiler have."""
    [code] = net.codes
    native = build_with_llvm(code.native.program, code.library.objects(), code.target)
    code = dataclasses.replace(code, native=native)
    made = CompiledModel(
        *(net.host_source, [code], net.weights, net.stages, net.graph, net.outputs),
        net._aliases,
    )
    assert made.host == "native"
    return made


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
        value = value.detach().resolve_neg().resolve_conj().numpy()
    if isinstance(value, np.ndarray):
        return kind, value.dtype.str, value.shape, value.tobytes()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return kind, [(exact(k), exact(v)) for k, v in value.items()]
    if isinstance(value, tuple | list):
        return kind, [exact(v) for v in value]
    return kind, repr(value)
