"""Arguments with a structure: tensors and numbers in them are data, the rest is fixed.

Each program runs on arguments that take both sides of its decisions; eager, compiled,
loaded, and the interpreter on each level agree.
"""

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError
from dycl.tools.same import new_context

X = torch.tensor([1.0, -2.0, 3.0])


class Pair(NamedTuple):
    a: torch.Tensor
    b: float = 2.0


@dataclass
class Batch:
    x: torch.Tensor
    meta: dict = field(default_factory=dict)
    pair: Any = None

    def total(self):
        return self.x.sum()


@dataclass
class Strange:
    x: torch.Tensor

    def __post_init__(self):
        self.y = self.x


class Nested(nn.Module):
    def forward(self, x, items, batch):
        for i, (name, value) in enumerate(items.items()):
            x = x + value[0] * (i + 1) if name != "skip" else x
        if batch.total() > 0:
            x = x * batch.meta["scale"] + batch.pair.a * batch.pair.b
        return {"x": x, "first": batch.x}


class Options(nn.Module):
    def forward(self, x, mask=None, *, mode="up", negate=False, **rest):
        if mask is not None:
            x = x * mask
        x = x + 1 if mode == "up" else x - 1
        for name in rest:
            x = x + rest[name]
        if x.sum() > 0:
            return -x if negate else x
        return x * 2


class Rest(nn.Module):
    def forward(self, x, *rest, last=None):
        for one in rest:
            x = x + (one["y"] if isinstance(one, dict) else one)
        return x.clamp(min=0) if x.sum() > 0 and last is None else x


class Caches(nn.Module):
    """Keys and values as a list of tuples, as decoders take them."""

    def forward(self, x, caches, length: int):
        kept = []
        for key, value in caches:
            key = torch.cat([key, x[None]])
            value = torch.cat([value, x[None] * length])
            if key.sum() > value.sum():
                x = x + value.mean(0)
            kept.append((key, value))
        return x, kept


def function(pair, flag):
    """No module; a truth by position is data."""
    if flag:
        return pair[0] * pair[1]["k"]
    return pair[0] - 1


def batch(x, scale, b):
    return Batch(x, {"scale": scale}, Pair(x * 3, b))


def caches(x):
    return [(x.repeat(2, 1), x.repeat(2, 1) * s) for s in (2, -1)]


CASES = {
    "nested": (
        Nested,
        [
            (
                (x, {"u": (x * 2, None), "v": [x - 1]}, batch(x * s, s, 0.5 * s)),
                {},
            )
            for x, s in ((X, 1.0), (-X, 2.0))
        ],
    ),
    "ordered": (
        Nested,
        [
            ((x, OrderedDict(u=(x,), skip=(x,)), batch(x, 1.0, 1.0)), {})
            for x in (X, -X)
        ],
    ),
    "options": (
        Options,
        [((x,), {"mask": X, "mode": "down", "negate": True}) for x in (X, -X)],
    ),
    "no mask": (Options, [((x, None), {"extra": X, "n": 3}) for x in (X, -X * 9)]),
    "by name alone": (Options, [((), {"mode": "up", "x": x}) for x in (X, -X * 5)]),
    "rest": (Rest, [((x, {"y": X}, 2), {"last": None}) for x in (X, -X * 4)]),
    "caches": (
        Caches,
        [((x, caches(x), 7), {}) for x in (X, -X)],
    ),
    "function": (lambda: function, [(((X, {"k": 2}), f), {}) for f in (True, False)]),
}


def assert_same(actual, expected):
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(torch.as_tensor(actual), expected)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        assert_same(list(actual.values()), list(expected.values()))
    elif isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    else:
        assert actual == expected


def in_numpy(value):
    """The same structure with NumPy's arrays."""
    if isinstance(value, torch.Tensor):
        return value.numpy()
    if isinstance(value, Pair):
        return Pair(*map(in_numpy, value))
    if isinstance(value, Batch):
        return Batch(in_numpy(value.x), in_numpy(value.meta), in_numpy(value.pair))
    if isinstance(value, dict):
        return type(value)((k, in_numpy(v)) for k, v in value.items())
    if isinstance(value, (tuple, list)):
        return type(value)(map(in_numpy, value))
    return value


