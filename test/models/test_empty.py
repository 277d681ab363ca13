"""Tensors without elements: eager, interpreted and compiled agree, on both hosts."""

import importlib.util
from pathlib import Path

import pytest
import torch

import dycl
from dycl.tools.same import value_difference

_path = Path(__file__).parent / "programs" / "empty.py"
_spec = importlib.util.spec_from_file_location("dycl_test_programs_empty", _path)
empty = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(empty)


def inputs():
    generator = torch.Generator().manual_seed(0)
    found = [torch.randn(1, 4, generator=generator) for _ in range(6)]
    signs = torch.cartesian_prod(*[torch.tensor([1.0, -1.0])] * 4)
    return [*found, *(found[0].abs() * row for row in signs)]


def compare(model, inputs):
    """Compile, and compare all results; gives the ways that decisions went."""
    net = dycl.compile(model, (inputs[0],), verify=True)
    taken = set()
    for x in inputs:
        with torch.no_grad():
            wanted = model(x)
        assert value_difference(wanted, net(x), 1e-5) is None
        taken |= {(d.name, d.taken) for d in net.path}
    return net, taken


@pytest.mark.parametrize("function", empty.PROGRAMS, ids=lambda f: f.__name__)
def test_empty(function):
    torch.manual_seed(0)
    net, taken = compare(empty.Empty(function).eval(), inputs())
    settled = {"shaped": 1}.get(function.__name__, 0)  # `any` of nothing
    assert len(taken) == 2 * len(net.decisions) - settled
    assert len(net.decisions) > 0


@pytest.mark.parametrize("shape", [(0, 4), (1, 0), (2, 0, 4)], ids=str)
def test_inputs_without_elements(shape):
    class Net(torch.nn.Module):
        def forward(self, x):
            y = x.tanh() + 1
            if y.sum() > 0.5:
                return x
            return (
                y,
                torch.cat([y, x]),
                y.sum(-1),
                y.flatten(),
                x.t() if x.ndim < 3 else x,
            )

    compare(Net().eval(), [torch.zeros(shape)])


def test_the_largest_of_nothing():
    """A path on which eager raises, whatever the elements are."""
    model = empty.Empty(empty.largest).eval()
    net = dycl.compile(model, (torch.ones(1, 4),))
    torch.testing.assert_close(net(-torch.ones(1, 4)), model(-torch.ones(1, 4)))
    for run in (model, net):
        with pytest.raises(RuntimeError, match="max.*Expected reduction dim"):
            run(torch.ones(1, 4))
    assert [d.taken for d in net.path] == [True]


PARTS_OF_NONE = {
    "tile": lambda x: x.tile(2, 0),
    "sums of a tile": lambda x: x.tile(2, 0).sum(1),
    "group norm": lambda x: torch.nn.functional.group_norm(x[:, :, None][..., :0], 2),
}


@pytest.mark.parametrize("name", PARTS_OF_NONE)
def test_views_of_no_elements_with_a_dynamic_size(name):
    class Net(torch.nn.Module):
        def forward(self, x):
            y = PARTS_OF_NONE[name](x)
            if x.sum() > 0.5:
                return y
            return torch.cat([y, y])

    rows = torch.export.Dim("rows", min=0, max=5)
    x, model = torch.ones(2, 4), Net().eval()
    net = dycl.compile(model, (x,), dynamic_shapes=[{0: rows}], verify=True)
    taken = set()
    for given in (x, -x, torch.ones(5, 4), -torch.ones(1, 4), torch.ones(0, 4)):
        assert value_difference(model(given), net(given), 1e-5) is None
        taken |= {d.taken for d in net.path}
    assert taken == {True, False}
