"""Python as people write it: hooks, context managers, numbers, and other constructs.

Each program runs on a sequence of inputs that takes both sides of every decision:
eager, the compiled network, and the interpreter on each level agree, and so does what
is kept on the model.
"""

import importlib.util
import itertools
import logging
import sys
from collections import deque
from pathlib import Path

import pytest
import torch
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.ir.not_evaluated import NotEvaluated
from dycl.tools.same import new_context

LEVELS = ("source", "normal", "typed", "hcfg", "host")


def load(theme):
    """A file of programs, under a name that no other test's module has."""
    name = f"dycl_test_programs_{theme}"
    if name not in sys.modules:
        path = Path(__file__).parent / "programs" / f"{theme}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def rows(count=60):
    """Inputs of 1x4: one-sided ones, small ones and large ones."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    return [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]


def assert_same(actual, expected):
    """Equal in structure, types and values; NaN equals NaN."""
    if isinstance(expected, torch.Tensor):
        actual = torch.as_tensor(actual)
        expected = expected.detach()
        assert actual.dtype == expected.dtype
        torch.testing.assert_close(
            actual, expected, rtol=1e-4, atol=1e-5, equal_nan=True
        )
    elif isinstance(expected, (tuple, list, deque)):
        assert getattr(actual, "maxlen", None) == getattr(expected, "maxlen", None)
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        for key in expected:
            assert_same(actual[key], expected[key])
    elif isinstance(expected, float):
        assert type(actual) is type(expected)
        assert actual == pytest.approx(expected, rel=1e-4, nan_ok=True)
    elif isinstance(expected, torch.distributions.Distribution):
        assert type(actual) is type(expected)
        assert_same(vars(actual), vars(expected))
    else:
        assert type(actual) is type(expected)
        assert actual == expected


def attribute(model, name):
    """The attribute `control.hidden` of a model."""
    for part in name.split("."):
        model = getattr(model, part)
    return model


def interpreters(net):
    """One for each level."""
    for level in LEVELS:
        if level == "source" and "dycl.unsupported" in net.stages[level]:
            continue  # the passes find out how a `try` ends
        module = Parser(new_context(), net.stages[level]).parse_module()
        yield Interpreter(module, net.weights)


def outcome(run, *args):
    """What a call gives, or the words of what it raises."""
    try:
        with torch.no_grad():
            return run(*args)
    except (LookupError, ValueError, RuntimeError, TypeError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"


def build(make):
    torch.manual_seed(0)
    return make().eval()


ENOUGH = 16
"""Calls of a sequence after which a program that has gone all ways needs no more."""


def check(make, sequences):
    """Run sequences of calls everywhere; every decision goes both ways."""
    net = dycl.compile(build(make), (sequences[0][0],), verify=True)
    machines = list(interpreters(net))
    sides = {(line, test, t) for _, test, _, line in net.decisions for t in (0, 1)}
    taken = set()
    for sequence in sequences:
        model = build(make)
        net.reset_state()
        runs = [(machine, {}) for machine in machines]
        for done, x in enumerate(sequence):
            if done >= ENOUGH and taken == sides:
                break
            expected = outcome(model, x.clone())
            actual = outcome(net, x)
            assert_same(actual, expected)
            taken |= {(d.line, d.test, d.taken) for d in net.path}
            for name, value in net.state.items():
                assert_same(value, attribute(model, name))
            for interpreter, state in runs:
                if isinstance(expected, str):
                    continue
                try:
                    with torch.no_grad():  # a program may set it, for good
                        result = interpreter.run([x.clone()], state=state)
                except NotEvaluated:
                    assert interpreter is machines[0]  # the passes find the method
                    continue
                state |= result.state
                assert_same(result.value, expected)
    assert taken == sides
    return net


def sequences():
    given = rows()
    return [given, *([x] for x in given[:4])]


hooks = load("hooks")


@pytest.mark.parametrize("make", hooks.PROGRAMS, ids=lambda make: make.__name__)
def test_hooks(make):
    check(make, sequences())


contexts = load("contexts")


@pytest.mark.filterwarnings("ignore")  # torch's own, about its autocast
@pytest.mark.parametrize("make", contexts.PROGRAMS, ids=lambda make: make.__name__)
def test_contexts(make):
    check(make, sequences())


exceptions = load("exceptions")


@pytest.mark.parametrize("make", exceptions.PROGRAMS, ids=lambda make: make.__name__)
def test_exceptions(make):
    check(make, sequences())


memoised = load("memoised")


@pytest.mark.filterwarnings("ignore")  # torch's own, about `indexing`
@pytest.mark.parametrize("make", memoised.PROGRAMS, ids=lambda make: make.__name__)
def test_memoised(make):
    check(make, sequences())


sets = load("sets")


@pytest.mark.parametrize("make", sets.PROGRAMS, ids=lambda make: make.__name__)
def test_sets(make):
    check(make, sequences())


enums = load("enums")


@pytest.mark.parametrize("make", enums.PROGRAMS, ids=lambda make: make.__name__)
def test_enums(make):
    check(make, sequences())


syntax = load("syntax")


@pytest.mark.parametrize("make", syntax.PROGRAMS, ids=lambda make: make.__name__)
def test_syntax(make):
    check(make, sequences())


generators = load("generators")


@pytest.mark.parametrize("make", generators.PROGRAMS, ids=lambda make: make.__name__)
def test_generators(make):
    check(make, sequences())


numbers = load("numbers")


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("make", numbers.PROGRAMS, ids=lambda make: make.__name__)
def test_numbers(make):
    check(make, sequences())


attributes = load("attributes")


@pytest.mark.parametrize("make", attributes.PROGRAMS, ids=lambda make: make.__name__)
def test_attributes(make):
    check(make, sequences())


library = load("library")


@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize("make", library.PROGRAMS, ids=lambda make: make.__name__)
def test_library(make):
    check(make, sequences())


def test_checkpoints_in_turn():
    """The interpreter of the source takes a container for no list of functions."""
    make = library.CheckpointedInTurn
    model = build(make)
    net = dycl.compile(build(make), (sequences()[0][0],))
    taken = set()
    for x in itertools.chain(*sequences()):
        assert_same(net(x), outcome(model, x))
        taken |= {(d.name, d.taken) for d in net.path}
    assert {side for _, side in taken} == {True, False}


frameworks = load("frameworks")


@pytest.mark.parametrize("make", frameworks.PROGRAMS, ids=lambda make: make.__name__)
def test_frameworks(make):
    check(make, sequences())


def test_another_environment_is_another_network(monkeypatch):
    monkeypatch.setenv("DYCL_TEST_FORCED", "1")
    check(frameworks.Configured, sequences())


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("announce", "`announce` keeps .* calls `ANNOUNCED.append`"),
        ("scales", "`scales` keeps .* gives a list"),
        ("fails", "LookupError"),
        ("forgets", "functools.*hides"),
    ],
)
def test_memoised_functions_refused(kind, why):
    with pytest.raises(dycl.CompileErrors, match=why):
        dycl.compile(frameworks.Hidden(kind).eval(), (rows()[0],))
    assert not frameworks.ANNOUNCED


prelude = load("prelude")


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("make", prelude.PROGRAMS, ids=lambda make: make.__name__)
def test_prelude(make):
    check(make, sequences())


def test_a_deque_is_filled_in_a_loop():
    """Until it is full, and then on; that a full one is not empty is a decision."""
    model = prelude.WindowOfStates().eval()
    net = dycl.compile(model, (rows()[0],), verify=True)
    counts = set()
    for x in [*rows(), torch.full((1, 4), 2.0)]:
        assert_same(net(x), model(x))
        counts.add(len(net.path))
    assert len(counts) > 2


def test_a_distribution_checks_its_parameters(monkeypatch):
    # torch.compile, in a test before this one, has switched it off.
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    net = dycl.compile(prelude.WrongScale().eval(), (torch.ones(1, 4),))
    x = torch.full((1, 4), 0.2)
    assert_same(net(x), prelude.WrongScale()(x))
    for run in (net, prelude.WrongScale()):
        with pytest.raises(ValueError, match="Expected parameter scale"):
            run(torch.zeros(1, 4))


def test_a_distribution_with_another_method(monkeypatch):
    """What somebody puts into torch's class is not what ours does."""
    own = torch.distributions.Normal.entropy
    replaced = lambda self: own(self).sum(-1)  # noqa: E731
    monkeypatch.setattr(torch.distributions.Normal, "entropy", replaced)
    with pytest.raises(CompileErrors, match="`entropy`, a function that was set on"):
        dycl.compile(prelude.Replaced().eval(), (torch.ones(1, 4),))