def made(make):
    found = make()
    return found.eval() if isinstance(found, nn.Module) else found


@pytest.mark.parametrize("name", CASES)
def test_structures(name, tmp_path):
    make, calls = CASES[name]
    model = made(make)
    args, kwargs = calls[0]
    net = dycl.compile(model, args, kwargs=kwargs, verify=True)
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    in_python = dycl.load(tmp_path / "net.dycl", host="python")
    assert json.loads(json.dumps(net.signature.data)) == loaded.manifest["signature"]
    modules = [
        Parser(new_context(), text).parse_module() for text in net.stages.values()
    ]
    taken = set()
    for args, kwargs in calls:
        with torch.no_grad():
            expected = model(*args, **kwargs)
        assert_same(net(*args, **kwargs), expected)
        taken |= {(d.line, d.test, d.taken) for d in net.path}
        assert_same(loaded(*in_numpy(args), **in_numpy(kwargs)), expected)
        assert_same(in_python(*args, **kwargs), expected)
        flat = net.signature.inputs(args, kwargs)
        assert_same(net.signature.inputs(*net.signature.call(flat)), flat)
        for module in modules:
            result = Interpreter(module, net.weights).run(list(flat))
            assert_same(result.value, expected)
    sides = {(line, test, t) for _, test, _, line in net.decisions for t in (0, 1)}
    assert taken == sides


def test_by_position_or_by_name():
    """As in Python, whichever it was compiled with."""
    net = dycl.compile(Options().eval(), (X,), kwargs={"mask": X, "n": 2})
    expected = Options()(X, X, n=2)
    assert_same(net(X, X, n=2), expected)
    assert_same(net(X, mask=X, n=2), expected)
    assert_same(net(n=2, mask=X, x=X), expected)


def test_defaults():
    """What is a default may be left out or given."""
    net = dycl.compile(Options().eval(), (X, None), kwargs={"mode": "up"})
    expected = Options()(X)
    assert_same(net(X), expected)
    assert_same(net(X, None), expected)
    assert_same(net(X, mask=None, negate=False, mode="up"), expected)
    with pytest.raises(InputError, match="compiled without the input `negate`"):
        net(X, negate=True)
    net = dycl.compile(Options().eval(), (X,), kwargs={"mode": "down"})
    with pytest.raises(InputError, match="the input `mode` is missing"):
        net(X)


WRONG = {
    "another text": (
        lambda a, k: (a, {**k, "mode": "sideways"}),
        "the input `mode` is 'sideways'; the network was compiled for 'down'",
    ),
    "another truth": (
        lambda a, k: (a, {**k, "negate": 1}),
        "the input `negate` is 1; the network was compiled for True",
    ),
    "none": (
        lambda a, k: (a, {**k, "mask": None}),
        "the input `mask` is None, not a tensor; the network was compiled for float32",
    ),
    "missing": (lambda a, k: ((), k), "the input `x` is missing"),
    "twice": (lambda a, k: (a, {**k, "x": X}), "the input `x` was given twice"),
    "unknown": (
        lambda a, k: (a, {**k, "other": X}),
        "compiled without the input `other`; it takes x, mask, mode, negate, deep",
    ),
    "too many": (
        lambda a, k: ((*a, X, X), k),
        "takes at most 2 arguments by position, but 3 were given",
    ),
    "shape": (
        lambda a, k: ((X[:2],), k),
        "the input `x` has shape [2]; the network was compiled for float32[3]",
    ),
    "key": (
        lambda a, k: (a, {**k, "deep": {"a": k["deep"]["a"], "c": 1}}),
        "the input `deep` is a dict with the keys ['a', 'c']; the network was compiled "
        "for a dict with the keys ['a', 'b'], in this order",
    ),
    "order": (
        lambda a, k: (a, {**k, "deep": dict(reversed(k["deep"].items()))}),
        "the keys ['a', 'b'], in this order",
    ),
    "length": (
        lambda a, k: (a, {**k, "deep": {"a": [X], "b": None}}),
        "the input `deep['a']` is a list of 1 item; the network was compiled for "
        "a list of 2 items",
    ),
    "kind": (
        lambda a, k: (a, {**k, "deep": {"a": (X, Pair(X)), "b": None}}),
        "the input `deep['a']` is a tuple of 2 items; the network was compiled for "
        "a list of 2 items",
    ),
    "class": (
        lambda a, k: (a, {**k, "deep": {"a": [X, (X, 2.0)], "b": None}}),
        "the input `deep['a'][1]` is a tuple of 2 items; the network was compiled for "
        f"a {__name__}.Pair",
    ),
    "number": (
        lambda a, k: (a, {**k, "deep": {"a": [X, Pair(X, "2")], "b": None}}),
        "the input `deep['a'][1].b` is of type str; the network was compiled for float",
    ),
}


