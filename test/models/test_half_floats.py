"""Models in bfloat16 and float16, inputs, results and state included: eager's bits.

NumPy lacks bfloat16: an array of it holds its bits, as uint16.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError, WeightError
from dycl.tools.same import new_context


class Halves(nn.Module):
    """Halves across decisions, loops, lists, state, and an input that is written."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.LayerNorm(4)
        self.head = nn.Linear(4, 5)
        self.register_buffer("seen", torch.zeros(5))

    def forward(self, x, shift):
        y = F.relu(self.conv(x)).mean((2, 3))
        y = self.norm(y) + shift
        if y.sum() > 0:
            y = y + 0.5
            scores = self.head(y).softmax(-1)
        else:
            scores = self.head(y * 2)
        rows = []
        for row in scores:
            if row[0] >= 0.25:
                rows.append(row)
        self.seen = self.seen + scores.amax(0)
        shift.mul_(2)
        total = scores.sum().item()
        made = torch.tensor([total, total * 1.001, 0.3], dtype=x.dtype)
        return scores, len(rows), shift.tolist(), made, torch.full_like(y, 0.1), total


def halves(dtype):
    torch.manual_seed(3)
    return Halves().to(dtype).eval()


def calls(dtype):
    """Both signs of the first decision; ones that stand exactly at 0.25; NaN."""
    x = torch.randn(2, 3, 5, 5, generator=torch.Generator().manual_seed(1)).to(dtype)
    signs = torch.tensor([-1, 1, 2.5, -0.01])
    shifts = [signs.to(dtype) * k for k in (1, -9)]
    return [*((x, shift) for shift in shifts), (x * torch.nan, shifts[0])]


def same(actual, expected):
    for one, other in zip(actual, expected, strict=True):
        if isinstance(other, torch.Tensor):
            torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
        else:
            np.testing.assert_array_equal(one, other)  # NaN is NaN here


@pytest.fixture(scope="module", params=[torch.bfloat16, torch.float16], ids=str)
def compiled(request):
    dtype = request.param
    args = tuple(value.clone() for value in calls(dtype)[0])
    return dtype, dycl.compile(halves(dtype), args, verify=True)


def test_a_model_of_halves(compiled, tmp_path):
    dtype, net = compiled
    net.reset_state()
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    eager, taken = halves(dtype), set()
    for args in calls(dtype):
        ours, others, theirs = ([v.clone() for v in args] for _ in range(3))
        with torch.no_grad():
            expected = eager(*theirs)
        same(net(*ours), expected)
        same(loaded(*others), expected)
        same((ours[1], others[1]), (theirs[1], theirs[1]))
        same((net.state["seen"], loaded.state["seen"]), (eager.seen, eager.seen))
        taken |= {(d.test, d.taken) for d in net.path}
    for test in ("y.sum() > 0", "row[0] >= 0.25"):
        assert {(test, True), (test, False)} <= taken


def test_the_interpreter_on_each_level(compiled):
    dtype, net = compiled
    modules = [
        Parser(new_context(), text).parse_module() for text in net.stages.values()
    ]
    for args in calls(dtype):
        with torch.no_grad():
            expected = halves(dtype)(*(v.clone() for v in args))
        for module in modules:
            flat = [*(v.clone() for v in args), torch.zeros(5, dtype=dtype)]
            result = Interpreter(module, net.weights).run(flat[: len(net.inputs)])
            found = result.value[0] if len(result.value) == 2 else result.value
            same(found[:2], expected[:2])


def test_numpy_has_the_bits(compiled):
    dtype, net = compiled
    net.reset_state()
    x, shift = calls(dtype)[0]
    with torch.no_grad():
        expected = halves(dtype)(x, shift.clone())
    if dtype != torch.bfloat16:
        assert net(x.numpy(), shift.clone().numpy())[0].dtype == np.float16
        return
    found = net(*(v.clone().view(torch.uint16).numpy() for v in (x, shift)))
    assert found[0].dtype == np.uint16
    same([torch.from_numpy(found[0]).view(dtype)], expected[:1])
    with pytest.raises(InputError, match="dtype uint16; .* for bfloat16"):
        net(x.view(torch.uint16), shift)  # of torch's, these are numbers


def test_other_weights(compiled):
    dtype, net = compiled
    other = halves(dtype)
    with torch.no_grad():
        other.head.bias.add_(1)
        net.load_weights(other.state_dict())
        x, shift = calls(dtype)[0]
        same(net(x, shift.clone())[:1], other(x, shift.clone())[:1])
    net.load_weights(halves(dtype).state_dict())
    wide = {name: value.float() for name, value in other.state_dict().items()}
    with pytest.raises(WeightError, match=rf"is float32\[4\], not {str(dtype)[6:]}"):
        net.load_weights(wide)


class Moves(nn.Module):
    """What moves numbers of a half, compares them, and takes signs."""

    def forward(self, x, y):
        y = torch.where(y != y, 1, y)  # the sign of a NaN is any
        a, b = torch.broadcast_tensors(x[:, None], y[None])
        wide, other = a.double(), b.double()
        rounded = (wide * 0.375).to(x.dtype)
        signed = torch.copysign(rounded.double(), other)
        chosen = torch.where(wide == 0, other, wide)
        return (
            signed.to(x.dtype),
            torch.copysign(rounded, b),
            torch.where(a == b, b, rounded),
            torch.where(wide == other, other, signed).to(x.dtype),
            torch.where(x.double() != 0, x, y.flip(0)[: len(x)]),
            wide == 0,
            chosen.to(x.dtype),
            torch.cat([a, b]).T.contiguous(),
            a.clone(),
            -b,
            rounded.double(),
            torch.nextafter(a, b),
            torch.nextafter(x, -x),
        )


def edges(dtype, count):
    """Numbers of both signs, of which some are denormal, then zeros and infinities."""
    facts = torch.finfo(dtype)
    low, least = facts.smallest_normal, facts.smallest_normal * facts.eps
    some = [facts.max, low, least, 3 * least, 0, np.inf, np.nan, 1, 2, 0.3, low / 2]
    both = torch.tensor([*some, *(-v for v in some)], dtype=torch.float64).to(dtype)
    return both.repeat(2)[:count]


@pytest.mark.parametrize("count", [22, 30, 33, 7])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_denormals_are_not_zeros(dtype, count):
    args = edges(dtype, count), edges(dtype, 33).roll(5)
    model = Moves().eval()
    net = dycl.compile(model, args, verify=True)
    for given in (args, tuple(v * 0.5 for v in args), tuple(v.flip(0) for v in args)):
        found, expected = net(*given), model(*given)
        same(found, expected)
        for one, other in zip(found, expected, strict=True):
            signs = (torch.signbit(v) & (v == v) for v in (one, other))
            torch.testing.assert_close(*signs)
