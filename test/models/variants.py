"""A variant of each network that a model test compiles: its twin.

The twin is compiled beside the network, with other options, and the calls of the test
are noted. When the test has ended, the twin has to give what the network gave, and
more, as the variant says (`in_rows.py`, `in_sizes.py`). What has no twin is counted and
named in the summary, with the reason.
"""

import copy
import functools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from dycl.compiled import CompiledModel
from dycl.driver import models
from dycl.options import CompileOptions
from dycl.runtime import InputError
from dycl.tools.same import value_difference

NATIVE, REFERENCE = "native", "reference"
INTERPRETED = {"backend": REFERENCE, "host": "auto", "target": NATIVE, "threads": 1}
COMPARED = "compared"
VARIANTS = {}
"""Option -> what makes a `Twins` of a `Compiled`, or raises NoVariant."""
MOST_CALLS = 40
ALIKE = 1e-4
"""How far apart values of a network and its twin may be: sums of another order."""
COARSE = (torch.float16, torch.bfloat16)


class NoVariant(Exception):
    """A network, or a call, for which there is no variant; says why."""


@dataclass(frozen=True)
class Compiled:
    """A network, and how it was compiled."""

    net: CompiledModel
    compiling: Any
    """`compile_watched`."""
    model: Any
    inputs: tuple
    options: CompileOptions | None
    given: dict
    """What `compile_watched` is given by keyword."""
    kind: str
    """What computes the kernels of the twin: REFERENCE or NATIVE."""

    def check(self, untaken):
        """NoVariant: an option is given with which there is no twin."""
        plain = vars(CompileOptions())
        asked = vars(self.options or CompileOptions()) | self.given
        for name, why in untaken.items():
            if asked.get(name) and asked[name] != plain.get(name):
                raise NoVariant(why)
        if isinstance(self.model, torch.export.ExportedProgram):
            raise NoVariant("an exported program")
        if any("expression" not in one for one in effects_of(self.net)):
            raise NoVariant("effects that must not be had twice")

    def changed(self, **more):
        """The keywords for the twin."""
        kernels = INTERPRETED if self.kind == REFERENCE else {}
        return self.given | {"keep": None} | more | kernels


def effects_of(net):
    return net.native.program.tables["effects"] if net.native is not None else ()


@dataclass
class Call:
    """A call of the network: what it was given, and how it ended."""

    before: tuple
    state: dict
    """What the network kept when it began."""
    kwargs: dict = field(default_factory=dict)
    value: Any = None
    error: Exception | None = None
    path: tuple = ()
    after: tuple = ()
    """The arguments behind it."""
    kwargs_after: dict = field(default_factory=dict)
    state_after: dict = field(default_factory=dict)
    is_copied: bool = True
    """Whether the value is the one that it gave: objects may be equal to themselves
    alone, and a dict that changes what is put into it is another one when copied."""


@dataclass
class Twins:
    """A network, its twin, and the calls of a test."""

    one: CompiledModel
    many: CompiledModel
    """The twin, which takes more than the one."""
    weights: Any = field(default=None, init=False)
    calls: list = field(default_factory=list, init=False)

    def __post_init__(self):
        self.weights = self.one.weights

    @property
    def has_state(self):
        """Whether there is a state, which may be empty before the first call."""
        return bool(self.many.network._state.rows)

    def takes(self, args, kwargs):
        """Whether a call is one that can be compared."""
        raise NotImplementedError

    def compare(self):
        """What there is to say in the summary. AssertionError: the twin gives something
        else. NoVariant: there is nothing to compare."""
        raise NotImplementedError

    def run(self, call, args, kwargs=None):
        """`call(one, *args, **kwargs)`, noted if it can be compared."""
        kwargs = kwargs or {}
        if len(self.calls) >= MOST_CALLS or not self.takes(args, kwargs):
            return call(self.one, *args, **kwargs)
        noted = Call(*copy.deepcopy((args, self.one.state, kwargs)))
        try:
            value = call(self.one, *args, **kwargs)
        except InputError:
            raise
        except Exception as error:
            noted.error = error
            self.calls.append(noted)
            raise
        noted.value, noted.after, noted.kwargs_after = copy.deepcopy(
            (value, args, kwargs)
        )
        noted.path, noted.state_after = self.one.path, self.one.state
        noted.is_copied = are_alike(value, noted.value)
        self.calls.append(noted)
        return value


CALL = CompiledModel.__call__