def test_notices(monkeypatch):
    """A library's method of loggers is called by the eager model only."""
    said = []
    monkeypatch.setattr(
        logging.Logger, "warning_once", lambda self, s: said.append(s), raising=False
    )
    net = dycl.compile(frameworks.Notices().eval(), (rows()[0],))
    assert not said
    for x in rows()[:2]:
        assert_same(net(x), frameworks.Notices()(x))
    assert said == ["two dimensions"] * 2


modules = load("modules")


@pytest.mark.parametrize("make", modules.PROGRAMS, ids=lambda make: make.__name__)
def test_modules(make):
    check(make, sequences())


def test_hooks_of_all_modules():
    """Those that torch keeps for every module run before the module's own."""
    from torch.nn.modules import module as torchs

    handles = [
        torchs.register_module_forward_pre_hook(hooks.shift_linear),
        torchs.register_module_forward_hook(hooks.double_linear),
    ]
    try:
        check(hooks.Changes, sequences())
    finally:
        for handle in handles:
            handle.remove()


def test_a_hidden_function_is_refused_once():
    """For its decorator; what its body would be refused for is no other cause."""
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(build(contexts.Generated), (rows()[0],))
    assert [error.code for error in caught.value.errors] == ["DY109"]


found = load("found")


@pytest.mark.parametrize("make", found.PROGRAMS, ids=lambda make: make.__name__)
def test_found(make):
    check(make, [rows(8)])


