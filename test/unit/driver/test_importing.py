"""A program takes the functions that a run may call, and no others."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileErrors
from dycl.driver import compilation, program_cache
from dycl.driver.importing import OnDemand
from dycl.driver.ir_dump import printed
from dycl.driver.models import lower
from dycl.driver.texts import lower_text
from dycl.passes.check_normal import CheckNormalPass

X = torch.tensor([1.0, -2.0])


def functions_of(model: Any, *inputs: Any) -> list[str]:
    """The functions that the program of a model has, by their last names."""
    module = lower(model, inputs or (X,), "source")
    names = [op.sym_name.data for op in module.ops if op.name == "func.func"]
    return [name.rpartition(".")[2] for name in names[1:]]


class Model(nn.Module):
    """A model as it is compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.eval()


class Flagged(Model):
    """A model with methods that a run does not call."""

    def __init__(self, is_fast: bool):
        super().__init__()
        self.is_fast = is_fast
        self.rep = False
        self.factor = 2.0

    def reparameterize(self) -> None:
        self.rep = True
        self.merged = lambda x: x * 3

    def slow(self, x):
        self.factor = self.factor + 1.0
        return self.helper(x) * self.factor

    def fast(self, x):
        return x * self.factor

    def helper(self, x):
        return x + 1

    def forward(self, x):
        if self.rep:
            return self.merged(x)
        if self.is_fast:
            return self.fast(x)
        return self.slow(x)


def test_a_function_that_nothing_calls_is_not_taken() -> None:
    assert functions_of(Flagged(True)) == ["forward", "fast"]
    assert functions_of(Flagged(False)) == ["forward", "slow", "helper"]


def test_what_an_uncalled_function_sets_does_not_change() -> None:
    model = Flagged(True)
    net = dycl.compile(model, (X,))
    assert not net.state
    assert torch.equal(net(X), model(X))


def test_what_a_called_function_sets_changes() -> None:
    model = Flagged(False)
    net = dycl.compile(model, (X,))
    for _ in range(3):
        assert torch.equal(net(X), model(X))


class Late(Model):
    """A function that only data leads to sets what was read before."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def forward(self, x):
        y = self.rare(x) if self.count > 0 else x + 1
        if x.sum() > 0:
            return self.step(y)
        return y

    def rare(self, x):
        return x * 100

    def step(self, x):
        self.count = self.count + 1
        return x * self.count


def test_a_write_that_comes_late_counts_from_the_beginning() -> None:
    """`rare` is asked for only after `step` was found to set `count`."""
    assert functions_of(Late()) == ["forward", "step", "rare"]
    model = Late()
    net = dycl.compile(model, (X,))
    paths = set()
    for x in (X, -X, -X, X, -X):
        wanted = model(x)
        assert torch.equal(net(x), wanted)
        paths.add(tuple(d.taken for d in net.path))
    assert len(paths) > 2


class Chosen(Model):
    """Data decides which function is called."""

    def forward(self, x):
        return self.up(x) if x[0] > 0 else self.down(x)

    def up(self, x):
        return self.shared(x) + 1

    def down(self, x):
        return self.shared(x) - 1

    def shared(self, x):
        return x * 2

    def unused(self, x):
        return missing_name(x)  # noqa: F821


def test_both_sides_of_a_decision_are_taken() -> None:
    assert functions_of(Chosen()) == ["forward", "up", "down", "shared"]
    net = dycl.compile(Chosen(), (X,))
    for x in (X, -X):
        assert torch.equal(net(x), Chosen()(x))


class Guarded(Model):
    """What follows an exit that is settled by what the model holds."""

    def __init__(self) -> None:
        super().__init__()
        self.early = True

    def forward(self, x):
        if self.early:
            return x + 1
        return self.never(x)

    def never(self, x):
        self.early = False
        return x


def test_what_follows_a_settled_exit_is_not_taken() -> None:
    assert functions_of(Guarded()) == ["forward"]


class Refused(Model):
    """A constant, and a construct, that cannot be compiled."""

    def __init__(self, is_used: bool):
        super().__init__()
        self.is_used = is_used

    def forward(self, x):
        return self.large(x) if self.is_used else x + 1

    def large(self, x):
        return x * int(x[0] > 1180591620717411303424)


def test_a_constant_that_cannot_be_kept_is_refused_where_it_is_reached() -> None:
    assert torch.equal(dycl.compile(Refused(False), (X,))(X), X + 1)
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(Refused(True), (X,))
    assert [e.code for e in caught.value.errors] == ["DY114"]


def test_two_imports_give_the_same_text() -> None:
    first, second = (printed(lower(Late(), (X,), "source")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("make", [Chosen, Late, Guarded])
def test_the_text_needs_no_python(make: Callable[[], nn.Module]) -> None:
    """The functions in `source` are all that normalising it asks for."""
    from xdsl.context import Context
    from xdsl.parser import Parser

    from dycl.pipelines import Pipeline
    from dycl.universe import everything

    context = Context()
    for name, load in everything().all_dialects.items():
        context.register_dialect(name, load)
    module = Parser(context, printed(lower(make(), (X,), "source"))).parse_module()
    passes = Pipeline.parse("normalise").expanded().load(everything().all_passes)
    for one in passes:
        one.apply(context, module)
    module.verify()


class Heard:
    """Which functions are taken, as a listener is told."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def stage_started(self, name: str) -> None:
        self.stage = name

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        pass

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        if self.stage == "source":
            self.names.append(name.rpartition(".")[2])


