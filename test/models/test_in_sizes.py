"""What `--sizes` compares: a wrong answer at another size is found, whatever it is."""

import contextlib
import copy
import dataclasses
import random

import eager_runs
import in_sizes
import limited
import pytest
import size_twins
import torch
import variants
from programs import resized
from size_twins import choices
from structures import tensors_at, with_tensors
from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from variants import CALL, COMPARED, NATIVE, REFERENCE, NoVariant

import dycl
from dycl.analysis.dynamic_sizes.sizes import GUARD
from dycl.compiled import CompiledModel
from dycl.diag import CompileError, CompileErrors
from dycl.driver import models
from dycl.driver.compilation import see_nothing
from dycl.runtime import InputError

GIVEN = torch.linspace(-4.0, 4.0, 60).reshape(4, 5, 3)


def first_dims(monkeypatch):
    """The first dimension is dynamic."""
    monkeypatch.setattr(in_sizes, "choices", lambda *_: [{(("x",), 0): "n"}])


def twins_of(model, given=GIVEN, kind=REFERENCE, **options):
    """A network and its twin, and what `given` gives of the one."""
    made = {}
    compiling = variants.with_twin(
        models.compile_watched, in_sizes.twins_of, kind, made
    )
    net = compiling(model.eval(), (given[0],), see_nothing, **options)
    twins = made[id(net)][1]
    if isinstance(twins, Exception):
        raise twins
    for x in given:
        twins.run(CALL, (copy.deepcopy(x),))
    return twins


@pytest.mark.parametrize("kind", [REFERENCE, NATIVE])
def test_sizes_are_compared(monkeypatch, kind):
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides(), kind=kind)
    assert {d.taken for call in twins.calls for d in call.path} == {True, False}
    assert twins.compare() == [COMPARED]
    assert twins.said[COMPARED] == size_twins.MOST_INPUTS * len(size_twins.SIZES)


@pytest.mark.parametrize(
    "model", [resized.Counting, resized.Raising, resized.Shorter, resized.Weighed]
)
def test_other_kinds_of_networks_are_compared(monkeypatch, model):
    first_dims(monkeypatch)
    assert twins_of(model()).compare() == [COMPARED]


def test_eager_may_take_no_other_size(monkeypatch):
    monkeypatch.setattr(in_sizes, "choices", lambda *_: [{(("x",), 1): "n"}])
    said = twins_of(resized.OneSide()).compare()
    assert said == ["compared, but eager takes no other size"]


def test_eager_may_not_end(monkeypatch):
    first_dims(monkeypatch)
    monkeypatch.setattr(limited, "MOST_FUNCTIONS", 500)
    said = twins_of(resized.Growing()).compare()
    assert said == ["eager does not end with some size", COMPARED]
    assert torch.is_grad_enabled()


def test_eager_may_not_divide_the_smallest_integer(monkeypatch):
    """By -1: the processor ends the whole process."""
    first_dims(monkeypatch)
    given = torch.full((2, 5, 3), -(2**63))
    said = twins_of(resized.Quotients(), given).compare()
    assert said == [COMPARED, "eager divides the smallest integer by -1"]


def another(call, change):
    """`CompiledModel.__call__`, which `change`s what it gives for other sizes."""

    def wrong(self, x):
        return call(self, x) if len(x) == GIVEN.size(1) else change(call(self, x))

    return wrong


def raising(error):
    def change(_):
        raise error

    return change


WRONG = {
    "the value": lambda value: value + 1,
    "InputError: no": raising(InputError("no")),
    "ZeroDivisionError": raising(ZeroDivisionError("no")),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_answer_is_found(monkeypatch, what):
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides())
    monkeypatch.setattr(size_twins, "CALL", another(CALL, WRONG[what]))
    with pytest.raises(AssertionError, match=what):
        twins.compare()


def test_a_wrong_answer_for_a_call_of_the_test_is_found(monkeypatch):
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides())
    twins.calls[-1].value += 1
    with pytest.raises(AssertionError, match="the value"):
        twins.compare()


def test_no_error_where_eager_raises_is_found(monkeypatch):
    first_dims(monkeypatch)
    twins = twins_of(resized.Raising())
    monkeypatch.setattr(size_twins, "CALL", lambda net, x: CALL(net, x[:5]))
    with pytest.raises(AssertionError, match="ValueError: too large is right"):
        twins.compare()


@pytest.mark.parametrize("sizes", [None, {"n": 2}])
def test_a_wrong_path_is_found(monkeypatch, sizes):
    """On the calls of the test it is the network's, else eager's."""
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides())
    path = CompiledModel.path.fget
    monkeypatch.setattr(
        CompiledModel, "path", property(lambda self: turned(path(self)))
    )
    call = twins.calls[0]
    with pytest.raises(AssertionError, match="path"):
        twins.assert_as_eager(call, sizes) if sizes else twins.assert_same(call)


def test_tests_that_only_one_makes_are_not_compared(monkeypatch):
    """One has unrolled a loop that the other keeps, so some tests are of places, or
    are settled."""
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides())
    call = twins.calls[0]
    (made,) = call.path
    call.path = (dataclasses.replace(made, test="index < 1"), made)
    twins.assert_same(call)
    call.path = (made, made)
    twins.assert_same(call)
    call.path = (dataclasses.replace(made, taken=not made.taken),)
    with pytest.raises(AssertionError, match="path"):
        twins.assert_same(call)


