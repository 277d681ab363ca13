"""`dynamic_shapes` in torch.export's form, with our `Dim` and with torch's."""

import subprocess
import sys
from typing import Any, NamedTuple

import pytest
import torch
from torch.export import Dim as TorchDim

import dycl
from dycl.driver.dynamic_shapes import with_dynamic_shapes, with_hints
from dycl.driver.inputs import example_of
from dycl.ir.input_sizes import InputSize


class Pair(NamedTuple):
    first: Any
    second: Any


x, y = torch.zeros(3, 4), torch.zeros(4)
n = dycl.Dim("n", min=1, max=8)


def model(x, other=None, *, mask=None):
    return x


def found(inputs, shapes, **kwargs):
    """The types as text, and the sizes."""
    example = example_of(model, inputs, kwargs)
    example = with_dynamic_shapes(model, inputs, kwargs, example, shapes)
    types = [str(t).removeprefix("!torch.vtensor") for t in example.types]
    return types, example.sizes


N = InputSize("n", 1, 8, (("x", 0),))
AUTO = InputSize("x.size(0)", 0, None, (("x", 0),))


@pytest.mark.parametrize(
    ("shapes", "size"),
    [
        ({"x": {0: n}}, N),
        ({"x": (n, None)}, N),
        ({"x": [n, dycl.Dim.STATIC]}, N),
        (({0: n},), N),
        ({"x": {-2: n}}, N),
        ({"x": {0: n, 1: 4}}, N),
        ({"x": {0: TorchDim("n", min=1, max=8)}}, N),
        ({"x": {0: TorchDim("n")}}, InputSize("n", 0, None, (("x", 0),))),
        ({"x": {0: dycl.Dim.AUTO}}, AUTO),
        ({"x": {0: dycl.Dim.DYNAMIC}}, AUTO),
        ({"x": {0: TorchDim.AUTO, 1: TorchDim.STATIC}}, AUTO),
        ({"x": {0: TorchDim.DYNAMIC}}, AUTO),
    ],
    ids=str,
)
def test_forms(shapes, size):
    assert found((x,), shapes) == (["<[?,4],f32>"], (size,))


@pytest.mark.parametrize("shapes", [{}, {"x": None}, {"x": {}}, (None,)], ids=str)
def test_nothing_is_dynamic(shapes):
    assert found((x,), shapes) == (["<[3,4],f32>"], ())


def test_a_range_of_one_size_is_fixed():
    shapes = {"x": {0: dycl.Dim("n", min=3, max=3)}}
    assert found((x,), shapes) == (["<[3,4],f32>"], ())


def test_one_name_in_structures_and_keywords():
    m = dycl.Dim("m")
    types, sizes = found(
        (x, [{"a": y}, Pair(y, 1)]),
        {"x": {1: m}, "other": [{"a": (m,)}, (None, None)], "mask": {0: m}},
        mask=y,
    )
    assert types == ["<[3,?],f32>", "<[?],f32>", "<[4],f32>", "!torch.int", "<[?],f32>"]
    places = (("x", 1), ("other[0]['a']", 0), ("mask", 0))
    assert sizes == (InputSize("m", 0, None, places),)


