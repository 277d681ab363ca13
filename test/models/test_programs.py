"""Small dynamic networks, written as PyTorch users write them: equal, or refused.

Each compiled program runs on inputs that take both sides of every decision, which is
asserted; a refused one names its line.
"""

import dataclasses
import importlib.util
import re
import sys
import warnings
from pathlib import Path

import pytest
import torch
from xdsl.context import Context
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.ir.not_evaluated import NotEvaluated
from dycl.runtime import RecursionLimit
from dycl.universe import everything


def parsed(text):
    context = Context()
    for name, dialect in everything().all_dialects.items():
        context.register_dialect(name, dialect)
    return Parser(context, text).parse_module()


def load(theme):
    """A file of programs, under a name that no other test's module has."""
    name = f"dycl_test_programs_{theme}"
    if name not in sys.modules:
        path = Path(__file__).parent / "programs" / f"{theme}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


control, functions, joins, objects, operations, refused, selection = map(
    load,
    (
        "control",
        "functions",
        "joins",
        "objects",
        "operations",
        "refused",
        "selection",
    ),
)
exported = load("exported")
made_objects = load("made_objects")
changed_dataclasses = load("changed_dataclasses")
own_dicts = load("own_dicts")
_OBJECTS = (made_objects, changed_dataclasses, own_dicts)
MADE = [make for theme in _OBJECTS for make in theme.PROGRAMS]
REFUSED_OBJECTS = {make: why for t in _OBJECTS for make, why in t.REFUSED.items()}
OBJECTS_THAT_RAISE = changed_dataclasses.RAISING + own_dicts.RAISING