class Deep(Options):
    def forward(self, x, mask=None, *, mode="up", negate=False, deep=None):
        return super().forward(x, mask, mode=mode, negate=negate) + deep["a"][1].a


@pytest.fixture(scope="module")
def deep():
    kwargs = {"mask": X, "mode": "down", "negate": True}
    kwargs["deep"] = {"a": [X, Pair(X, 2.0)], "b": None}
    return dycl.compile(Deep().eval(), (X,), kwargs=kwargs), kwargs


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(deep, what):
    """A sentence each, that names the place; and the next call is right."""
    net, kwargs = deep
    change, words = WRONG[what]
    args, wrong = change((X,), kwargs)
    assert_same(net(X, **kwargs), Deep()(X, **kwargs))
    with pytest.raises(InputError) as caught:
        net(*args, **wrong)
    assert words in str(caught.value)
    assert_same(net(X, **kwargs), Deep()(X, **kwargs))


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        (
            (X, {1.5: X}),
            {},
            "the input `mask` has the key 1.5, which is neither a string nor an int",
        ),
        ((X, {X}), {}, "the input `mask` is a set; a network takes tensors"),
        ((X, {X}), {}, "nodes of a tree as dycl.Tree(root)"),
        ((X, [Strange(X)]), {}, "`mask[0]` is a Strange: it has a `__post_init__`"),
        ((X, None), {"mask": X}, "the input `mask` is given twice"),
        ((X, None, None), {}, "3 inputs are given by position, but the model takes 2"),
    ],
)
def test_arguments_that_are_not_compiled(args, kwargs, words):
    with pytest.raises(TypeError) as caught:
        dycl.compile(Options().eval(), args, kwargs=kwargs)
    assert words in str(caught.value)


def test_explain_takes_them():
    text = str(dycl.explain(Options().eval(), (X,), kwargs={"mask": X}))
    assert "x.sum() > 0" in text


def test_narrow_weights_take_them():
    class Linear(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)

        def forward(self, batch):
            y = self.fc(batch["x"])
            return y if y.sum() > 0 else -y

    net = dycl.compile(Linear().eval(), ({"x": X[None]},), weight_dtype="bf16")
    assert net.narrowing.unknown == ""
    assert np.asarray(net({"x": X[None]})).shape == (1, 3)


class NoTensors(nn.Module):
    """Positions, as tables of them are made: no input is a tensor."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(3)

    def forward(self, n: int, scale: float):
        self.last = torch.arange(3) * scale
        if n > 2:
            return {"places": self.last + n, "n": n}
        return [self.last.bfloat16()]


def test_no_input_is_a_tensor(tmp_path):
    """What `dycl.compile` gives returns tensors, as eager; a file returns arrays."""
    net = dycl.compile(NoTensors().eval(), (3, 0.5))
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    assert isinstance(net.state["last"], torch.Tensor)
    for n in (3, 1):
        expected = NoTensors()(n, 0.5)
        actual = net(n, scale=0.5)
        assert_same(actual, expected)
        (tensor, *_) = actual.values() if n > 2 else actual
        assert type(tensor) is torch.Tensor
        (array, *_) = loaded(n, 0.5).values() if n > 2 else loaded(n, 0.5)
        assert type(array) is np.ndarray
