"""A store at an index that is one of several results of a call."""

import pytest
import torch
from torch import nn

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context


class Slots(nn.Module):
    """A memory whose nearest slot moves towards the input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("slots", torch.zeros(4, 5))

    def forward(self, x):
        near, slot = (self.slots * x).sum(-1).max(0)
        self.slots[slot] = 0.5 * self.slots[slot] + 0.5 * x
        return near, self.slots.sum(0)


def unpacked(x):
    column, where = x.max(-1)
    _, row = column.max(0)
    y = x.clone()
    y[row, 1:] = 0.0
    y[row] += 1
    y[row, : row + 1] = -1
    y[0, where[0]] *= 2
    return y


def by_name_and_number(x):
    top = x.topk(2, 0)
    y = x.clone()
    y[top.indices[0, 0], top[1][1, 1]] = 7.0
    y[top[1][1, 0]] = top.values[0]
    return y


def one_tuple_of_two(x):
    _, row = x[:, 0].max(0)
    place = (row, x.topk(2, 0).indices[0, 2])
    y = x.clone()
    y[place] = 9.0
    return y


def sorted_rows(x):
    values, order = torch.sort(x[:, 0])
    first, second = order.unbind()[:2]
    y = x.clone()
    y[order[0]] = values[-1]
    y[second, first] = 5
    y[first:] = y[first:] + 1
    return y


class Made(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


FUNCTIONS = (unpacked, by_name_and_number, one_tuple_of_two, sorted_rows)


def inputs():
    torch.manual_seed(0)
    for _ in range(6):
        yield torch.randn(3, 4)
    yield torch.arange(12.0).view(3, 4)
    yield torch.full((3, 4), float("nan"))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_part_of_a_result_is_an_index(function):
    net = dycl.compile(Made(function).eval(), (torch.randn(3, 4),))
    text = net.stages["typed"]
    machine = Interpreter(parse_text(new_context(), text, "typed"), {})
    for x in inputs():
        wanted = function(x)
        torch.testing.assert_close(net(x), wanted, rtol=0, atol=0, equal_nan=True)
        found = machine.run([x.clone()]).value
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


class StoresNothing(nn.Module):
    def forward(self, x):
        y, z = x * 2, x.clone()
        y[:0].add_(3)
        y[3:3, :2] -= 1
        z[:2, 1:1] = x[:2, 2:2]
        return (y + 1 if x.sum() > 0 else y), z


def test_a_part_of_no_elements_is_stored_whatever_the_sizes_are():
    n, m = (torch.export.Dim(name, min=0, max=9) for name in "nm")
    model = StoresNothing().eval()
    net = dycl.compile(model, (torch.ones(2, 4),), dynamic_shapes=[{0: n, 1: m}])
    taken = set()
    for shape in [(2, 4), (2, 2), (1, 1), (0, 3), (3, 0), (0, 0), (1, 7), (5, 5)]:
        for x in (torch.ones(shape), -torch.ones(shape)):
            torch.testing.assert_close(net(x), model(x))
            taken |= {d.taken for d in net.path}
    assert taken == {True, False}


def test_a_slot_of_state_is_found_and_changed():
    torch.manual_seed(0)
    net = dycl.compile(Slots().eval(), (torch.randn(5),))
    eager = Slots().eval()
    for _ in range(6):
        x = torch.randn(5)
        torch.testing.assert_close(net(x), eager(x))
