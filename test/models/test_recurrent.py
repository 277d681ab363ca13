"""Recurrent cells and layers equal eager, each as kernels that are fused."""

import importlib.util
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import dycl


def _module(name, path):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


_here = Path(__file__).parent
programs = _module("dycl_test_programs_recurrent", _here / "programs" / "recurrent.py")
check = _module("dycl_test_programs", _here / "test_programs.py").check


def both_signs(*shape):
    """Inputs with sums above and below zero."""
    x = torch.randn(4, *shape)
    return [(x[0].abs(),), (-x[1].abs(),), (x[2],), (-x[2],)]


@pytest.fixture(autouse=True)
def _quiet():
    torch.manual_seed(0)
    with warnings.catch_warnings():
        # torch's own, about a projection that its fast kernel lacks.
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", programs.CELLS)
@pytest.mark.parametrize("shape", [(3, 6), (6,)], ids=["batch", "row"])
def test_cells(name, shape):
    check(programs.cell(name).eval(), both_signs(*shape))


@pytest.mark.parametrize("name", programs.LAYERS)
def test_layers(name):
    check(programs.layer(name).eval(), both_signs(3, 2, 6))


def test_a_layer_of_a_sequence_without_batch():
    check(programs.layer("LSTM").eval(), both_signs(4, 6))


def test_cells_as_functions():
    check(programs.Functions().eval(), both_signs(3, 6))


def test_a_loop_carries_the_state_of_a_layer():
    inputs = [(x,) for x in torch.randn(40, 1, 2, 6) * 2]
    check(programs.StateInLoop().eval(), inputs)


def test_a_branch_leaves_the_state_of_a_layer():
    check(programs.StateInBranch().eval(), [(x,) for x in torch.randn(20, 4, 2, 6)])


def test_a_stack_of_cells_with_an_exit():
    torch.manual_seed(1)
    net = programs.TwoCells().eval()
    offsets = torch.randn(60, 3, 1, 1)
    check(net, [(torch.randn(3, 2, 6) + offset,) for offset in offsets])


def test_a_cell_is_one_kernel_without_plain_contractions():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(32, 32)

        def forward(self, x, h, c):
            return self.cell(x, (h, c))

    net = dycl.compile(Cell().eval(), tuple(torch.randn(1, 32) for _ in range(3)))
    assert len(net.library.specs) == 1
    assert net.library.plain == ()
