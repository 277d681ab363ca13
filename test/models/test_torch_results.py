"""What torch's modules and functions give as users meet it, against eager."""

import pytest
import torch

import dycl


def test_a_named_result_is_returned_as_such():
    x = torch.arange(12.0).reshape(3, 4).sin()
    net = dycl.compile(lambda x: {"best": x.topk(2, 1)}, (x,), cache=False)
    found, wanted = net(x)["best"], x.topk(2, 1)
    assert type(found) is type(wanted)
    assert torch.equal(found.values, wanted.values)
    assert torch.equal(found.indices, wanted.indices)
    by_name = net.with_python_host()(x.numpy())["best"]
    assert by_name.indices.tolist() == wanted.indices.tolist()


def test_all_that_a_pool_gives_is_returned():
    def pool(x):
        return torch.nn.functional.max_pool2d(x, 2, return_indices=True)

    x = torch.arange(16.0).reshape(1, 1, 4, 4).sin()
    values, places = dycl.compile(pool, (x,), cache=False)(x)
    assert torch.equal(values, pool(x)[0])
    assert torch.equal(places, pool(x)[1])


@pytest.mark.filterwarnings("ignore:Using padding='same'")
def test_a_padding_that_is_not_the_same_on_both_sides():
    """torch-mlir did not come back from one."""

    def windows(x, rows, planes):
        same = {"padding": "same"}
        short = torch.nn.functional.conv1d(rows, x[0, :, :2, :4], **same)
        wide = torch.nn.functional.conv3d(planes, planes[:, :, :2, :4], **same)
        far = torch.nn.functional.conv2d(x, x[:, :, :4, :3], dilation=3, **same)
        return torch.nn.functional.conv2d(x, x[:, :, :4, :2], **same), far, short, wide

    x = torch.arange(30.0).reshape(1, 1, 5, 6).sin()
    given = x, x[0, :, :2].repeat(1, 1, 2), x.reshape(1, 1, 2, 5, 3)
    found = dycl.compile(windows, given, cache=False, kernel_timeout=60)(*given)
    for ours, eager in zip(found, windows(*given), strict=True):
        torch.testing.assert_close(ours, eager)


class Alike(torch.nn.Module):
    def forward(self, x, y):
        if torch.equal(x, y):
            return x * 2
        if torch.allclose(x, y, atol=0.5):
            return x - y
        if x.equal(y[:2]) or not x.allclose(y, 0.5, 1.0):
            return x * y
        return x + y


@pytest.mark.parametrize(
    ("shift", "taken"),
    [(0.0, "x * 2"), (0.25, "x - y"), (1.4, "x + y"), (9.0, "x * y")],
)
def test_tensors_that_are_alike_decide(shift, taken):
    x = torch.tensor([1.0, 2.0, 3.0])
    net = dycl.compile(Alike().eval(), (x, x), cache=False)
    wanted = eval(taken, {"x": x, "y": x + shift})
    assert torch.equal(Alike()(x, x + shift), wanted)
    assert torch.equal(net(x, x + shift), wanted)
    assert torch.equal(net.with_python_host()(x, x + shift), wanted)


def test_a_nan_is_equal_to_nothing():
    x = torch.tensor([1.0, float("nan"), 3.0])
    net = dycl.compile(Alike().eval(), (x, x), cache=False)
    torch.testing.assert_close(net(x, x), Alike()(x, x), equal_nan=True)
    same = dycl.compile(
        lambda x, y: torch.allclose(x, y, equal_nan=True), (x, x), cache=False
    )
    assert same(x, x) is True
    assert same(x, x + 1) is False


def test_running_sums_and_products_are_those_of_doubles():
    """As in eager, along each dim, of rows whose number is not known as well."""

    def running(x):
        return x.cumsum(0), x.cumprod(0), x.cumsum(1), x.clone().cumsum_(0)

    x = torch.linspace(0.1, 1.9, 6000).reshape(2000, 3)
    rows = {"x": {0: dycl.Dim("n", max=3000)}}
    for given in ({}, {"dynamic_shapes": rows}):
        net = dycl.compile(running, (x,), cache=False, **given)
        for ours, eager in zip(net(x), running(x), strict=True):
            assert torch.equal(ours, eager)


def test_a_tensor_that_is_given_another_shape_in_place():
    """The tensor's name means the other shape from there on."""

    def late(x):
        y = x * 2
        y.t_()
        return y + 1

    def given(x):
        y = x * 2
        return y.t_() + 1, (x * 3).squeeze_((0, 1)), x.clone().unsqueeze_(0)

    def twice(x):
        y = x * 2
        other = y
        y.t_()
        return other + 1

    x = torch.arange(4.0).reshape(1, 4)
    net = dycl.compile(given, (x,), cache=False)
    for ours, eager in zip(net(x), given(x), strict=True):
        assert torch.equal(ours, eager)
    for function in late, twice:
        assert torch.equal(dycl.compile(function, (x,), cache=False)(x), function(x))


def test_the_neighbour_of_a_number():
    """Bit by bit: at powers of two, at the ends of a dtype, below normal numbers."""
    halves = torch.float16, torch.bfloat16
    bits = [torch.float32, torch.int32], *([half, torch.int16] for half in halves)
    given = []
    for dtype, _ in bits:
        facts, inf = torch.finfo(dtype), float("inf")
        tiny = facts.smallest_normal * facts.eps
        ends = [facts.max, facts.smallest_normal, tiny, 3 * tiny, 0.0, inf, inf - inf]
        some = [1.0, 2.0, 0.5, 1 + facts.eps, 2 - facts.eps, 3.7, 1e3, 0.1]
        x = torch.tensor([*ends, *some], dtype=dtype)
        given.append(torch.cat([x, -x]))

    def neighbours(x, y, z):
        pairs = [(v[:, None], v[None]) for v in (x, y, z)]
        return [torch.nextafter(*pair) for pair in pairs]

    net = dycl.compile(neighbours, tuple(given), cache=False)
    found = zip(net(*given), neighbours(*given), bits, strict=True)
    for ours, eager, (_, whole) in found:
        is_nan = eager != eager
        assert torch.equal(ours != ours, is_nan)
        same = ours.view(whole) == eager.view(whole)
        assert (same | is_nan).all()
