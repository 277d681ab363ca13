"""Lists and dicts that a recursion is given and only reads, as in eager."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.diag import CompileErrors

SIZE = 3


@dataclass
class Var:
    name: str


@dataclass
class Const:
    value: torch.Tensor


@dataclass
class Neg:
    a: object


@dataclass
class Add:
    a: object
    b: object


ONES = Const(torch.ones(SIZE))
TREES = (
    Add(Add(Var("x"), ONES), Neg(Var("y"))),
    Var("y"),
    Neg(Neg(Var("x"))),
    Const(torch.full((SIZE,), float("nan"))),
    Add(Neg(Add(Var("y"), Var("y"))), Add(Var("x"), Var("x"))),
)


class Method(nn.Module):
    def run(self, n, env):
        if isinstance(n, Var):
            return env[n.name]
        if isinstance(n, Const):
            return n.value
        if isinstance(n, Neg):
            return -self.run(n.a, env)
        return self.run(n.a, env) + self.run(n.b, env)

    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        return self.run(n, {"x": x, "y": x.exp()})


class Asked(Method):
    def run(self, n, env):
        if isinstance(n, Neg):
            return -self.run(n.a, env)
        if isinstance(n, Add):
            return self.run(n.a, env) + self.run(n.b, env)
        if isinstance(n, Var) and n.name in env and len(env) > 1:
            return env[n.name]
        return torch.ones(SIZE)


class Captured(nn.Module):
    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        env = {"x": x, "y": x * 3}

        def run(n):
            if isinstance(n, Var):
                return env[n.name]
            if isinstance(n, Const):
                return n.value
            if isinstance(n, Neg):
                return -run(n.a)
            return run(n.a) + run(n.b)

        return run(n)


class Twice(Method):
    """What one call is given is not what the next one is given."""

    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        one = self.run(n, {"x": x, "y": x.exp()})
        return one, self.run(n, {"y": one, "x": x}), self.run(n, {"x": one, "y": one})


class Lists(nn.Module):
    def run(self, n, steps, pair):
        if isinstance(n, Neg):
            return -self.run(n.a, steps, pair)
        if isinstance(n, Add):
            return self.run(n.a, steps, pair) + self.run(n.b, steps, pair)
        total = pair[0] * 2
        for step in steps:
            total = total + step
        return total - pair[1]

    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        return self.run(n, [x, x + 1, x * x], [x, x.sin()])


def run_where_it_compiles(model):
    """The network, by both hosts and the interpreter, and the trees that it takes."""
    net = dycl.compile(model, (dycl.Tree(TREES[0]),), cache=False)
    return runs_of(net, ("normal", "host"))


@pytest.mark.parametrize("cls", [Method, Asked, Captured, Twice, Lists], ids=str)
def test_what_a_recursion_only_reads(cls):
    model = cls().eval()
    runs = run_where_it_compiles(model)
    for tree in TREES:
        for run in runs:
            equal(run(tree), model(tree))


@pytest.mark.parametrize("cls", [Method, Captured])
def test_a_key_that_is_not_there(cls):
    model = cls().eval()
    for run in run_where_it_compiles(model):
        with pytest.raises(KeyError, match="q"):
            run(Neg(Var("q")))


class Chain(nn.Module):
    def run(self, n, env):
        return env[n.name] if isinstance(n, Var) else -self.run(n.a, env)

    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        return self.run(n, {"x": x, "y": x.exp()})


class Set(Chain):
    """A dict that is changed is another one for the calls behind that."""

    def forward(self, n):
        x = torch.linspace(-1, 1, SIZE)
        env = {"x": x, "y": x.exp()}
        one = self.run(n, env)
        env["x"] = one
        return one, self.run(n, env)


class SetInside(Chain):
    def run(self, n, env):
        if isinstance(n, Neg):
            env["x"] = -env["x"]
        return super().run(n, env)


class Returned(Chain):
    def run(self, n, env):
        return env if isinstance(n, Var) else self.run(n.a, env)


class Nested(nn.Module):
    """A change of a list inside of a dict."""

    def run(self, n, env):
        if isinstance(n, Neg):
            env["all"].append(torch.ones(SIZE))
            return self.run(n.a, env)
        return torch.stack(env["all"]).sum(0)

    def forward(self, n):
        return self.run(n, {"all": [torch.zeros(SIZE)]})


@pytest.mark.parametrize("cls", [Chain, Set, SetInside, Returned, Nested])
def test_what_is_changed_is_right_or_refused(cls):
    model = cls().eval()
    trees = [Neg(Neg(Var("x"))), Neg(Var("y"))]
    if cls not in (Chain, SetInside):
        with pytest.raises(CompileErrors):
            dycl.compile(model, (dycl.Tree(trees[0]),))
        return
    net = dycl.compile(model, (dycl.Tree(trees[0]),), cache=False)
    for tree in trees:
        for run in runs_of(net):
            equal(run(tree), model(tree))
