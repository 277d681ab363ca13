"""A `torch.Size` keeps its class and its methods, wherever it comes from."""

import copy

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context
from tools.size_sweep.comparing import same_at_every_size

X = torch.arange(6.0).reshape(2, 3) - 1


class Held(nn.Module):
    """Sizes that the model holds."""

    def __init__(self):
        super().__init__()
        self.size = torch.Size((3, 2))
        self.sizes = {"pair": torch.Size((1, 6)), "plain": (2, 3)}

    def forward(self, x):
        if type(self.sizes["pair"]) is tuple or type(self.sizes["plain"]) is not tuple:
            return x
        if x.sum() > 0:
            x = x + self.size.numel()
        return x.view(self.size), x.new(self.sizes["pair"]).zero_()


class Chosen(nn.Module):
    """Sizes that a decision chooses."""

    def forward(self, x):
        size = x.shape[:1] if x.sum() > 0 else x[:1].size()
        return x.new(size).fill_(size.numel()), type(size) is torch.Size


class Returned(nn.Module):
    """A size that is returned as well as used."""

    def forward(self, x):
        size = x.size()
        z = x.new(size).fill_(2)
        kept = {"sizes": [size, x.shape[:1]], "plain": (2, 3)}
        return (z if x.sum() > 0 else -z), size, str(size), f"{size[1:]}", kept


class Kept(nn.Module):
    """The size of an earlier call."""

    def __init__(self):
        super().__init__()
        self.size = torch.Size((1,))

    def forward(self, x):
        y = x if type(self.size) is torch.Size else x * 2
        if x.sum() > 0:
            self.size = x.shape[:1]
        return y * self.size[0]


@pytest.mark.parametrize("kind", [Held, Chosen, Returned, Kept])
def test_equals_eager(kind):
    model = kind().eval()
    inputs = [X, -X, X, X - 5]
    expected = list(map(copy.deepcopy(model), inputs))
    net = dycl.compile(model, (X,), verify=True)
    assert {d.taken for x in inputs for d in [net(x), *net.path][1:]} == {True, False}
    net.reset_state()
    assert repr(list(map(net, inputs))) == repr(expected)
    other = net.with_python_host()
    other.reset_state()
    assert repr(list(map(other, inputs))) == repr(expected)
    source = Parser(new_context(), net.stages["source"]).parse_module()
    machine, state = Interpreter(source, net.weights), {}
    for x, want in zip(inputs, expected, strict=True):
        result = machine.run([x], state=state)
        state |= result.state
        assert repr(result.value) == repr(want)


class Maybe(nn.Module):
    """A tuple that may be a size or elements, for all that is known of it."""

    def forward(self, x):
        return x.new((x.shape[0], 4))


def test_a_tuple_with_a_size_of_the_input_is_refused():
    sizes = ({0: torch.export.Dim("n", min=2, max=9)},)
    with pytest.raises(CompileErrors, match="may be its size or its elements"):
        dycl.compile(Maybe().eval(), (X,), dynamic_shapes=sizes)


def sizes_of_a_run(x):
    z = x.shape
    if type(z) is not torch.Size or not isinstance(x.size(), torch.Size):
        return x
    kept = {"all": z, "part": [z[:1]], "known": z[1:]}
    return kept, x.t().size(), str(z), f"{z[:1]}", repr((z,)), z[::-1].numel()


def sizes_put_together(x):
    last = (3,)
    z = x.shape + last
    longer = z + last * 2 + last
    pair = (2,)
    front, twice, part = pair + x.shape, x.shape * 2, x.size()[:1] + torch.Size([2])
    grown = x.shape
    grown += (x.shape[0],)
    made = torch.Size([x.shape[0], 4]), torch.Size((*x.shape, 1))[::2]
    is_size = type(z) is torch.Size, isinstance(front, torch.Size), type(z) is tuple
    numbers = (
        longer,
        z.numel(),
        grown.numel(),
        made[0].numel(),
        twice[2] + len(part),
        z[-1],
    )
    rows, columns, _ = z
    y = x.new_zeros(part).sum() + x.unsqueeze(-1).expand(z).sum() + x.new(z).numel()
    return (
        z,
        front,
        twice,
        part,
        grown,
        made,
        is_size,
        numbers,
        rows,
        columns,
        str(z),
        y,
    )