@pytest.mark.parametrize(
    ("shapes", "error", "words"),
    [
        ({"z": {0: n}}, TypeError, "names `z`, which is no input; there is x"),
        ((None, None), TypeError, "has 2 entries for 1 inputs"),
        (3, TypeError, "a dict by the names of parameters, or a tuple"),
        ({"x": {2: n}}, TypeError, "`x` has 2 dimensions; dynamic_shapes says some"),
        ({"x": (n,)}, TypeError, "an entry for each of its 2"),
        ({"x": {0: "n"}}, TypeError, "has 'n', which is no Dim"),
        ({"x": {0: 5}}, ValueError, "has size 3 in dimension 0, which dynamic_shapes"),
        (
            {"x": {0: dycl.Dim("n", min=4)}},
            ValueError,
            "size 3 in dimension 0, which is not in `n`: 4 or more",
        ),
        ({"x": (n, n)}, ValueError, "the Dim `n` is 3 and 4 in the example inputs"),
        (
            {"x": (n, dycl.Dim("n"))},
            ValueError,
            "the Dim `n` has two ranges: 1 to 8, 0 or more",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_refused(shapes, error, words):
    with pytest.raises(error) as caught:
        found((x,), shapes)
    assert words in str(caught.value)


@pytest.mark.parametrize("range_", [(0, 1), (3, 2), (-1, None)], ids=str)
def test_no_range(range_):
    low, high = range_
    with pytest.raises(ValueError, match="the Dim `n`"):
        dycl.Dim("n", min=low, max=high)


def test_dim_needs_no_torch():
    program = "import dycl, sys; dycl.Dim('n'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


RECKONED = """
import sys, dycl, torch
n = dycl.Dim("n", min=2, max=64)
def forward(x):
    return torch.cat([x, x])[1:].reshape(-1)
options = {"dynamic_shapes": {"x": {0: n}}, "cache": False}
net = dycl.compile(forward, (torch.ones(3, 4),), **options)
assert net(torch.ones(5, 4)).shape == (36,)
print("torch._dynamo" in sys.modules, "torch._inductor.sizevars" in sys.modules)
"""


def test_reckoning_with_sizes_does_not_import_inductor(tmp_path):
    file = tmp_path / "net.py"
    file.write_text(RECKONED)
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]


def test_sizes_that_are_reckoned_from_another():
    """Each is a size of its own, in all its places; the ops ask how they relate."""
    n = TorchDim("n", min=2, max=20)
    shapes = {"x": {0: n}, "y": {0: 2 * n}, "z": {0: 2 * n}}
    example = torch.zeros(3, 4), torch.ones(6, 4), torch.ones(6)
    net = dycl.compile(
        lambda x, y, z: (torch.cat([x, x]) + y) * z[:, None],
        example,
        dynamic_shapes=shapes,
    )
    assert list(map(str, net.sizes)) == ["n = 2..20", "y.size(0) = 4..40"]
    given = torch.ones(2, 4), torch.ones(4, 4), torch.arange(4.0)
    torch.testing.assert_close(net(*given), 2 * given[2][:, None].expand(4, 4))
    with pytest.raises(dycl.runtime.InputError, match=r"must be `y\.size\(0\)`"):
        net(given[0], torch.ones(6, 4), torch.ones(6))
    with pytest.raises(
        dycl.runtime.InputError, match=r"where y\.size\(0\) is 4 in `y`"
    ):
        net(given[0], given[1], torch.ones(6))


SIZES = (InputSize("n", 1, 8, (("x", 0),)), InputSize("m", 0, None, (("x", 1),)))


def test_hints_are_versions():
    found = with_hints(SIZES, {"n": [4, 8, 4], "m": 0})
    assert [size.versions for size in found] == [(4, 8), (0,)]
    assert with_hints(SIZES, {"m": range(2)})[1].versions == (0, 1)
    assert with_hints(SIZES, {"n": []}) == with_hints(SIZES, None) == SIZES


@pytest.mark.parametrize(
    ("hints", "error", "message"),
    [
        ({"k": [4]}, ValueError, "`k`, which is no dynamic size: calls decide n, m"),
        ({"n": [9]}, ValueError, "the hint n = 9 is not in n = 1..8"),
        ({"m": [-1]}, ValueError, "the hint m = -1 is not in m = 0.."),
        ({"n": "4"}, TypeError, "hints has '4' for `n`; write sizes, as in hints={'n'"),
        ({"n": [True]}, TypeError, "hints has True for `n`"),
        ({"n": range(1, 7), "m": [1, 2, 3]}, ValueError, "asks for 18 versions"),
    ],
    ids=str,
)
def test_hints_that_are_wrong(hints, error, message):
    with pytest.raises(error) as caught:
        with_hints(SIZES, hints)
    assert message in str(caught.value)


def test_hints_without_dynamic_sizes():
    with pytest.raises(ValueError, match="no dynamic size: no size is dynamic"):
        dycl.compile(model, (x,), hints={"n": [4]})