def test_each_function_is_a_step_of_progress() -> None:
    heard = Heard()
    lower(Chosen(), (X,), "source", listener=heard)
    assert heard.names == ["forward", "up", "down", "shared"]


def test_what_was_asked_for_is_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "key_of", program_cache.key_of)
    asked: list[object] = []
    ask = OnDemand._ask
    monkeypatch.setattr(OnDemand, "_ask", lambda s: (asked.append(s), ask(s)))
    assert Flagged.__module__ in sys.modules
    sources = [dycl.compile(Flagged(f), (X,)).stages["source"] for f in (1, 1, 0, 0)]
    assert len(asked) == 2
    assert sources[0] == sources[1] != sources[2] == sources[3]


class Restores(Model):
    """A wrapper that sets an attribute for one call, if it has a value at all."""

    def __init__(self, mode: str | None):
        super().__init__()
        self.mode = mode

    def forward(self, x):
        mode = self.mode
        if mode is not None:
            before = self.mode
            self.mode = mode
        y = self.inner(x)
        if mode is not None:
            self.mode = before
        return y

    def inner(self, x):
        return x * 2 if self.mode == "double" else x + 1


@pytest.mark.parametrize("mode", [None, "double", "other"])
def test_what_is_set_to_what_it_is_does_not_change(mode: str | None) -> None:
    model = Restores(mode)
    source = lower(model, (X,), "source")
    entry = next(op for op in source.ops if "dycl.entry" in op.attributes)
    assert str(entry.attributes["dycl.unchanging"]) == '["mode"]'
    net = dycl.compile(model, (X,))
    assert not net.state
    for _ in range(2):
        assert torch.equal(net(X), model(X))


class Leaves(Model):
    """The same, but another value is put back."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        before = self.scale
        self.scale = 3.0
        y = x * self.scale
        self.scale = before + 1.0
        return y + before


def test_what_is_left_with_another_value_changes() -> None:
    model = Leaves()
    net = dycl.compile(model, (X,))
    found = []
    for _ in range(3):
        wanted = model(X)
        found.append(wanted)
        assert torch.equal(net(X), wanted)
    assert not torch.equal(found[0], found[1])


class Counts(Model):
    """Nothing is set in the first call, but in a later one."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def forward(self, x):
        if x.sum() > 0:
            self.count = 5
        if self.count > 0:
            self.count = self.count - 1
            return x * 10
        return x


def test_data_may_lead_to_what_is_set() -> None:
    model = Counts()
    net = dycl.compile(model, (X,))
    for x in (X, -X, -X, X, -X, -X, -X, -X, -X, -X, X):
        assert torch.equal(net(x), model(x))


class Nested(Model):
    """Calls in branches that the data decides; nothing is set."""

    def double(self, x):
        return self.add(x, x)

    def add(self, x, y):
        return x + y if x.sum() > -10 else x - y

    def forward(self, x):
        for i in range(2):
            x = self.double(x) if x.max() > 0 else self.add(x, i)
        return x


@pytest.mark.parametrize(
    ("model", "runs"),
    [(Nested(), 1), (Flagged(True), 1), (Counts(), 3), (Leaves(), 3)],
)
def test_a_program_that_sets_nothing_is_normalised_once(
    model: Any, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what comes out is what the passes make of the text at `source`."""
    count = 0
    run = CheckNormalPass.apply

    def counted(*arguments: Any) -> None:
        nonlocal count
        count += 1
        run(*arguments)

    monkeypatch.setattr(CheckNormalPass, "apply", counted)
    normal = printed(lower(model, (X,), "normal"), locations=True)
    assert count == runs
    text = printed(lower(model, (X,), "source"), locations=True)
    assert printed(lower_text(text, "normal"), locations=True) == normal