def test_state_that_numpy_gave():
    """Python's number is kept: equal, and no number of NumPy's."""
    model = found.CountsInNumpy().eval()
    net = dycl.compile(model, (rows()[0],))
    for x in rows(4):
        assert_same(net(x), model(x))
        assert net.state == {"count": model.count, "scale": model.scale}


people = load("people")


@pytest.mark.parametrize("make", people.PROGRAMS, ids=lambda make: make.__name__)
def test_people(make):
    check(make, [rows(8)])


user_classes = load("user_classes")


@pytest.mark.parametrize("make", user_classes.PROGRAMS, ids=lambda make: make.__name__)
def test_user_classes(make):
    check(make, [rows(40)])


own_operators = load("own_operators")


@pytest.mark.parametrize("make", own_operators.PROGRAMS, ids=lambda make: make.__name__)
def test_own_operators(make):
    check(make, [rows(40)])


iteration = load("iteration")


@pytest.mark.parametrize("make", iteration.PROGRAMS, ids=lambda make: make.__name__)
def test_iteration(make):
    check(make, [rows(40)])


higher_order = load("higher_order")


@pytest.mark.parametrize("make", higher_order.PROGRAMS, ids=lambda make: make.__name__)
def test_higher_order(make):
    check(make, [rows(40)])


einops_patterns = load("einops_patterns")


@pytest.mark.parametrize(
    "make", einops_patterns.PROGRAMS, ids=lambda make: make.__name__
)
def test_einops(make):
    check(make, [rows(40)])


THEMES = (
    *(attributes, enums, hooks, contexts, library, prelude, modules, syntax, numbers),
    *(found, people, generators, iteration, higher_order, user_classes),
    *(einops_patterns, own_operators),
)
REFUSED = {make: why for theme in THEMES for make, why in theme.REFUSED.items()}


@pytest.mark.parametrize("make", REFUSED, ids=lambda make: make.__name__)
def test_refused(make):
    """Refused with these words at this line."""
    code, words, line = REFUSED[make]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(build(make), (rows()[0],))
    found = [e for e in caught.value.errors if e.code == code]
    assert any(words in e.what for e in found), str(caught.value)
    assert any(line in str(e) for e in found), str(caught.value)
