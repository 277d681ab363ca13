"""Tensors that a network keeps, beside inputs whose sizes a call decides."""

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError

N = torch.export.Dim("n", min=1, max=9)


class Copies(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(1, 4))

    def forward(self, x):
        y = torch.zeros(2, 4)
        if x.sum() > 0:
            self.last.copy_(x[:1])
            y.copy_(x)
        return self.last + 1, y


def test_a_copy_has_the_sizes_of_what_it_is_copied_to():
    x = torch.arange(8.0).view(2, 4)
    net = dycl.compile(Copies().eval(), (x,), dynamic_shapes={"x": {1: N}})
    eager, taken = Copies().eval(), set()
    for given in (-x, x, -x, x + 1):
        torch.testing.assert_close(net(given), eager(given))
        taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}
    with pytest.raises(InputError, match="`n` must be 4"):
        net(x[:, :3])


@pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_a_cell_takes_as_many_rows_as_its_state_has(cell):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = cell(4, 4)

        def forward(self, x, h):
            y = self.cell(x, (h, h) if cell is nn.LSTMCell else h)
            y = y[0] if cell is nn.LSTMCell else y
            return y * 2 if y.sum() > 0 else y

    model, x, h = Net().eval(), torch.randn(3, 4), torch.randn(1, 4)
    net = dycl.compile(model, (x[:1], h), dynamic_shapes={"x": {0: N}, "h": None})
    torch.testing.assert_close(net(x[:1], h), model(x[:1], h))
    with pytest.raises(RuntimeError, match="batch size 3 doesn't match hidden0"):
        model(x, h)
    with pytest.raises(InputError, match="`n` must be 1"):
        net(x, h)
    both = {"x": {0: N}, "h": {0: N}}
    net = dycl.compile(model, (x, x), dynamic_shapes=both)
    for rows in (1, 2, 3):
        given = x[:rows], x[:rows] * 2
        torch.testing.assert_close(net(*given), model(*given))


def test_one_size_has_to_be_one_and_another_that_of_a_tensor():
    class Net(nn.Module):
        def forward(self, x):
            y = torch.zeros(1, 4)
            y.copy_(x)
            return y if x.sum() > 0 else y * 2

    sizes = {0: torch.export.Dim("k", max=9), 1: torch.export.Dim("m", max=9)}
    net = dycl.compile(Net().eval(), (torch.ones(1, 4),), dynamic_shapes=[sizes])
    for x in (torch.ones(1, 4), -torch.ones(1, 4)):
        torch.testing.assert_close(net(x), Net()(x))
    for shape, said in (((1, 3), "`m` must be 4"), ((2, 4), "`k` must be 1")):
        with pytest.raises(InputError, match=said):
            net(torch.ones(shape))


class KeepsInLists(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = [torch.zeros(1, 4)] * 3

    def forward(self, x):
        self.last = [*self.last[1:], x]
        return self.last[0] + x if x.sum() > 0 else self.last[1]


def test_sizes_of_what_lists_keep_have_no_name_in_the_text_of_results():
    x = torch.ones(2, 4)
    net = dycl.compile(KeepsInLists().eval(), (x,), dynamic_shapes={"x": {0: N}})
    eager, taken = KeepsInLists().eval(), set()
    for given in (x, -x, x * 2, x, -x):
        torch.testing.assert_close(net(given), eager(given))
        taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}
    assert "float32[n, 4]" in repr(net)


def test_a_sort_of_the_interpreter_keeps_equal_elements_in_order():
    """Of thousands, torch's own does so only where it is asked to."""
    x = torch.randint(0, 9, (4000,)).float()
    for down in (False, True):
        net = dycl.compile(
            lambda x, down=down: x.sort(descending=down, stable=True),
            (x,),
            dynamic_shapes={"x": {0: torch.export.Dim("n", max=9000)}},
            backend="reference",
        )
        assert torch.equal(net(x)[1], x.sort(descending=down, stable=True)[1])