def rows(count=250):
    """Inputs of 1x4: one-sided ones, small ones and large ones."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    return [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]


def equal(one, other):
    """The same type, layout and values; quicker to find out than how close they are."""
    kinds = [(t.dtype, t.device, t.layout) for t in (one, other)]
    plain = one.layout == torch.strided and not one.is_quantized
    return kinds[0] == kinds[1] and plain and torch.equal(one, other)


def assert_same(actual, expected):
    """Equal in structure, types and values; NaN equals NaN."""
    if isinstance(expected, torch.Tensor):
        assert isinstance(actual, torch.Tensor)
        expected = expected.detach()
        if equal(actual, expected):
            return  # Looked at first: thousands of results are the same to the bit.
        torch.testing.assert_close(
            actual, expected, rtol=1e-4, atol=1e-5, equal_nan=True
        )
    elif dataclasses.is_dataclass(expected):
        assert type(actual) is type(expected)
        for one in dataclasses.fields(expected):
            assert_same(getattr(actual, one.name), getattr(expected, one.name))
    elif isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        for key in expected:
            assert_same(actual[key], expected[key])
    elif hasattr(expected, "__dict__") and not isinstance(expected, type):
        assert type(actual) is type(expected)
        assert_same(vars(actual), vars(expected))
    elif expected is None or isinstance(expected, (str, bool, int, type, torch.dtype)):
        assert type(actual) is type(expected)
        assert actual == expected
    else:
        assert type(actual) is type(expected)
        assert actual == pytest.approx(expected, rel=1e-4, nan_ok=True)


ENOUGH = 40
"""Inputs after which a program that has gone all ways needs no more random ones."""


def check(model, inputs, compiled=None):
    """Compile and compare; every decision goes both ways, and results stay.

    `compiled`: what to compile, if that is not the model itself.
    """
    net = dycl.compile(compiled or model, inputs[0], verify=True)
    sides = {(name, line, t) for name, _, _, line in net.decisions for t in (0, 1)}
    taken, results = set(), []
    for given in inputs:
        if len(results) >= ENOUGH and taken == sides:
            break
        before = [x.clone() if isinstance(x, torch.Tensor) else x for x in given]
        actual = net(*given)
        assert_same(list(given), before)
        with torch.no_grad():
            expected = model(*before)
        assert_same(actual, expected)
        taken |= {(d.name, d.line, d.taken) for d in net.path}
        results.append((actual, expected))
    assert taken == sides
    for actual, expected in results:
        assert_same(actual, expected)
    return net


@pytest.mark.parametrize("make", control.PROGRAMS, ids=lambda make: make.__name__)
def test_control(make):
    torch.manual_seed(0)
    check(make().eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize("make", exported.PROGRAMS, ids=lambda make: make.__name__)
def test_exported(make, strict):
    torch.manual_seed(0)
    model = make().eval()
    with warnings.catch_warnings():  # torch's own, about its own tensors
        warnings.simplefilter("ignore")
        program = torch.export.export(model, (rows()[0],), strict=strict)
    check(model, [(row,) for row in rows(60)], program)


@pytest.mark.parametrize("function", joins.PROGRAMS, ids=lambda f: f.__name__)
def test_joins(function):
    torch.manual_seed(0)
    check(joins.Joined(function).eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("make", functions.PROGRAMS, ids=lambda make: make.__name__)
def test_functions(make):
    torch.manual_seed(0)
    check(make().eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("make", objects.PROGRAMS, ids=lambda make: make.__name__)
def test_objects(make):
    torch.manual_seed(0)
    check(make().eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("make", MADE, ids=lambda m: m.__name__)
def test_made_objects(make):
    torch.manual_seed(0)
    model, inputs = make().eval(), [(row,) for row in rows(60)]
    net = check(model, inputs)
    for level in ("source", "normal", "typed", "host"):
        machine = Interpreter(parsed(net.stages[level]), net.weights)
        for row in inputs[:4]:
            try:
                found = machine.run(row).value
            except NotEvaluated:  # syntax that calls methods, before it is calls
                assert level == "source"
                continue
            assert_same(found, model(*row))


@pytest.mark.parametrize("make", OBJECTS_THAT_RAISE, ids=lambda m: m.__name__)
def test_objects_that_raise(make):
    torch.manual_seed(0)
    model, kinds = make().eval(), set()
    net = dycl.compile(model, (rows()[0],), verify=True)
    for x in rows(60):
        expected = _result(model, x)
        assert_same(_result(net, x), expected)
        kinds.add(type(expected))
    assert len(kinds) > 1
    assert str in kinds


@pytest.mark.parametrize("make", REFUSED_OBJECTS, ids=lambda m: m.__name__)
def test_refused_objects(make):
    code, words, line = REFUSED_OBJECTS[make]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(make().eval(), (torch.ones(1, 4),))
    found = caught.value.errors[0]
    assert found.code == code
    assert words in found.what
    assert line in str(found)


@pytest.mark.parametrize("make", selection.PROGRAMS, ids=lambda make: make.__name__)
def test_selection(make):
    torch.manual_seed(0)
    check(make().eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("function", selection.RAISING, ids=lambda f: f.__name__)
def test_selection_raises(function):
    """What eager raises for a key that is not there, compiled code raises too."""
    torch.manual_seed(0)
    model = selection.failing(function).eval()
    net = dycl.compile(model, (rows()[0],), verify=True)
    failed = [x for x in rows() if isinstance(_result(model, x), str)]
    for x in rows():
        assert_same(_result(net, x), _result(model, x))
    assert 0 < len(failed) < len(rows())


@pytest.mark.parametrize("make", selection.MACHINES, ids=lambda make: make.__name__)
def test_machines_of_states(make):
    """From state to state by a table; which arms no run takes, the table says."""
    torch.manual_seed(0)
    model = make().eval()
    net = dycl.compile(model, (rows()[0],), verify=True)
    paths = set()
    for x in rows()[:80]:
        with torch.no_grad():
            assert_same(net(x), model(x))
        paths.add(tuple((d.name, d.taken) for d in net.path))
    assert len(paths) > 5


def test_a_tuple_that_is_no_key_raises():
    """Of the exception the class is eager's; it has the tuple as text."""
    model = selection.Missing().eval()
    net = dycl.compile(model, (rows()[0],), verify=True)
    raised, returned = set(), 0
    for x in rows():
        try:
            expected = model(x)
        except KeyError as error:
            raised.add(str(error))
            with pytest.raises(KeyError, match=re.escape(str(error))):
                net(x)
        else:
            assert net(x) == expected
            returned += 1
    assert len(raised) > 1
    assert returned


def _result(function, x):
    """What a call gives, or the words of what it raises."""
    try:
        return function(x)
    except (IndexError, KeyError, AttributeError, ValueError) as error:
        return f"{type(error).__name__}: {error.args}"


def test_equal_experts_share_one_kernel():
    torch.manual_seed(0)
    net = dycl.compile(selection.Experts().eval(), (rows()[0],))
    # The scores, one that all experts share, and the addition behind the join.
    assert net.stages["hcfg"].count("attributes {dycl.kernel") == 3


@pytest.mark.parametrize("name", operations.PROGRAMS)
def test_operations(name):
    torch.manual_seed(0)
    make, inputs = operations.PROGRAMS[name]
    check(make().eval(), inputs)


