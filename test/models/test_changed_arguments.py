"""Lists and dicts of the caller's that `forward` changes: filled as eager leaves them.

Eager, the interpreter on each level, both hosts (`conftest`), and the network saved and
loaded. Items that are arguments stay the caller's own objects.
"""

import copy

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError
from dycl.tools.same import new_context

X = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])


class Changes(nn.Module):
    """Each kind of change, on paths that the data chooses."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 3)

    def forward(self, xs, table, more):
        x = xs[0]
        more["pair"][0].append(x)
        while more["grown"][-1].sum() < 20:
            more["grown"].append(more["grown"][-1] + x.abs())
        if x.sum() > 0:
            xs[0] = table.pop("w") * 2
            xs += [x, self.last]
        else:
            table["n"] += 1
            table["y"] = [xs[1], x - 1]
            xs[1].mul_(2)
            xs.reverse()
        if x.min() < -5:
            raise ValueError("too small")
        self.last = x * 1
        return xs[-1] + more["pair"][0][0]


class Same(nn.Module):
    """A chosen item, in a list that is returned too; what is only read stays."""

    def forward(self, xs, ys, n: int):
        xs[n] = ys[n]
        return xs, ys


def arguments(x):
    more = {"pair": ([x * 3], x), "grown": [x.abs()]}
    return ([x, x + 1], {"w": x * 5, "n": 3}, more)


CASES = {
    "changes": (
        Changes,
        [arguments(x) for x in (X, -X, X * 0.1, -X * 9, X * 2)],
        {
            "xs": lambda xs, table, more: xs,
            "table": lambda xs, table, more: table,
            "more['pair'][0]": lambda xs, table, more: more["pair"][0],
            "more['grown']": lambda xs, table, more: more["grown"],
        },
    ),
    "same": (
        Same,
        [([X, X + 1], [X * 2, X * 3], n) for n in (0, 1, -1, 5)],
        {"xs": lambda xs, ys, n: xs},
    ),
}


def assert_same(actual, expected):
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(torch.as_tensor(actual), expected)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        assert_same(list(actual.values()), list(expected.values()))
    elif isinstance(expected, tuple | list):
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    else:
        assert actual == expected


def outcome(function, *args):
    try:
        with torch.no_grad():
            return function(*args)
    except (ValueError, IndexError) as error:
        return str(error)


@pytest.mark.parametrize("name", CASES)
def test_filled_as_eager_does(name, tmp_path):
    make, calls, changed = CASES[name]
    net = dycl.compile(make().eval(), copy.deepcopy(calls[0]), verify=True)
    eager = make().eval()
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    in_python = dycl.load(tmp_path / "net.dycl", host="python")
    machines = {
        level: Interpreter(Parser(new_context(), text).parse_module(), net.weights)
        for level, text in net.stages.items()
    }
    states = dict.fromkeys(machines, None)
    taken, raised = set(), []
    for args in calls:
        wanted = copy.deepcopy(args)
        expected = outcome(eager, *wanted)
        if isinstance(expected, str):  # a run that raises leaves all as it is
            raised.append(expected)
            wanted = args
        for run in (net, loaded, in_python):
            given = copy.deepcopy(args)
            assert_same(outcome(run, *given), expected)
            assert_same(given, wanted)
        taken.update((d.line, d.taken) for d in net.path)
        if isinstance(expected, str):
            continue
        for level, machine in machines.items():
            flat = net.signature.inputs(copy.deepcopy(args), {})
            result = machine.run(list(flat), state=states[level])
            states[level] = result.state
            assert_same(result.value, expected)
            assert list(result.refilled) == ([] if level == "source" else [*changed])
            for where, held in result.refilled.items():
                assert_same(held, changed[where](*wanted))
    assert all((line, not side) in taken for line, side in taken), "one side only"
    assert len(raised) == 1


def test_items_stay_the_callers_objects():
    net = dycl.compile(Changes().eval(), arguments(X))
    xs, table, more = arguments(-X)
    first, second, own, pair = *xs, more["pair"][0], more["pair"][0][0]
    net(xs, table, more)
    assert xs[0] is second
    assert xs[1] is first
    assert table["y"][0] is second
    assert more["pair"][0] is own
    assert own[0] is pair
    assert own[1] is first
    shared = [X * 2]
    call = ([X, X * 1], {"w": X, "n": 3}, {"pair": (shared, X), "grown": shared})
    with pytest.raises(InputError, match="which was given as `more.'grown'.` too"):
        net(*call)


def test_arrays_come_back_to_a_caller_with_arrays():
    net = dycl.compile(Same().eval(), ([X, X], [X, X], 0))
    xs = [X.numpy(), X.numpy()]
    net(xs, [X.numpy() * 2, X.numpy()], 0)
    assert type(xs[0]) is type(X.numpy())
    assert xs[0].tolist() == (X * 2).tolist()
