"""What an engine is told, and when: addresses, not copies, and weights once.

Hosts in C reach all engines through one function.
"""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.kernels.engines.library import ModuleKernel
from dycl.runtime.engines import sessions
from dycl.runtime.engines.kernels import EngineKernel

SIZE = 256


class Two(nn.Module):
    """Two kernels with weights, one for each side of a decision."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE)

    def forward(self, x):
        if x.sum() > 0:
            return self.first(x).relu()
        return self.second(x).tanh()


@pytest.fixture(params=["onnxruntime", "openvino"])
def engine(request) -> str:
    """An engine that is installed."""
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture
def told(engine, monkeypatch):
    """What the engine is told: the sessions that are made, with the sizes of what each
    call passes, and the addresses of all calls."""
    made, addresses = [], []
    owner = type(dycl.backends.class_of(engine)().engine)
    make = owner.session

    def session(self, model, inputs, outputs):
        made.append([place.shape for place in (*inputs, *outputs)])
        return make(self, model, inputs, outputs)

    monkeypatch.setattr(owner, "session", session)
    net = dycl.compile(Two().eval(), (torch.ones(1, SIZE),), backend=engine)
    kind = type(sessions.session_of(max(sessions._sessions)).call())
    store = kind.store

    def stored(self, index, address):
        addresses.append(address)
        store(self, index, address)

    monkeypatch.setattr(kind, "store", stored)
    return net, made, addresses


def with_weights(net):
    """The kernels that have weights."""
    kernels = [net.library[spec.name] for spec in net.library.specs]
    assert {type(kernel) for kernel in kernels} == {ModuleKernel}
    return [kernel for kernel in kernels if kernel.code.weights]


def test_weights_are_given_once(told) -> None:
    """To the session of a kernel: no call makes one, and none passes a weight."""
    net, made, addresses = told
    kernels = [net.library[spec.name] for spec in net.library.specs]
    assert len(with_weights(net)) == 2
    assert len(made) == len(kernels)
    assert max(np.prod(shape) for shapes in made for shape in shapes) == SIZE
    model = Two().eval()
    for x in (torch.ones(1, SIZE), -torch.ones(1, SIZE), torch.ones(1, SIZE) * 2):
        net(x)
    assert len(made) == len(kernels)
    own = {array.ctypes.data for array in net.weights.values()}
    assert addresses
    assert not own & {*addresses}
    net.load_weights(model.state_dict())
    assert len(made) <= 2 * len(kernels)
    with torch.no_grad():
        for x in (torch.ones(1, SIZE), -torch.ones(1, SIZE)):
            torch.testing.assert_close(net(x), model(x))
    assert len(made) <= 2 * len(kernels)


def test_a_file_has_the_weights_once(told, tmp_path) -> None:
    net = told[0]
    size = sum(array.nbytes for array in net.weights.values())
    net.save(tmp_path / "net.dycl")
    assert (tmp_path / "net.dycl").stat().st_size < 1.5 * size


@pytest.mark.parametrize("host", ["native", "python"])
def test_inputs_of_the_caller_are_bound_where_they_lie(told, host) -> None:
    net, _, addresses = told
    if host == "python":
        net = net.with_python_host()
    for x in (torch.ones(1, SIZE), -torch.ones(1, SIZE)):
        addresses.clear()
        net(x)
        assert x.data_ptr() in addresses


def test_what_is_bound_is_not_copied(engine) -> None:
    """The next run of a call reads what has been written since, at the same place, and
    writes to the same place."""
    model = nn.Sequential(nn.Linear(SIZE, SIZE), nn.ReLU()).eval()
    net = dycl.compile(model, (torch.ones(1, SIZE),), backend=engine)
    (kernel,) = with_weights(net)
    call = sessions.session_of(kernel.library.numbers[-1]).call()
    x, y = torch.zeros(1, SIZE), torch.zeros(1, SIZE)
    call.store(0, x.data_ptr())
    call.store(1, y.data_ptr())
    for value in (0.0, 1.0, -2.0):
        x.fill_(value)
        y.fill_(9.0)
        call()
        with torch.no_grad():
            torch.testing.assert_close(y, model(x))


def test_hosts_in_c_reach_engines_through_one_function(told, monkeypatch) -> None:
    """And not by calls from Python, nor by a function for each engine."""
    net, _, addresses = told
    text = net.native.program.source
    bodies = re.findall(r"^static int (\w+)\(.*?\)\n\{(.*?)^\}", text, re.M | re.S)
    asking = [body for _, body in bodies if "dycl_call_engine" in body]
    assert len(asking) == len(net.library.specs)
    assert all(b.rstrip().endswith("(h, session, arguments);") for b in asking)
    assert text.count("dycl_call_engine") == len(asking)
    monkeypatch.setattr(EngineKernel, "bind", None)
    assert net.host == "native"
    net(torch.ones(1, SIZE))
    assert addresses


INTERRUPTED = """
import faulthandler, gc, signal, sys
import torch
import dycl

class Gate(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1

faulthandler.enable()
given = (torch.ones(1, 4),)
one, other = (
    dycl.compile(Gate().eval(), given, backend=sys.argv[1], cache=False)
    for _ in range(2)
)
for _ in range(3):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
    one, other = other, None
    gc.collect()
"""


def test_ctrl_c_after_networks_are_gone(engine, tmp_path) -> None:
    """Signals are handled on a stack that an engine may have brought."""
    (script := tmp_path / "child.py").write_text(INTERRUPTED)
    command = [sys.executable, str(script), engine]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n" * 3), done.stderr
