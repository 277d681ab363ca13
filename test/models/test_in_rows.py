"""What `--rows` compares: a wrong answer of many rows is found, whatever is wrong."""

import copy

import in_rows
import pytest
import torch
import variants
from row_twins import NUMBERS
from torch import nn
from variants import CALL, REFERENCE, NoVariant

from dycl.driver import models
from dycl.driver.compilation import see_nothing
from dycl.passes.rows.tensor_rules import RULES
from dycl.runtime.rows import Rows

GIVEN = torch.linspace(-4.0, 4.0, 32).reshape(8, 1, 4)


class Sides(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            return self.layer(x)
        return x.tanh()


class OfNoRow(Sides):
    def forward(self, x):
        return super().forward(x)[1:]


def of_vectors(x):
    return x * 2 if x.sum() > 0 else x


class Raising(nn.Module):
    def forward(self, x):
        if x.sum() > 8:
            raise ValueError("too large")
        return x * 2


class OfFinite(nn.Module):
    """Raises what torch's library raises of infinities."""

    def forward(self, x):
        return torch.linalg.svdvals(x / (x.sum() > 0).float())


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.calls if x.sum() > 0 else x


class CountingFromNothing(Counting):
    def __init__(self):
        super().__init__()
        del self.calls

    def forward(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        return x + self.calls if x.sum() > 0 else x


class Writing(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x += 1
        return x * 2


class OfStructures(Sides):
    def forward(self, batch, *, scale):
        rows, (shift, _) = batch
        return super().forward(rows["x"] + shift) * scale


class Held:
    """Equal to itself alone."""

    def __init__(self, x):
        self.x = x


class Holding(nn.Module):
    def forward(self, x):
        return Held(x) if x.sum() > 0 else x


class Filling(nn.Module):
    def forward(self, batch, *, scale):
        batch.append(scale)
        return batch[0]["x"]


class Loops(nn.Module):
    def forward(self, x):
        while x.sum() < 0:
            x += 1
        return x.sum()


def alone(x):
    """The arguments of `model(x)`."""
    return (x,), {}


def in_structures(x):
    """Rows in a structure, beside a tensor that all rows share."""
    return ([{"x": x}, (torch.ones(4), "text")],), {"scale": 2}


def twins_of(model, given=GIVEN, kind=REFERENCE, arguments=alone, **options):
    """A network and its twin, and what `given` gives of the one."""
    made = {}
    compiling = variants.with_twin(models.compile_watched, in_rows.twins_of, kind, made)
    own = model.eval() if isinstance(model, nn.Module) else model
    args, kwargs = arguments(given[0])
    if kwargs:
        options["kwargs"] = kwargs
    net = compiling(own, args, see_nothing, **options)
    twins = made[id(net)][1]
    if isinstance(twins, Exception):
        raise twins
    for x in given:
        try:
            twins.run(CALL, *copy.deepcopy(arguments(x)))
        except (ValueError, RuntimeError):
            assert isinstance(model, (Raising, OfFinite))
    return twins


@pytest.mark.parametrize("kind", [REFERENCE, variants.NATIVE])
def test_rows_are_compared(kind):
    twins = twins_of(Sides(), kind=kind)
    assert twins.many.rows.is_grouped
    assert {d.taken for call in twins.calls for d in call.path} == {True, False}
    twins.compare()
    assert len(twins.many.paths) == max(NUMBERS)


@pytest.mark.parametrize(
    "model", [Raising, Counting, CountingFromNothing, Writing, OfNoRow]
)
def test_other_kinds_of_networks_are_compared(model):
    given = GIVEN.expand(8, 2, 4) if model is OfNoRow else GIVEN
    twins = twins_of(model(), given)
    assert twins.is_wrapped == (model is OfNoRow)
    twins.compare()


def test_an_error_of_the_interpreter_may_be_of_a_class_of_torch():
    given = torch.linspace(-2.0, 3.0, 72).reshape(8, 3, 3)
    twins = twins_of(OfFinite(), given)
    errors = [call.error for call in twins.calls]
    assert None in errors
    assert RuntimeError in map(type, errors)
    twins.compare()


def test_functions_of_tensors_without_rows_are_compared():
    twins = twins_of(of_vectors, GIVEN[:, 0])
    assert twins.is_wrapped
    twins.compare()


def test_rows_in_structures_are_compared():
    twins = twins_of(OfStructures(), arguments=in_structures)
    assert twins.many.rows.is_grouped
    assert twins.places == [("batch", 0, "x")]
    assert twins.compare() == [variants.COMPARED]
    twins.calls[0].kwargs["scale"] = 3
    assert len(twins.alike()) == len(GIVEN) - 1


def test_tensors_that_rows_share_are_told_apart():
    """Calls are put together if these are equal, to the last element."""
    twins = twins_of(OfStructures(), arguments=in_structures)
    (_, (shift, _)), *_ = twins.calls[0].before
    shift[3] += 1e-6
    assert len(twins.alike()) == len(GIVEN) - 1


@pytest.mark.parametrize("model", [Sides, OfStructures])
def test_a_wrong_rule_is_found(monkeypatch, model):
    """One row's result of another op: 4 rows are the first that are computed so."""

    def sine(given):
        kind, (rows,) = given.result_type(), given.op.operands
        return [given.emit.aten("sin", [given.batch(rows)], kind)]

    monkeypatch.setitem(RULES, "torch.aten.tanh", sine)
    arguments = in_structures if model is OfStructures else alone
    with pytest.raises(AssertionError, match="row [0-3] of 4: tensors differ"):
        twins_of(model(), arguments=arguments).compare()


def turned(items):
    return [*items][::-1]


WRONG = {
    "values": ("split", lambda split: lambda *given: turned(split(*given))),
    "path": ("paths", lambda paths: property(lambda self: turned(paths.fget(self)))),
    "raise": ("__call__", lambda _: lambda *_: 1 / 0),
    "rows come back": ("split", lambda split: lambda *given: split(*given)[1:]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_answer_is_found(monkeypatch, what):
    twins = twins_of(Sides())
    name, wrong = WRONG[what]
    monkeypatch.setattr(Rows, name, wrong(getattr(Rows, name)))
    with pytest.raises(AssertionError, match="differ" if what == "values" else what):
        twins.compare()


@pytest.mark.parametrize("model", [Raising, Writing])
def test_a_wrong_end_of_a_call_is_found(monkeypatch, model):
    """Another error, and inputs that are not written to."""
    twins = twins_of(model())
    call = Rows.__call__

    def wrong(self, args, kwargs):
        try:
            return call(self, tuple(x.clone() for x in args), kwargs)
        except ValueError:
            raise ValueError("too small") from None

    monkeypatch.setattr(Rows, "__call__", wrong)
    with pytest.raises(AssertionError):
        twins.compare()


def test_a_wrong_state_is_found(monkeypatch):
    twins = twins_of(Counting())
    call = Rows.__call__

    def wrong(self, args, kwargs):
        return call(self, tuple(x.flip(0) for x in args), kwargs)

    monkeypatch.setattr(Rows, "__call__", wrong)
    with pytest.raises(AssertionError):
        twins.compare()


def test_a_twin_that_does_not_compile_fails_the_test(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # A bug leaves a folder.

    def wrong(_):
        raise KeyError("a bug")

    monkeypatch.setitem(RULES, "torch.aten.tanh", wrong)
    with pytest.raises(Exception, match="a bug"):
        twins_of(Sides())


def test_what_has_no_rows_is_named():
    with pytest.raises(NoVariant, match="it has rows already"):
        twins_of(Sides(), rows=True)
    with pytest.raises(NoVariant, match="nothing that rows can be made of"):
        twins_of(Sides(), [x.numpy() for x in GIVEN]).compare()
    with pytest.raises(NoVariant, match="not equal to a copy"):
        twins_of(Holding()).compare()
    with pytest.raises(NoVariant, match="which all rows share"):
        twins_of(Filling(), arguments=in_structures)
    with pytest.raises(NoVariant, match="a view of its rows"):
        twins_of(Loops(), GIVEN.expand(8, 2, 4).clone())
    said = variants.outcome_of(None, NoVariant("a reason"), is_new=True)
    assert said == ["a reason"]
