"""State on the model's objects: a sequence of calls equals the same calls in eager.

After every call the results are equal, and so is every attribute; the interpreter is
run beside, on the first and on the last level.
"""

import copy
import gc
import importlib.util
import re
import sys
from pathlib import Path

import pytest
import torch
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.ir.records import Record
from dycl.ir.values import ObjectRef
from dycl.runtime.inputs import InputError
from dycl.tools.same import new_context


def load(theme):
    """A file of programs, under a name that no other test's module has."""
    name = f"dycl_test_programs_{theme}"
    if name not in sys.modules:
        path = Path(__file__).parent / "programs" / f"{theme}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


programs = load("state")
sized = load("sized_state")


def assert_same(actual, expected):
    """Equal in structure, types and values."""
    if isinstance(expected, torch.Tensor):
        actual = torch.as_tensor(actual)
        torch.testing.assert_close(actual, expected.detach(), rtol=1e-4, atol=1e-5)
    elif isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        for key in expected:
            assert_same(actual[key], expected[key])
    elif isinstance(expected, float):
        assert type(actual) is float
        assert actual == pytest.approx(expected, rel=1e-4)
    else:
        assert type(actual) is type(expected)
        assert actual == expected


def attribute(model, name):
    """The attribute `control.hidden` of a model."""
    for part in name.split("."):
        around, model = model, getattr(model, part, "@no value")
    if isinstance(model, (torch.nn.Module, programs.Box)):
        return as_text(around, model)
    return model


def plain(value):
    """What stands for an object, whose number eager knows nothing of."""
    if isinstance(value, Record):
        return f"@made {value.type.name.rpartition('.')[2]}"
    if isinstance(value, ObjectRef):
        value = f"@{value.path}"
    is_text = isinstance(value, str)
    return re.sub(r"^(@made .*?)_\d+$", r"\1", value) if is_text else value


def as_text(around, value):
    """How a state names a module of the model, or an object that was made."""
    names = [name for name, one in around.named_modules() if one is value]
    return f"@{min(names, key=len)}" if names else f"@made {type(value).__name__}"


def interpreters(net):
    """One for each level that differs in how state is kept."""
    for level in ("source", "normal", "typed", "hcfg", "host"):
        module = Parser(new_context(), net.stages[level]).parse_module()
        yield Interpreter(module, net.weights)


