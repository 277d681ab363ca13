"""The CUDA backend shows its kernels, and says what it cannot do."""

from itertools import product

import pytest
import torch

import dycl
from dycl.diag import CompileError
from dycl.kernels.cuda import CudaBackend
from dycl.kernels.cuda.ptx import Ptx, _with_tables
from dycl.kernels.cuda.tile.index import Atom, Index, flat, of, reshaped, unflat
from dycl.kernels.cuda.tile.program import Buffer, Function
from dycl.kernels.cuda.tile.sizes import at_most, bounds, computed, parted, symbol
from dycl.schedules.cuda_model import Launch


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


def test_the_second_of_twelve_parameters_may_be_a_table() -> None:
    buffers = [Buffer(f"x{n}", (4,), "f32") for n in range(12)]
    buffers[1] = Buffer("c0", (1,), "i32", table=bytes(4))
    function = Function("k", tuple(buffers), 1, (), (), 1, Launch(), ())
    head = ",\n".join(f"\t.param .u64 .ptr .global k_param_{n}" for n in range(12))
    loads = "".join(f"\tld.param.b64 %rd{n}, [k_param_{n}];\n" for n in range(12))
    given = f".visible .entry k(\n{head}\n)\n{{\n{loads}}}\n"
    text = _with_tables(Ptx(given, "k", 0, 4), function)
    assert "mov.b64 %rd1, c0;" in text
    assert "[k_param_10]" in text
    assert "[k_param_1]" not in text


def test_sizes_of_a_run_are_divided_as_far_as_they_surely_are() -> None:
    n, m = symbol("dim", 0, 0), symbol("dim", 0, 1)
    assert parted(n * m * 4 + m * 2, m) == (n * 4 + 2, 0)
    assert parted(n * 6 + 7, 3) == (n * 2 + 2, 1)
    assert parted(n + 1, m) == (0, n + 1)
    assert (n + m) * (n - m) == n * n - m * m
    assert at_most(n, n + m)
    assert not at_most(n, m)
    assert bounds(n * 2 + 3)[0] == 3
    assert computed("max", n, -1) == n
    assert computed("min", n, m) != n
    assert computed("select", computed("lt", n, 0), m, n) == n


def test_an_index_goes_through_a_reshape_of_sizes_of_a_run() -> None:
    n, m = symbol("dim", 0, 0), symbol("dim", 0, 1)
    own = tuple(of(Atom(f"d{i}", size)) for i, size in enumerate((n, m, 4)))
    there = reshaped(own, (n, m, 4), (n * m, 4), ((2, 1), (1, 1)))
    assert [index.top for index in there] == [n * m, 4]
    assert reshaped(there, (n * m, 4), (n, m, 4), ((1, 2), (1, 1))) == own
