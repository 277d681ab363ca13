"""Tensors on a GPU as inputs and results, by DLPack, without a copy over the CPU."""

import ctypes
import gc
import struct

import numpy as np
import pytest
import torch
from segment_models import Prints
from test_networks import Counts, Exits, inputs_of_exits, same

import dycl
from dycl.runtime import InputError

pytest.importorskip("triton")

BASE = 0x7000_0000_0000
FORM = "<QiiiBBHQQQQQ"
"""DLManagedTensor of dlpack.h: data, device, rank, dtype, sizes, strides, offset."""
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = ctypes.py_object, ctypes.c_char_p


class Exporter:
    """A tensor of another library on a device."""

    def __init__(self, gpu, array, skip=0, device=(2, 0), strides=None, kind=(2, 32)):
        self.gpu, self.array, self.device, self.skip = gpu, array, device, skip
        self.kind, self.streams = kind, []
        self.address = gpu.memory.allocate(array.nbytes + skip)
        gpu.live[self.address] = array.nbytes + skip
        start = self.address - BASE + skip
        gpu.memory.bytes[start : start + array.nbytes] = array.reshape(-1).view("u1")
        gpu.memory.is_written[start : start + array.nbytes] = True
        self.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (
            None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        )

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        at = [ctypes.addressof(self.sizes)]
        at.append(0 if self.strides is None else ctypes.addressof(self.strides))
        head = self.address, *self.device, self.array.ndim, *self.kind, 1
        self.tensor = ctypes.create_string_buffer(
            struct.pack(FORM, *head, *at, self.skip, 0, 0)
        )
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


@pytest.fixture(params=[(8, 0), (10, 0)], ids=["host", "graph"])
def gpu(graph_gpu, request):
    graph_gpu.capability = request.param
    return graph_gpu


@pytest.fixture
def net(gpu):
    torch.manual_seed(0)
    model = Exits().eval()
    return dycl.compile(model, (inputs_of_exits()[0],), backend="cuda"), model


def found_in(gpu, result):
    """What is in the memory that a result hands over."""
    assert result.__dlpack_device__() == (2, 0)
    capsule = result.__dlpack__(stream=7)
    fields = struct.unpack(FORM, ctypes.string_at(pointer_of(capsule, b"dltensor"), 64))
    data, kind, number, rank, *element = fields[:7]
    assert (kind, number, element) == (2, 0, [2, 32, 1])
    shape = ctypes.cast(fields[7], ctypes.POINTER(ctypes.c_int64))[:rank]
    start, size = data - BASE + fields[9], 4 * int(np.prod(shape))
    assert gpu.memory.is_written[start : start + size].all()
    values = gpu.memory.bytes[start : start + size].view("f4").reshape(shape).copy()
    same(torch.from_numpy(np.asarray(result)), torch.from_numpy(values))
    return torch.from_numpy(values)


@pytest.mark.parametrize("skip", [0, 16, 4], ids=["whole", "part", "not aligned"])
def test_what_is_lent_is_read_where_it_is(gpu, net, skip):
    compiled, model = net
    for x in inputs_of_exits():
        lent = Exporter(gpu, x.numpy(), skip)
        results = compiled(lent)
        assert set(lent.streams) <= gpu.streams, "it is ready for the network's stream"
        assert lent.streams
        for result, expected in zip(results, model(x), strict=True):
            same(found_in(gpu, result), expected)
        before = compiled.path
        assert isinstance(compiled(x)[0], torch.Tensor)
        assert compiled.path == before
        gpu.live.pop(lent.address)


def test_results_are_the_callers_own(gpu, net):
    compiled, model = net
    one, other = inputs_of_exits()[:2]
    result = compiled(Exporter(gpu, one.numpy()))[0]
    compiled(Exporter(gpu, other.numpy()))
    same(found_in(gpu, result), model(one)[0])
    before = len(gpu.live)
    capsule = result.__dlpack__()
    del result
    gc.collect()
    assert len(gpu.live) == before, "whoever has the capsule has the memory"
    del capsule
    gc.collect()
    assert len(gpu.live) == before - 1


@pytest.mark.parametrize(
    ("changes", "says"),
    {
        "device": (
            {"device": (2, 1)},
            "is on device cuda:1, and the network on cuda:0",
        ),
        "maker": ({"device": (10, 0)}, "is on device a GPU of AMD's"),
        "strides": ({"strides": (1, 2)}, "is not contiguous"),
        "dtype": ({"kind": (0, 32)}, "has another dtype"),
    }.values(),
)
def test_what_does_not_fit_is_a_sentence(gpu, net, changes, says):
    lent = Exporter(gpu, inputs_of_exits()[0].numpy(), **changes)
    with pytest.raises(InputError, match=f"the input `x` {says}.*float32"):
        net[0](lent)
    with pytest.raises(InputError, match=r"has shape \[2, 6\]"):
        net[0](Exporter(gpu, np.ones((2, 6), "f4")))
    x = inputs_of_exits()[0]
    same(net[0](x), net[1](x))


def test_networks_that_run_elsewhere_say_where_to_move_it(gpu):
    x = Exporter(gpu, np.ones((1, 6), "f4"))
    ours = dycl.compile(Exits().eval(), (inputs_of_exits()[0],), host="python")
    with pytest.raises(InputError, match=r"cuda:0; move it with \.cpu\(\)"):
        ours(x)
    kept = dycl.compile(Counts().eval(), (torch.ones(3),), backend="cuda")
    with pytest.raises(InputError, match=r"cuda:0; move it with \.cpu\(\)"):
        kept(Exporter(gpu, np.ones(3, "f4")))


def test_segments_take_what_is_lent(gpu, capsys):
    model = Prints().eval()
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    net = dycl.compile(model, (x, 0.25), backend="cuda")
    for rate in (0.25, 9.0):
        y, n = net(Exporter(gpu, x.numpy()), rate)
        expected = model(x, rate)
        same(found_in(gpu, y), expected[0])
        assert n == pytest.approx(expected[1])


class Tensor(Exporter):
    """What a tensor of torch's on a GPU is to a network."""

    requires_grad, dtype = False, torch.float32

    def numpy(self):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


Tensor.__module__ = "torch"


def test_for_tensors_of_torch_results_are_tensors(gpu, net, monkeypatch):
    taken = []
    monkeypatch.setattr(torch, "from_dlpack", lambda one: taken.append(one) or "tensor")
    x = inputs_of_exits()[0]
    assert net[0](Tensor(gpu, x.numpy())) == ("tensor", "tensor")
    for result, expected in zip(taken, net[1](x), strict=True):
        same(found_in(gpu, result), expected)
