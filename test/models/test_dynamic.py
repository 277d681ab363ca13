"""Lists and tensors whose length the data decides: equal to eager at every length.

What eager raises, a compiled network raises with the same words. The inputs take both
sides of every decision, and loops run differently often, the fewest times too. Each
level is printed, parsed and interpreted as well.
"""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest
import torch
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context


def load(theme):
    """A file of programs, under a name that no other test's module has."""
    path = Path(__file__).parent / "programs" / f"{theme}.py"
    spec = importlib.util.spec_from_file_location(f"dycl_test_programs_{theme}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # classes of what is returned are looked up there
    spec.loader.exec_module(module)
    return module


dynamic, run_time_lists = load("dynamic"), load("run_time_lists")
carried_structures, few_elements = load("carried_structures"), load("few_elements")
lists_of_tuples, changed_lists = load("lists_of_tuples"), load("changed_lists")
list_methods, filled_lists = load("list_methods"), load("filled_lists")
list_functions, slices = load("list_functions"), load("slices")
formatted, carried_dicts = load("formatted"), load("carried_dicts")
tables = load("tables")

_RAISED = [
    (f"{name}Error", 1) for name in ("Index", "NotImplemented", "Runtime", "Value")
]
REFUSED = (
    lists_of_tuples.REFUSED
    | list_methods.REFUSED
    | filled_lists.REFUSED
    | tables.REFUSED
)
LEVELS = ("normal", "typed", "hcfg", "host")


def inputs():
    """Small and large ones, whose largest element is at each place."""
    generator = torch.Generator().manual_seed(1)
    found = [torch.zeros(1, 4), torch.full((1, 4), 2.0)]
    for place in range(4):
        for size in (0.3, 1.0, 3.0):
            x = torch.randn(1, 4, generator=generator)
            x[0, place] = x.max() + 0.5
            found.append(x * size)
    return found


def equal(ours, eager):
    if isinstance(eager, (tuple, list)):
        assert type(ours) is type(eager)
        assert len(ours) == len(eager)
        for a, b in zip(ours, eager, strict=True):
            equal(a, b)
    elif isinstance(eager, dict):
        assert list(ours) == list(eager)
        equal(list(ours.values()), list(eager.values()))
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
    elif isinstance(eager, Exception):
        assert type(ours) is type(eager)
        assert str(eager) in str(ours)
    elif eager is None or isinstance(eager, (set, str)):
        assert ours == eager
    else:
        assert type(ours) is type(eager)
        assert ours == pytest.approx(eager, rel=1e-4)


def attempt(run, *args):
    """What a run gives, or what it raises."""
    try:
        with torch.no_grad():
            return run(*args)
    except (ArithmeticError, LookupError, RuntimeError, ValueError) as error:
        return error
    except StopIteration as error:
        return error


def interpreters(net, model):
    """A function for each level: its text, parsed and run."""
    with deep_recursion():
        for level in LEVELS:
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            yield level, lambda x, m=machine: m.run([x]).value


@pytest.mark.parametrize(
    "network",
    dynamic.PROGRAMS
    + run_time_lists.PROGRAMS
    + carried_structures.PROGRAMS
    + lists_of_tuples.PROGRAMS
    + changed_lists.PROGRAMS
    + list_methods.PROGRAMS
    + filled_lists.PROGRAMS
    + slices.PROGRAMS
    + formatted.PROGRAMS
    + carried_dicts.PROGRAMS
    + tables.PROGRAMS
    + list_functions.PROGRAMS
    + few_elements.PROGRAMS,
    ids=lambda n: n.__name__,
)
def test_equals_eager_at_every_length(network):
    torch.manual_seed(3)
    model = network().eval()
    given = getattr(network, "inputs", inputs)()
    net = dycl.compile(model, (given[0],), verify=True)
    taken, lengths, results = set(), set(), []
    for x in given:
        expected = attempt(model, x.clone())
        actual = attempt(net, x)
        equal(actual, expected)
        results.append((x, actual, expected))
        taken |= {(d.line, d.test, d.taken) for d in net.path}
        lengths.add(len(net.path))
    sides = {(line, test, t) for _, test, _, line in net.decisions for t in (0, 1)}
    # What Python raises for an empty list, or we for a large set, or where several
    # elements are no number, need not come about.
    raised = {side for side in sides if side[1:] in _RAISED}
    if network in tables.PROGRAMS:  # what is asked of keys may have one answer
        source = inspect.getsource(network)
        raised |= {side for side in sides if side[1] not in source}
    assert sides - raised <= taken <= sides
    assert len(lengths) > 1 or "while" not in net.stages["normal"]
    for _, actual, expected in results:
        equal(actual, expected)  # no later call has changed it
    for _level, run in interpreters(net, model):
        for x, _, expected in results[:6]:
            equal(attempt(run, x.clone()), expected)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_a_sparse_matrix_of_few_values():
    model = few_elements.SparseOfOne().eval()
    net = dycl.compile(model, (torch.ones(1, 4),))
    for x in (*inputs(), torch.tensor([[-1.0, -2.0, 3.0, -1.0]])):
        equal(attempt(net, x), attempt(model, x))


def test_nothing_is_next_where_no_run_fills_a_list():
    model = filled_lists.NeverFilled().eval()
    net = dycl.compile(model, (torch.ones(1, 4),), verify=True)
    for x in (torch.ones(1, 4), torch.full((1, 4), 50.0)):
        with torch.no_grad():
            expected = attempt(model, x)
        actual = attempt(net, x)
        equal(actual, expected)


@pytest.mark.parametrize("name", dynamic.REFUSED)
def test_refused(name):
    network, code, words, line = dynamic.REFUSED[name]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(network().eval(), (torch.zeros(1, 4),))
    found = [e for e in caught.value.errors if e.code == code]
    assert any(words in e.what for e in found), str(caught.value)
    assert line in str(caught.value)


@pytest.mark.parametrize(
    "network",
    REFUSED,
    ids=lambda network: network.__name__,
)
def test_refused_items(network):
    code, words, line = REFUSED[network]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(network().eval(), (torch.zeros(1, 4),))
    found = [e for e in caught.value.errors if e.code == code and words in e.what]
    assert found, str(caught.value)
    assert line in str(caught.value)


def test_what_a_nan_decides_is_not_said():
    """Which object a NaN is decides where Python sorts it to."""
    model = list_functions.Halves().eval()
    net = dycl.compile(model, (torch.ones(1, 4),))
    for value in (0.1, 0.5, 2.0):
        x = torch.full((1, 4), value)
        assert net(x) == pytest.approx(model(x))
    x = torch.tensor([[float("nan"), 0.0, 0.0, 0.0]])
    assert net(x) == model(x) == []


def test_appending_is_not_quadratic():
    """Lists share their items; a shorter one that goes on does not change a longer."""
    from dycl.runtime.items import Items

    one = Items([1, 2])
    two = one.append(3)
    other = one.append(4)
    assert [list(items) for items in (one, two, other)] == [
        [1, 2],
        [1, 2, 3],
        [1, 2, 4],
    ]
    assert two.append(5)._items is two._items
    assert list(two) == [1, 2, 3]
    assert list(two.extend(two)) == [1, 2, 3, 1, 2, 3]