def plain_tuples(x):
    rows, columns = x.shape
    both = (rows, columns)
    both += (1,)
    return both, type(both) is tuple, isinstance(both, torch.Size), tuple(x.shape) * 2


def sizes_of_two_sides(x):
    one, two = (1,), (2,)
    shape = x.shape + two if x.size(0) > 1 else x.shape + one
    other = x.shape * 2 if x.sum() > 3 else one + two + x.shape
    y = torch.zeros(shape)
    return y, shape, type(shape) is torch.Size, shape.numel(), other, other[-1]


@pytest.mark.parametrize("what", [sizes_put_together, plain_tuples, sizes_of_two_sides])
def test_what_is_made_of_sizes_that_a_run_decides(what):
    same_at_every_size(what, ("n", 3), (5, 0, 1, 2))


class Last(nn.Module):
    """The size of an earlier call, which was another."""

    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        last = self.last
        self.last = x.shape
        return x if last is None or last[0] < 3 else x * 2


def test_a_size_that_a_run_decides():
    same_at_every_size(sizes_of_a_run, ("n", 3), (5, 0, 1, 2))


def test_a_size_that_a_run_decides_is_kept():
    sizes = {"x": {0: dycl.Dim("n", max=9)}}
    net, eager = dycl.compile(Last().eval(), (X,), dynamic_shapes=sizes), Last().eval()
    for n in 4, 2, 0, 3, 1:
        x = torch.arange(3.0 * n).reshape(n, 3)
        assert torch.equal(net(x), eager(x))


class Sized(nn.Module):
    """Sizes of an earlier call, one from another side of a test, one in a dict."""

    def __init__(self):
        super().__init__()
        self.size, self.both = torch.Size((1,)), {"last": (torch.Size((0, 3)), None)}

    def forward(self, x):
        y = x if type(self.size) is torch.Size else x * 2
        last = self.both["last"][0]
        if x.sum() > 0:
            self.size = x.shape[:1]
        if last != x.shape:
            self.both = {"last": (x.size(), None)}
        is_size = type(last) is torch.Size
        return y * self.size[0], last.numel(), is_size, self.size, str(last)


def test_a_size_that_a_run_decides_keeps_its_class():
    sizes = {"x": {0: dycl.Dim("n", max=9)}}
    net = dycl.compile(Sized().eval(), (X,), dynamic_shapes=sizes, verify=True)
    eager, host, sides = Sized().eval(), net.with_python_host(), set()
    source = Parser(new_context(), net.stages["typed"]).parse_module()
    machine, state = Interpreter(source, net.weights), {}
    for n in 3, 0, 1, 1, 5, 2, 2:
        for x in torch.ones(n, 3), -torch.ones(n, 3):
            wanted = repr(eager(x))
            assert repr(net(x)) == repr(host(x)) == wanted
            sides |= {(d.test, d.taken) for d in net.path}
            result = machine.run([x], state=state)
            state |= result.state
            assert repr(result.value) == wanted
    assert {("x.sum() > 0", True), ("x.sum() > 0", False)} <= sides
    assert net.state["size"] == (2,)
    net.state = {"size": torch.Size((4,))}
    assert net(-torch.ones(2, 3))[3] == torch.Size((4,))


class Either(nn.Module):
    """A size after one call, a tuple after another."""

    def __init__(self):
        super().__init__()
        self.size = (1, 2)

    def forward(self, x):
        was = type(self.size) is tuple
        if x.sum() > 0:
            self.size = x.shape
        else:
            self.size = (x.size(0), x.size(1))
        return x + 1 if was else x - 1


@pytest.mark.parametrize("sizes", [None, {"x": {0: dycl.Dim("n", max=9)}}])
def test_a_size_or_a_tuple_is_not_kept(sizes):
    with pytest.raises(CompileErrors, match="may be a `torch.Size` after one call and"):
        dycl.compile(Either().eval(), (X,), dynamic_shapes=sizes)