def inputs(count=40):
    """Inputs of 1x4, small and large, positive and negative."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    return [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]


def check(start, sequences):
    """Run sequences of calls everywhere; every decision goes both ways."""
    net = dycl.compile(start, (sequences[0][0],), verify=True)
    machines = list(interpreters(net))
    taken = set()
    for sequence in sequences:
        model = copy.deepcopy(start)
        net.reset_state()
        runs = [(machine, {}) for machine in machines]
        for x in sequence:
            actual = net(x)
            taken |= {(d.name, d.line, d.taken) for d in net.path}
            with torch.no_grad():
                expected = model(x)
            assert_same(actual, expected)
            for name, value in net.state.items():
                assert_same(plain(value), attribute(model, name))
            for interpreter, state in runs:
                result = interpreter.run([x], state=state)
                state |= result.state
                assert_same(result.value, expected)
                for name, value in state.items():
                    assert_same(plain(value), attribute(model, name))
    sides = {(name, line, t) for name, _, _, line in net.decisions for t in (0, 1)}
    assert taken == sides
    return net


@pytest.mark.parametrize("make", programs.PROGRAMS, ids=lambda make: make.__name__)
def test_sequence_of_calls_equals_eager(make):
    torch.manual_seed(0)
    rows = inputs()
    check(make().eval(), [rows[:30], rows[30:], *([x] for x in rows[:6])])


@pytest.mark.parametrize("make", sized.PROGRAMS, ids=lambda make: make.__name__)
def test_state_of_another_size_after_each_call(make):
    torch.manual_seed(0)
    rows = inputs()
    net = check(make().eval(), [rows[:20], *(rows[i : i + 4] for i in range(12))])
    assert any(size.name.startswith("self.") for size in net.sizes)


def test_a_size_of_the_state_is_named_as_the_user_reaches_the_tensor():
    for make, places in (
        (sized.Attention, ["cache[0]", "cache[1]"]),
        (sized.KeptRows, ["rows['all']"]),
        (sized.Nested, ["kept[0]", "kept[1][0]", "kept[1][1]['a']"]),
    ):
        net = dycl.compile(make().eval(), (torch.ones(1, 4),))
        assert [s.name for s in net.sizes] == [f"self.{p}.size(0)" for p in places]


def test_reading_what_no_call_has_set_raises():
    model = programs.ReadTooEarly().eval()
    net = dycl.compile(model, (torch.ones(1, 4),))
    xs = [-torch.ones(1, 4), torch.ones(1, 4), -torch.ones(1, 4)]
    with pytest.raises(AttributeError) as expected:
        model(xs[0])
    with pytest.raises(AttributeError) as caught:
        net(xs[0])
    assert str(caught.value) == str(expected.value)
    assert net.state == {}
    for x in xs[1:]:
        assert_same(net(x), model(x))
    assert list(net.state) == ["last"]
    net.reset_state()
    with pytest.raises(AttributeError):
        net(xs[0])
    net.state = {"last": torch.full((1, 4), 3.0)}
    assert_same(net(xs[0]), torch.full((1, 4), 2.0))


@pytest.mark.parametrize("host", ["native", "python"])
def test_state_and_inputs_of_any_size(host, tmp_path):
    torch.manual_seed(0)
    start = sized.Window(8).eval()
    n = dycl.Dim("n", max=20)
    shapes = {"x": {0: n}}
    net = dycl.compile(start, (torch.randn(3, 4),), dynamic_shapes=shapes, host=host)
    net.save(tmp_path / "net.dycl")
    taken = set()
    sizes = [0, 3, 1, 0, 2, 9, 20, 1, 12]
    for one in (net, dycl.load(tmp_path / "net.dycl")):
        model = copy.deepcopy(start)
        sizes.reverse()
        for rows in sizes:
            x = torch.randn(rows, 4)
            assert_same(one(x), model(x))
            taken |= {(d.name, d.taken) for d in one.path}
            assert_same(one.state["rows"], model.rows)
        one.state = {"rows": torch.ones(6, 4)}
        model.rows = torch.ones(6, 4)
        assert_same(one(x), model(x))
        with pytest.raises(InputError, match=r"`rows` is float32\[6, 5\]; the netw"):
            one.state = {"rows": torch.ones(6, 5)}
        one.reset_state()
        assert tuple(one.state["rows"].shape) == (0, 4)
    assert {t for _, t in taken} == {False, True}
    assert len(taken) == 2 * len(net.decisions)


def test_keys_and_values_of_an_attention_are_of_one_size():
    """Eager reads past the end of the shorter ones."""
    torch.manual_seed(0)
    start = sized.KeysAndValues().eval()
    shapes = {"x": {0: dycl.Dim("t", min=1, max=16)}}
    net = dycl.compile(start, (torch.randn(3, 4),), dynamic_shapes=shapes)
    model = copy.deepcopy(start)
    for count in (3, 1, 1, 2, 1, 5):
        x = torch.randn(count, 4)
        assert_same(net(x), model(x))
    for keys, values in ((3, 5), (5, 3), (0, 3), (3, 0), (1, 2)):
        net.state = {
            "keys": torch.ones(1, 2, keys, 4),
            "values": torch.ones(1, 2, values, 4),
        }
        with pytest.raises(InputError, match=r"must (be|hold)"):
            net(x)


def test_a_number_is_of_the_kind_that_it_is_set_to():
    model = programs.WholeOrNot().eval()
    net = dycl.compile(model, (torch.ones(1, 4),))
    x = torch.full((1, 4), -1.0)
    for n in (3, 3.0, 0, 2**62, -0.5, 0.0):
        model.n = n
        net.state = {"n": n}
        assert_same(net(x), model(x))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"h": torch.ones(1, 5)}, "`h` is float32[1, 5]; the network was compiled for"),
        ({"h": 3}, "`h` is 3; the network was compiled for None or float32[1, 4]"),
        ({"c": [torch.ones(1, 4), 0]}, "`c` is [float32[1, 4], 0]; the network was"),
        ({"c": (torch.ones(1, 4), 0.5)}, "for None or (float32[1, 4], int)"),
        ({"c": (torch.ones(1, 4),)}, "`c` is (float32[1, 4],); the network was"),
        ({"c": [0] * 9}, "`c` is a list of 9 items; the network was"),
        ({"h": torch.ones(1, 4)}, "but must be None while `c` is None: set them toge"),
        ({"c": (torch.ones(1, 4), 0)}, "but must be None while `h` is None"),
    ],
)
def test_why_a_state_is_of_no_kind(wrong, why):
    net = dycl.compile(programs.SetTogether().eval(), (torch.ones(1, 4),))
    with pytest.raises(InputError, match=re.escape(why)):
        net.state = wrong
    assert net.state == {"h": None, "c": None}
    net.state = {"h": torch.ones(1, 4), "c": (torch.ones(1, 4), 7)}
    assert_same(net(torch.zeros(1, 4)), torch.full((1, 4), 9.0))


def test_a_call_that_finds_its_kind_leaves_no_garbage():
    """Kinds are looked for without exceptions, which hold their frames."""
    net = dycl.compile(sized.Attention().eval(), (torch.ones(1, 4),))
    xs = inputs(20)
    found: list[int] = []
    gc.disable()
    try:
        for _ in range(5):  # other threads may leave some of their own
            gc.collect()
            for x in xs:
                net(x)
            found.append(gc.collect())
    finally:
        gc.enable()
    assert min(found[1:]) < len(xs)


def test_a_tensor_in_two_places_of_the_state_is_not_changed_in_place():
    model = programs.ChangesOneOfTwo().eval()
    with pytest.raises(dycl.CompileError, match="also held by another attribute"):
        dycl.compile(model, (torch.ones(1, 4),))