@pytest.mark.parametrize("name", refused.PROGRAMS)
def test_refused(name):
    make, inputs, code, words, line = refused.PROGRAMS[name]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(make(), inputs)
    found = [e for e in caught.value.errors if e.code == code]
    assert any(words in e.what for e in found), str(caught.value)
    assert not line or any(line in str(e) for e in found), str(caught.value)


values = load("values")


@pytest.mark.parametrize("function", values.PROGRAMS, ids=lambda f: f.__name__)
def test_values(function):
    torch.manual_seed(0)
    check(values.Values(function).eval(), [(row,) for row in rows()])


literals = load("literals")


@pytest.mark.parametrize("function", literals.PROGRAMS, ids=lambda f: f.__name__)
def test_literals(function):
    check(literals.Literals(function).eval(), [(row,) for row in rows(60)])


@pytest.mark.parametrize("function", literals.REFUSED, ids=lambda f: f.__name__)
def test_refused_literals(function):
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(literals.Literals(function).eval(), (torch.ones(1, 4),))
    (error,) = caught.value.errors
    assert literals.REFUSED[function] in error.what


stores = load("stores")


in_loops = load("stores_in_loops")


@pytest.mark.parametrize(
    "function", stores.PROGRAMS + in_loops.PROGRAMS, ids=lambda f: f.__name__
)
def test_stores(function):
    torch.manual_seed(0)
    check(stores.Stores(function).eval(), [(row,) for row in rows()])


refused_stores = stores.REFUSED | in_loops.REFUSED


@pytest.mark.parametrize("function", refused_stores, ids=lambda f: f.__name__)
def test_refused_stores(function):
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(stores.Stores(function).eval(), (torch.ones(1, 4),))
    error, *_ = caught.value.errors
    assert refused_stores[function] in error.what
    assert "# refused" in str(error)


items = load("items")


@pytest.mark.parametrize("function", items.PROGRAMS, ids=lambda f: f.__name__)
def test_items(function):
    torch.manual_seed(0)
    check(items.Items(function).eval(), [(row,) for row in rows()])


nested = load("nested_lists")


@pytest.mark.parametrize("function", nested.PROGRAMS, ids=lambda f: f.__name__)
def test_nested_lists(function):
    torch.manual_seed(0)
    check(nested.Nested(function).eval(), [(row,) for row in rows(60)])


networks = load("networks")


@pytest.mark.parametrize("make", networks.PROGRAMS, ids=lambda make: make.__name__)
def test_networks(make):
    torch.manual_seed(0)
    model, inputs = make()
    check(model.eval(), inputs)


dims = load("dims")


@pytest.mark.parametrize("function", dims.PROGRAMS, ids=lambda f: f.__name__)
def test_dims(function):
    check(dims.Along(function).eval(), dims.INPUTS)


recursion = load("recursion")


@pytest.mark.parametrize("function", recursion.PROGRAMS, ids=lambda f: f.__name__)
def test_recursion(function):
    check(recursion.Recursive(function).eval(), [(row,) for row in rows(30)])


def test_recursion_through_children():
    torch.manual_seed(0)
    check(recursion.Tree(2).eval(), [(row,) for row in rows()])


@pytest.mark.parametrize("function", recursion.REFUSED, ids=lambda f: f.__name__)
def test_refused_recursion(function):
    """At its line, and only once: few bodies are inlined before that is known."""
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(recursion.Recursive(function).eval(), (torch.ones(1, 4),))
    code, text = recursion.REFUSED[function]
    assert [e.code for e in caught.value.errors] == [code]
    assert text in caught.value.errors[0].what
    assert "# refused" in str(caught.value)
    assert str(caught.value).count("called from") < 10


def data_of_process():
    """Bytes of memory that this process may write, used or not."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(x for x in lines if x.startswith("VmData")).split()[1]) << 10


def test_memory_of_a_recursion_grows_with_its_depth():
    """What all calls may need, 750 MB here, is not asked for by the first one."""
    model = recursion.Halved().eval()
    net = dycl.compile(model, (torch.ones(256, 256),), max_recursion=1000)
    net(torch.full((256, 256), 0.5))
    before = data_of_process()
    for start in (3.0, 1e20, 1e30):
        x = torch.full((256, 256), start)
        assert torch.equal(torch.as_tensor(net(x)), model(x))
    assert data_of_process() - before < 300 << 20
    with pytest.raises(RecursionLimit, match=r"recursion.py:\d+ .*DY605"):
        net(torch.full((256, 256), torch.inf))
    assert torch.equal(torch.as_tensor(net(x)), model(x))
