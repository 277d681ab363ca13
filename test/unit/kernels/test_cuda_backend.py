"""The CUDA backend shows its kernels, and says what it cannot do."""

from itertools import product

import pytest
import torch

import dycl
from dycl.diag import CompileError
from dycl.kernels.cuda import CudaBackend
from dycl.kernels.cuda.tile.index import Atom, Index, flat, of, reshaped, unflat


@pytest.mark.parametrize(
    ("shape", "other"),
    [((2, 3, 4), (6, 4)), ((6, 4), (2, 3, 4)), ((4, 6), (8, 3)), ((3,), (1, 3, 1))],
)
def test_an_index_goes_through_a_reshape_and_back(shape, other) -> None:
    own = tuple(of(Atom(f"d{i}", n)) for i, n in enumerate(shape))
    there = reshaped(own, shape, other)
    for point in product(*map(range, shape)):
        by = {
            Atom(f"d{i}", n): Index((), p)
            for i, (n, p) in enumerate(zip(shape, point, strict=True))
        }
        number = 0
        for size, p in zip(shape, point, strict=True):
            number = number * size + p
        found = [i.replaced(by).constant for i in there]
        total = 0
        for size, p in zip(other, found, strict=True):
            assert 0 <= p < size
            total = total * size + p
        assert total == number
    back = reshaped(there, other, shape)
    assert dict(flat(back, shape).terms) == dict(flat(own, shape).terms)


def test_what_is_split_and_joined_is_what_it_was() -> None:
    number = of(Atom("i", 60))
    assert unflat(flat(unflat(number, (3, 4, 5)), (3, 4, 5)), (3, 4, 5)) == unflat(
        number, (3, 4, 5)
    )
    row, column = of(Atom("r", 12)), of(Atom("c", 5))
    assert (row * 5 + column).split(5) == (row, column)


class Exits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        y = torch.relu(self.conv(x)).mean((2, 3))
        z = self.head(y)
        if z.softmax(-1).max() > 0.3:
            return z
        return self.head(y + 1)


@pytest.fixture(scope="module")
def net():
    return dycl.compile(Exits().eval(), (torch.randn(1, 3, 9, 9),), backend="cuda")


def test_every_function_says_which_lines_it_computes(net) -> None:
    stages = net.kernel_stages
    assert list(stages) == ["torch", "linalg", "graph", "tile", "ptx"]
    functions = stages["tile"].split("@triton.jit\ndef forward")
    assert len(functions) > 2
    for before in functions[:-1]:
        places = before.rstrip().splitlines()[-3]
        assert places.startswith("# ")
        assert "test_cuda_backend.py:" in places


def test_a_second_compilation_gives_the_same_text(net) -> None:
    text = net.kernel_stages["torch"]
    once, again = (CudaBackend(cache=False).compile(text).stages() for _ in "ab")
    assert once["tile"] == again["tile"]


def test_a_network_for_a_gpu_is_not_run_here(net) -> None:
    with pytest.raises(CompileError, match="for a GPU") as caught:
        net(torch.randn(1, 3, 9, 9))
    assert caught.value.code == "DY505"


class Scales(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        return y * torch.tensor([1.0, 0.5, 0.1], dtype=torch.bfloat16)


def test_an_op_without_a_template_is_refused_at_its_line() -> None:
    with pytest.raises(CompileError) as caught:
        dycl.compile(Scales().eval(), (torch.randn(2, 3),), backend="cuda")
    assert "no template for CUDA" in str(caught.value)
    assert "return y * torch.tensor" in str(caught.value)


def test_ptx_is_for_drivers_from_cuda_12_on(net) -> None:
    pytest.importorskip("triton")
    text = net.kernel_stages["ptx"]
    heads = [line for line in text.splitlines() if line.startswith((".ver", ".target"))]
    assert set(heads) == {".version 8.0", ".target sm_80", ".target sm_90a"}
    assert "fma.rn.f32" not in text.split("mma.sync")[0], "nobody has asked for that"
