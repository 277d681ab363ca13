"""Inputs that `forward` writes to: the caller's tensor is what eager leaves it.

Each program runs on inputs that take both sides of its decisions: eager, the
interpreter on each level, both hosts (`conftest`), and the network saved and loaded.
Results and what the inputs hold afterwards are compared.
"""

import copy
import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.diag.errors import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError
from dycl.tools.same import new_context

LEVELS = ("source", "normal", "typed", "hcfg", "host")


@pytest.fixture(autouse=True)
def _gradients():
    """Some models of other tests switch them off."""
    with torch.enable_grad():
        yield


class Net(nn.Module):
    """A model whose forward is a function of `self` and its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(4, 4)
        self.calls = 0
        self.last = torch.zeros(3, 4)
        self.first = None

    def forward(self, x):
        return self.function(self, x)


class Two(Net):
    def forward(self, x, y):
        return self.function(self, x, y)


def whole(self, x):
    x += 1
    return self.linear(x)


def in_place_function(self, x):
    y = F.relu(x, inplace=True)
    return y, x


def parts(self, x):
    x[:, 0] = 0
    x[1] *= 2
    return x.sum()


def through_views(self, x):
    rows = x[:, 1:3]
    rows.mul_(2)
    x.t()[0].add_(1)
    for row in x.unbind(0):
        row.sub_(row.max())
    return rows


def by_a_mask(self, x):
    x.masked_fill_(x > 0, -1.0)
    x[x < -2] = -2
    return x.mean()


def on_one_side(self, x):
    if x.sum() > 0:
        x.clamp_(max=0.5)
    return self.linear(x)


def one_part_on_each_side(self, x):
    if x[0, 0] > 0:
        x[0] = 1
        if x[1, 1] > 0:
            return x * 3
    else:
        x[:, 2].neg_()
    return x.sum()


def after_an_early_exit(self, x):
    y = self.linear(x)
    if x.sum() > 0:
        return y
    x.add_(y.detach())
    return y * 2


def in_a_loop(self, x):
    count = 0
    while x.sum() < 10:
        x += 1
        count += 1
    return count


def a_part_in_a_loop(self, x):
    k = 0
    while k < 3 and x[k, 0] > 0:
        x[k] = x[k] * 2
        k += 1
    return x.sum()


def old_and_new(self, x):
    old = x.clone()
    x.mul_(2)
    return old, x, x.view(-1)[1:3]


def through_reshape(self, x):
    x.reshape(-1)[::2] = 5
    return x * 1


def may_raise(self, x):
    if x.sum() > 0:
        x[0] = 9
        y = self.linear(x)
        if x.max() > 9.5:
            raise ValueError("too large")
        return y
    return x


def with_state(self, x):
    self.calls += 1
    before = self.last * 1
    self.last = x.clone()
    x.sub_(before)
    if x.sum() > 0:
        x[:, self.calls % 4] = 0
    return x.sum()


def state_of_two_kinds(self, x):
    if self.first is not None:
        x.add_(self.first)
    self.first = x * 0.5
    if x.sum() > 0:
        x.relu_()
    return x.sum()


ONE = [
    *(whole, in_place_function, parts, through_views, by_a_mask, on_one_side),
    *(one_part_on_each_side, after_an_early_exit, in_a_loop, a_part_in_a_loop),
    *(old_and_new, through_reshape, may_raise, with_state),
    state_of_two_kinds,
]
NEED_CONTIGUOUS = {old_and_new, through_reshape}


def rows(count=24, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    found = torch.randn(count, 3, 4, generator=generator)
    found[0], found[1] = found[0].abs() / 9, -found[1].abs()
    return [
        (x * (1, 4, 0.2)[i % 3] + (0.5, -0.5)[i % 2]).to(dtype)
        for i, x in enumerate(found)
    ]


def outcome(function, *inputs):
    try:
        with torch.no_grad():
            return function(*inputs)
    except InputError:
        raise
    except ValueError as error:
        return str(error)


def assert_same(actual, expected):
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
    elif isinstance(expected, tuple):
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    else:
        assert actual == expected


def check(model, calls, tmp_path):
    """Each call, on copies: what it gives, and what its inputs are afterwards."""
    eager = copy.deepcopy(model)
    net = dycl.compile(model, copy.deepcopy(calls[0]))
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    machines = {
        level: Interpreter(
            Parser(new_context(), net.stages[level]).parse_module(), net.weights
        )
        for level in LEVELS
    }
    states = dict.fromkeys(machines, None)
    taken = set()
    for inputs in calls:
        wanted = copy.deepcopy(inputs)
        expected = outcome(eager, *wanted)
        for run in (net, loaded):
            given = copy.deepcopy(inputs)
            assert_same(outcome(run, *given), expected)
            assert_same(given, inputs if isinstance(expected, str) else wanted)
        taken.update((d.line, d.taken) for d in net.path)
        if isinstance(expected, str):
            continue
        for level, machine in machines.items():
            given = copy.deepcopy(inputs)
            result = machine.run(given, state=states[level])
            states[level] = result.state
            assert_same(result.value, expected)
            assert_same(given, wanted)
    assert all((line, not side) in taken for line, side in taken), "one side only"


@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_the_input_is_what_eager_leaves(function, tmp_path):
    torch.manual_seed(0)
    check(Net(function).eval(), [(x,) for x in rows()], tmp_path)


@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_an_input_with_strides(function, tmp_path):
    """What is around a strided input stays as it is."""
    torch.manual_seed(0)
    model = Net(function).eval()
    net = dycl.compile(model, (torch.ones(3, 4),))
    for x in rows():
        for make in (every_second, transposed):
            wanted, given = make(x), make(x)
            if function in NEED_CONTIGUOUS:
                with pytest.raises(InputError, match="is not contiguous"):
                    net(given[1])
                assert_same(given, wanted)
                continue
            expected = outcome(model, wanted[1])
            assert_same(outcome(net, given[1]), expected)
            if not isinstance(expected, str):
                assert_same(given, wanted)


def every_second(x):
    base = torch.full((3, 8), 7.0)
    base[:, ::2] = x
    return base, base[:, ::2]


def transposed(x):
    base = x.t().contiguous()
    return base, base.t()


def add_or_store(self, x):
    if x.sum() > 3:
        x[0] = 1
    else:
        x.add_(x)
    return x + 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.int32], ids=str)
def test_dtypes(dtype, tmp_path):
    check(Net(add_or_store).eval(), [(x,) for x in rows(dtype=dtype)], tmp_path)


def mask_and_choose(self, x):
    x.logical_not_()
    if x.any():
        x[0] = True
    return x.all()


def test_bools(tmp_path):
    cases = [(x > 0,) for x in rows()]
    check(Net(mask_and_choose).eval(), [*cases, (torch.ones(3, 4) > 0,)], tmp_path)


def exchange(self, x, y):
    old = x.clone()
    x.copy_(y)
    if old.sum() > 0:
        y.copy_(old)
    return old


def one_of_two(self, x, y):
    y.add_(x)
    return y.sum() + x.sum()


@pytest.mark.parametrize("function", [exchange, one_of_two], ids=lambda f: f.__name__)
def test_two_inputs(function, tmp_path):
    pairs = list(zip(rows(), reversed(rows()), strict=True))
    check(Two(function).eval(), pairs, tmp_path)


def test_inputs_that_share_memory_are_refused():
    net = dycl.compile(Two(one_of_two).eval(), (torch.ones(3, 4), torch.ones(3, 4)))
    base = torch.ones(4, 8)
    words = "writes to the input `y`, which shares memory with the input `x`"
    for x, y in ((base[:3, :4],) * 2, (base[:3, :4], base[1:, 3:7])):
        with pytest.raises(InputError, match=re.escape(words)):
            net(x, y)
    assert base.eq(1).all()
    net(base[:3, ::2], base[:3, 1::2])
    assert base[:3].tolist() == [[1, 2] * 4] * 3


def test_what_cannot_be_written_to_is_refused():
    net = dycl.compile(Net(whole).eval(), (torch.ones(3, 4),))
    frozen = np.ones((3, 4), np.float32)
    frozen.flags.writeable = False
    with torch.inference_mode():
        inferred = torch.ones(3, 4)
    cases = {
        "is read-only": frozen,
        "is a leaf that requires grad": torch.ones(3, 4, requires_grad=True),
        "has several elements in one place": torch.ones(1, 4).expand(3, 4),
        "was created in inference mode": inferred,
    }
    for words, x in cases.items():
        with pytest.raises(InputError, match=words):
            net(x)
        assert bool((x == 1).all())


def test_gradients_see_the_write():
    """As eager: under `no_grad` a leaf is written, and its version counted."""
    net = dycl.compile(Net(whole).eval(), (torch.ones(3, 4),))
    x = torch.ones(3, 4, requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        net(x)
    assert x.eq(2).all()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_arrays_are_written():
    model = Net(parts).eval()
    net = dycl.compile(model, (torch.ones(3, 4),))
    for make in (np.ones, lambda s, t: np.ones((4, 3), t).T):
        x = make((3, 4), np.float32)
        wanted = torch.ones(3, 4)
        expected = model(wanted)
        assert net(x) == pytest.approx(expected.item())
        np.testing.assert_array_equal(x, wanted.numpy())
    swapped = np.ones((3, 4), ">f4")
    net(x=swapped)
    np.testing.assert_array_equal(swapped, wanted.numpy())


def replaced(self, x):
    x.t_()  # refused
    return x * 1


def chosen(self, x):
    y = x if x.sum() > 0 else x * 2
    y += 1  # refused
    return y


@pytest.mark.parametrize("function", [replaced, chosen], ids=lambda f: f.__name__)
def test_refused(function):
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(Net(function).eval(), (torch.ones(4, 4),))
    (error,) = caught.value.errors
    assert "an input of the network" in error.what
    assert "# refused" in str(error)