def turned(path):
    return [dataclasses.replace(one, taken=not one.taken) for one in path]


def test_a_wrong_state_is_found(monkeypatch):
    first_dims(monkeypatch)
    twins = twins_of(resized.Counting())
    monkeypatch.setattr(CompiledModel, "reset_state", lambda _: None)
    with pytest.raises(AssertionError):
        twins.compare()


def test_dimensions_in_a_structure(monkeypatch):
    batch = {"x": torch.ones(4, 3), "mask": torch.ones(4, 1)}
    names = {(("batch", "x"), 0): "n", (("batch", "mask"), 0): "n"}
    monkeypatch.setattr(in_sizes, "choices", lambda *_: [names])
    made = {}
    compiling = variants.with_twin(
        models.compile_watched, in_sizes.twins_of, REFERENCE, made
    )
    net = compiling(resized.Structured().eval(), (batch, 2.0), see_nothing)
    twins = made[id(net)][1]
    twins.run(CALL, (batch,), {"scale": 3.0})
    twins.run(CALL, ({k: -v for k, v in batch.items()}, 2.0))
    assert twins.compare() == [COMPARED]
    assert [str(one.shape) for one in twins.many.inputs[:2]] == ["('n', 3)", "('n', 1)"]


def test_choices():
    """Each dimension alone, those of one size, and all."""
    found = choices(
        {"x": torch.ones(4, 3), "k": 1, "y": [GIVEN[0, :4]]}, random.Random(0)
    )
    x, y = ("x",), ("y", 0)
    own = {(x, 0): "n4", (x, 1): "n3", (y, 0): "n4", (y, 1): "n3"}
    same = [{p: n for p, n in own.items() if n == name} for name in ("n3", "n4")]
    for one in [*({place: "n"} for place in own), *same, own]:
        assert one in found
        found.remove(one)
    assert not found


@contextlib.contextmanager
def negated():
    """Each module gives the opposite."""
    handle = register_module_forward_hook(lambda m, args, output: -output)
    try:
        yield
    finally:
        handle.remove()


def test_what_has_no_variant_is_named(monkeypatch):
    first_dims(monkeypatch)
    with pytest.raises(NoVariant, match="dynamic sizes already"):
        twins_of(resized.Sides(), dynamic_shapes=({0: dycl.Dim("n")},))
    with pytest.raises(NoVariant, match="refused, DY307"):
        twins_of(resized.Writing())
    with pytest.raises(NoVariant, match="a hook of it"):
        twins_of(resized.Hooked())
    with pytest.raises(NoVariant, match="hooks of all modules"), negated():
        twins_of(resized.Sides())
    with pytest.raises(NoVariant, match="cannot be copied"):
        twins_of(resized.Uncopied())
    with pytest.raises(NoVariant, match="a copy is another one"):
        twins_of(resized.GivesDoubled()).compare()
    twins = twins_of(resized.Sides())
    twins.calls.clear()
    with pytest.raises(NoVariant, match="nothing of which sizes can be changed"):
        twins.compare()


@dataclasses.dataclass(frozen=True, slots=True)
class Halved:
    x: torch.Tensor
    half: torch.Tensor | None = dataclasses.field(init=False, default=None)

    def __post_init__(self):
        object.__setattr__(self, "half", self.x / 2)


def test_dataclasses_are_made_of_their_fields():
    """Also of those that are no arguments, which it does not compute again."""
    one = Halved(torch.ones(2))
    made = with_tensors(one, lambda place, t: t[:1] if "x" in place else t)
    assert type(made) is Halved
    assert made.half is one.half
    assert [*tensors_at(made)] == [("x",), ("half",)]
    assert len(made.x) == 1


def test_objects_that_cannot_be_compared_are_named():
    given = [nn.Parameter(GIVEN), {"a": (1, None, "b", torch.float32, int)}]
    assert eager_runs.plain(given)[1] is not None
    for value in (object(), [torch.distributions.Normal(0.0, 1.0)]):
        with pytest.raises(NoVariant, match="an object of the class"):
            eager_runs.plain(value)


@pytest.mark.parametrize("code", in_sizes.BUGS)
def test_a_refusal_that_must_not_be_fails_the_test(code):
    error = CompileErrors([CompileError(code, "wrong")])
    with pytest.raises(CompileErrors):
        in_sizes.why_refused(error)


def test_what_a_run_may_refuse_is_named(monkeypatch):
    """Sizes of 0 and 1, and no others."""
    first_dims(monkeypatch)
    twins = twins_of(resized.Sides())
    twins.said.clear()
    error = InputError("`n` must not be 1 (DY601)")
    assert twins.is_refused(error, {"n": 1})
    assert not twins.is_refused(error, {"n": 2})
    assert not twins.is_refused(RuntimeError("no"), {"n": 1})
    assert twins.is_refused(RuntimeError(GUARD), {"n": 1, "m": 4})
    assert [*twins.said] == [
        "refused in a run: `n` must not be 1",
        f"refused in a run: {GUARD}",
    ]