def way(decision):
    """What is the same of a decision in a network and its twin."""
    return decision.test, decision.file, decision.line, decision.taken


def are_alike(value, other):
    """Whether a value is known to be the same as another."""
    try:
        return value_difference(value, other) is None
    except Exception:  # `==` may be anybody's.
        return False


def tolerance(value):
    """How far from a value that of the twin may be."""
    coarse = any(one.dtype in COARSE for one in tensors_in(value))
    return ALIKE * (100 if coarse else 1)


@functools.singledispatch
def tensors_in(value):
    """The tensors in a value."""
    fields = getattr(value, "__dataclass_fields__", ())
    return tensors_in([getattr(value, name, None) for name in fields])


@tensors_in.register
def _(value: torch.Tensor):
    return [value]


@tensors_in.register
def _(value: dict):
    return tensors_in([*value.values()])


@tensors_in.register(tuple)
@tensors_in.register(list)
def _(value):
    return [tensor for item in value for tensor in tensors_in(item)]


def asked(config):
    """The option and the kind of kernels that are asked for; ("", ""): none."""
    found = [(name, config.getoption(name)) for name in VARIANTS]
    found = [(name, kind) for name, kind in found if kind]
    if len(found) > 1:
        raise pytest.UsageError("one variant at a time")
    return found[0] if found else ("", "")


@pytest.fixture(scope="module", autouse=True)
def twins(request):
    """Networks -> their twins, or why there are none; None: no variant is asked for."""
    name, kind = asked(request.config)
    if not kind:
        yield None
        return
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        compiling = with_twin(models.compile_watched, VARIANTS[name], kind, made)
        patch.setattr(models, "compile_watched", compiling)
        patch.setattr(CompiledModel, "__call__", noting(CompiledModel.__call__, made))
        yield made


@pytest.fixture(autouse=True)
def twins_compared(request, twins):
    """Compares what a test has called, and notes for the summary what there was."""
    if twins is None:
        yield
        return
    known = set(twins)
    yield
    said = Counter()
    try:
        for net, own in twins.values():
            said.update(outcome_of(net, own, is_new=id(net) not in known))
    finally:
        for key in [key for key in twins if key not in known]:
            del twins[key]
    name = asked(request.config)[0]
    found = [*said] or ["no network is compiled or called"]
    request.node.user_properties.append((name, found))


def outcome_of(net, twins, *, is_new):
    """What the summary says of a network; []: the test has nothing to do with it.

    Raises what compiling the twin has raised, and AssertionError.
    """
    if isinstance(twins, NoVariant):
        return [str(twins)] if is_new else []
    if isinstance(twins, Exception):
        raise twins
    if not is_new and not twins.calls:
        return []
    try:
        if twins.one.weights is not twins.weights:
            raise NoVariant("it gets other weights")
        return twins.compare()
    except NoVariant as why:
        return [str(why)]
    finally:
        twins.calls.clear()


def with_twin(compiling, twins_of, kind, made):
    """`compile_watched`, which compiles the twin of each network as well."""

    def compiled(model, inputs, watch, options=None, listener=None, **given):
        net = compiling(model, inputs, watch, options, listener, **given)
        try:
            twins = twins_of(
                Compiled(net, compiling, model, inputs, options, given, kind)
            )
        except Exception as error:  # The test goes on as if there were no twin.
            twins = error
        made[id(net)] = net, twins
        return net

    return compiled


def noting(call, made):
    """`CompiledModel.__call__`, which notes the calls of networks that have a twin."""

    def noted(self, *args, **kwargs):
        net, twins = made.get(id(self), (None, None))
        if net is not self or not isinstance(twins, Twins):
            return call(self, *args, **kwargs)
        return twins.run(call, args, kwargs)

    return noted


def pytest_terminal_summary(terminalreporter, config):
    """Which tests were compared, and which have no variant, and why."""
    name, tests = asked(config)[0], {}
    for report in [r for some in terminalreporter.stats.values() for r in some]:
        if getattr(report, "when", None) == "teardown":
            for why in dict(report.user_properties).get(name, ()):
                tests.setdefault(why, []).append(report.nodeid)
    if tests:
        terminalreporter.section(name)
    for why, names in sorted(tests.items()):
        terminalreporter.write_line(f"{len(names)} tests: {why}")
        for name in sorted(names) if why != COMPARED else ():
            terminalreporter.write_line(f"    {name}")
