"""Complex weights and tensors: as pairs of real ones, equal to eager's, or refused."""

import json

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.context import Context
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.universe import everything


class Spectral1d(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.weights1 = nn.Parameter(
            torch.rand(width, width, modes, dtype=torch.cfloat) / width
        )

    def forward(self, x):
        x_ft = torch.fft.rfft(x)
        out_ft = torch.zeros(*x.shape[:2], x.size(-1) // 2 + 1, dtype=torch.cfloat)
        out_ft[:, :, : self.modes] = torch.einsum(
            "bix,iox->box", x_ft[:, :, : self.modes], self.weights1
        )
        return torch.fft.irfft(out_ft, n=x.size(-1))


class FNO1d(nn.Module):
    """With one layer under two names, and a decision between both."""

    shape = (2, 10, 1)

    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(1, 4)
        self.first = Spectral1d(4, 3)
        self.again = self.first
        self.skip = nn.Conv1d(4, 4, 1)
        self.project = nn.Linear(4, 1)

    def forward(self, x):
        x = self.lift(x).permute(0, 2, 1)
        x = torch.nn.functional.gelu(self.first(x) + self.skip(x))
        if x[:, 0].mean() > x[:, 1].mean():
            x = x + self.again(x)
        return self.project(x.permute(0, 2, 1))


class Spectral2d(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        weights = [torch.rand(width, width, modes, modes) for _ in range(4)]
        self.weights1 = nn.Parameter(torch.complex(*weights[:2]) / width)
        self.weights2 = nn.Parameter(torch.complex(*weights[2:]) / width)

    def forward(self, x):
        m, rows, columns = self.modes, x.size(-2), x.size(-1)
        x_ft = torch.fft.rfft2(x)
        out_ft = torch.zeros(
            *(x.shape[0], x.shape[1], rows, columns // 2 + 1),
            dtype=torch.cfloat,
            device=x.device,
        )
        mul = "bixy,ioxy->boxy"
        out_ft[:, :, :m, :m] = torch.einsum(mul, x_ft[:, :, :m, :m], self.weights1)
        out_ft[:, :, -m:, :m] = torch.einsum(mul, x_ft[:, :, -m:, :m], self.weights2)
        return torch.fft.irfft2(out_ft, s=(rows, columns))


class FNO2d(nn.Module):
    """With complex buffers and lists of complex parameters behind a decision."""

    shape = (2, 8, 6, 1)

    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(1, 3)
        self.layers = nn.ModuleList(Spectral2d(3, 2) for _ in range(2))
        self.project = nn.Linear(3, 1)
        self.register_buffer("gain", torch.tensor([1 + 2j, 0.5 - 1j]).conj())
        self.more = nn.ParameterList([nn.Parameter(torch.tensor([1j, 2 - 1j]))])

    def forward(self, x):
        x = self.lift(x).permute(0, 3, 1, 2)
        for layer in self.layers:
            x = x + layer(x)
        if x[:, 0].mean() > x[:, 1].mean():
            gain = self.gain * self.gain.conj()
            for other in self.more:
                gain = gain + other
            x = x * gain.imag.sum()
        return self.project(x.permute(0, 2, 3, 1))


def parsed(text):
    context = Context()
    for name, dialect in everything().all_dialects.items():
        context.register_dialect(name, dialect)
    return Parser(context, text).parse_module()


def made(make, seed=0):
    torch.manual_seed(seed)
    return make().eval()


@pytest.fixture(scope="module")
def compiled():
    """Class -> its network: to compile one takes as long as all that is asked of it."""
    return {}


@pytest.fixture
def network(compiled):
    """Gives the network of a class, with the weights that are made with seed 0."""

    def get(make):
        if make not in compiled:
            example = (torch.zeros(make.shape),)
            compiled[make] = dycl.compile(made(make), example, verify=True)
        return compiled[make]

    yield get
    for make, net in compiled.items():
        net.load_weights(made(make).state_dict())


def same_on_both_sides(net, model):
    """Equal to eager's on inputs that take both sides; these inputs."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(model.shape, generator=generator)
    sides, inputs = set(), [x * scale for scale in (-60.0, -9.0, 0.0, 1.0, 60.0)]
    with torch.no_grad():
        for one in inputs:
            found = net(one)
            torch.testing.assert_close(found, model(one), rtol=1e-4, atol=1e-5)
            sides |= {d.taken for d in net.path}
    assert sides == {True, False}
    return inputs


@pytest.mark.parametrize("make", [FNO1d, FNO2d])
def test_fourier_operators(make, network, tmp_path):
    model, net = made(make), network(make)
    inputs = same_on_both_sides(net, model)
    for level in ("source", "normal", "typed", "host"):
        machine = Interpreter(parsed(net.stages[level]), net.weights)
        for x in inputs:
            with torch.no_grad():
                found, wanted = machine.run((x,)).value, model(x)
                torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    same_on_both_sides(loaded, model)
    state = {n: t.contiguous() for n, t in model.state_dict().items()}
    for one in (net, loaded):
        one.load_weights({n: t * 1.5 for n, t in state.items()})
        scaled = made(make)
        scaled.load_state_dict({n: t * 1.5 for n, t in state.items()})
        same_on_both_sides(one, scaled)
        one.load_weights(model.state_dict())
        same_on_both_sides(one, model)


def test_files_with_complex_weights(network, tmp_path):
    """C64 is what safetensors has; the network has the parts of each."""
    model, net = made(FNO2d, 1), network(FNO2d)
    entries, data = {}, b""
    for name, tensor in model.state_dict().items():
        piece = tensor.resolve_conj().numpy().tobytes()
        kind, ends = "C64" if tensor.is_complex() else "F32", len(data) + len(piece)
        place = {"shape": list(tensor.shape), "data_offsets": [len(data), ends]}
        entries[name] = {"dtype": kind, **place}
        data += piece
    header = json.dumps(entries).encode()
    path = tmp_path / "weights.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    net.load_weights(path)
    same_on_both_sides(net, model)
    assert np.array_equal(
        net.weights["gain.imag"], model.gain.imag.resolve_neg().numpy()
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gain": torch.zeros(3, dtype=torch.cfloat)}, r"`gain.real` is float32\[3\]"),
        ({"gain": torch.zeros(2, dtype=torch.cdouble)}, r"is float64\[2\], not float3"),
        ({"gain": torch.zeros(2)}, "the network has no `gain`"),
        ({"other": torch.zeros(2, dtype=torch.cfloat)}, "has no `other.real`"),
    ],
)
def test_weights_that_do_not_fit(change, words, network):
    model, net = made(FNO2d), network(FNO2d)
    with pytest.raises(ValueError, match=words):
        net.load_weights({**model.state_dict(), **change})
    same_on_both_sides(net, model)


class Both(nn.Module):
    """A function of a complex tensor [2, 3] that a decision has changed, and weights
    of three elements."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        torch.manual_seed(0)
        self.w = nn.Parameter(torch.rand(3, dtype=torch.cfloat))
        self.v = self.w
        self.kept = [torch.rand(3, dtype=torch.cfloat)]

    def forward(self, x):
        z = torch.complex(x, x + 1)
        if x.sum() > 0:
            z = z * 2.0
        return torch.view_as_real(self.function(self, z, x) * 1.0)


def conjugate_of_what_changes(self, z, x):
    other = z.conj()
    z[0] = 7.0
    z.imag[1, 0] = 3.0
    return other


def two_names(self, z, x):
    y, row = z, z[0]
    y += 1
    row *= z[1]
    y -= x
    y /= 2.0
    return z


def its_parts_are_new(self, z, x):
    both = x + 0
    w, y = torch.complex(both, both), z + 1.0
    both += 1
    z.imag[0] = 9.0
    return w + y


def by_mask(self, z, x):
    z[x > 0] = self.w[0]
    z[:, -1:] = x[:, :1]
    return z


def chosen(self, z, x):
    w = self.w if x.sum() > 0 else self.kept[0]
    return w * z + getattr(self, "v")  # noqa: B009


def asked(self, z, x):
    assert isinstance(z, torch.Tensor)
    assert torch.is_tensor(self.w)
    assert z.is_complex()
    assert z.dtype == torch.complex64
    return z if z.numel() == 6 else z * 2.0


def larger(self, z, x):
    return (z + torch.ones(2, *x.shape)) - torch.ones(2, 1, 1)


TAKEN = [
    *(conjugate_of_what_changes, two_names, its_parts_are_new, by_mask, chosen),
    *(asked, larger),
    lambda self, z, x: torch.fft.fftshift(z),
    lambda self, z, x: torch.fft.ifftshift(z, dim=1) + torch.fft.fftshift(z, (0, 1)),
    lambda self, z, x: torch.zeros_like(z) + torch.ones_like(z),
    lambda self, z, x: torch.cat([z, x], 1),
    lambda self, z, x: torch.stack([x, z], -1).flip(0).movedim(0, 1),
    lambda self, z, x: torch.roll(z, 1) + z.roll((1, 2), (0, 1)),
    lambda self, z, x: torch.nn.functional.pad(z, (1, 2), value=3.0),
    lambda self, z, x: torch.einsum("ij,kj->ik", z, z) @ z,
    lambda self, z, x: torch.bmm(z[None], z.transpose(0, 1)[None]),
    lambda self, z, x: 1 - 2.0 * z + x * z - (x - z),
    lambda self, z, x: abs(z) * z * (z == z.clone()) + z * (z != z),
    lambda self, z, x: torch.sum(z, dim=1) + z.mean(1, keepdim=True),
    lambda self, z, x: z.sum() + torch.mul(x, z) + torch.sub(z, x) + torch.add(x, z),
    lambda self, z, x: torch.zeros((2, 3), dtype=torch.complex128) + z,
]


@pytest.mark.parametrize("function", TAKEN)
def test_functions_of_complex_tensors(function):
    model = Both(function).eval()
    x = torch.tensor([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]])
    net, sides = dycl.compile(model, (x,), verify=True), set()
    for one in (x, -x, x * torch.nan):
        with torch.no_grad():
            torch.testing.assert_close(net(one), model(one), equal_nan=True)
        sides.add(net.path[0].taken)
    assert sides == {True, False}


def set_anew(self, z, x):
    self.w = self.w * 2.0
    return self.w


def written(self, z, x):
    self.w[0] = x[0, 0]
    return self.w


REFUSED = [
    (lambda self, z, x: torch.exp(z), "DY301", "`torch.exp` of a complex tensor"),
    (lambda self, z, x: self.w.exp(), "DY301", "the method `exp` of a complex tensor"),
    (lambda self, z, x: z.mT, "DY301", "the attribute `mT` of a complex tensor"),
    (lambda self, z, x: z**2, "DY301", "`**` of a complex tensor is not compiled"),
    (lambda self, z, x: list(z).pop(), "DY301", "`list` of a complex tensor"),
    (lambda self, z, x: nn.Identity()(z), "DY301", "of a complex tensor"),
    (lambda self, z, x: z if z else x, "DY301", "the truth of a complex tensor"),
    (
        lambda self, z, x: z if isinstance(self.w, nn.Parameter) else -z,
        *("DY301", "`isinstance` of a complex tensor"),
    ),
    (
        lambda self, z, x: z if hasattr(z, "exp") else -z,
        *("DY301", "`hasattr` of a complex tensor"),
    ),
    (
        lambda self, z, x: z if type(z) is torch.Tensor else -z,
        *("DY301", "`type` of a complex tensor"),
    ),
    (
        lambda self, z, x: torch.einsum("ij,kj->ik", z, x),
        *("DY301", "einsum of a real and a complex tensor"),
    ),
    (set_anew, "DY206", "the complex tensor `w` of the model is set"),
    (written, "DY307", "a parameter or buffer of the model"),
]


@pytest.mark.parametrize(("function", "code", "words"), REFUSED)
def test_what_is_refused(function, code, words):
    """Eager does not raise there, so nothing says that it does."""
    with pytest.raises(dycl.CompileErrors) as caught:
        dycl.compile(Both(function).eval(), (torch.ones(2, 3),), cache=False)
    assert {(e.code, words in e.what) for e in caught.value.errors} == {(code, True)}


def test_a_refusal_has_no_echo():
    def other(x):
        shifted = torch.exp(torch.fft.fft(x)).real
        return torch.complex(shifted, shifted).real + torch.polar(shifted, shifted).real

    with pytest.raises(dycl.CompileErrors) as caught:
        dycl.compile(other, (torch.ones(4),), cache=False)
    (error,) = caught.value.errors
    assert "`torch.exp` of a complex tensor" in error.what


def test_what_eager_raises():
    """Of a real and a complex matrix there is no product."""
    with pytest.raises(dycl.CompileErrors, match="to have the same dtype"):
        dycl.compile(lambda x: (x @ torch.fft.fft(x)).real, (torch.ones(3, 3),))
