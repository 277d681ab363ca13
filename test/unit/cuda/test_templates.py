"""The PTX of every template, on the PTX machine, gives what eager gives.

Sizes are odd, so that tiles have edges; inputs have ties, NaN, and numbers that are
exactly at the constants.
"""

import re

import numpy as np
import pytest
import torch
from ptx_machine import Memory, launch, parse
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter

from dycl.kernels.cuda.building import tiles_of

pytest.importorskip("triton")
from dycl.kernels.cuda.ptx import compiled

_NUMPY = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "i8": "i1"}
_NUMPY |= {"i1": "?", "bf16": "i2"}


def some(*shape, dtype=torch.float32):
    """Numbers with ties, and 0 among them."""
    count = int(np.prod(shape))
    numbers = torch.arange(count) * 7 % 23 - 11
    return (numbers.reshape(shape) / 4).to(dtype)


def floats(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


def nans(*shape):
    x = some(*shape)
    x.view(-1)[:: max(2, x.numel() // 3)] = float("nan")
    return x


def mixed(rows, columns):
    """Rows of ties, of different numbers, of large ones, and some with a NaN."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(rows, columns, generator=generator)
    x[::4] = x[::4].round()
    x[1::4] *= 1000
    places = torch.randint(columns, (rows,), generator=generator)
    x[3::4, places[3::4]] = float("nan")
    return x


ints = torch.tensor([[-7, 3, 0], [5, -1, 9]])


def lstm_cell(x, h, c, *weights):
    """A step of an LSTM as the frontend writes it; h and c of the next one."""
    gates = F.linear(h, weights[1], weights[3]) + F.linear(x, weights[0], weights[2])
    given, kept, new, shown = gates.chunk(4, 1)
    c = kept.sigmoid() * c + given.sigmoid() * new.tanh()
    return shown.sigmoid() * c.tanh(), c


def states(rows, given, size):
    """What a step of an LSTM takes; some gates are shut, and a number is NaN."""
    x, h, c = 8 * floats(rows, given), floats(rows, size), 3 * some(rows, size)
    h[0, 0] = float("nan")
    weights = floats(4 * size, given), floats(4 * size, size)
    return x, h, c, *weights, some(4 * size), floats(4 * size)


ELEMENTWISE = {
    "chain": (lambda x, y: torch.where(x > 0.5, x * y, x.exp()), some(5, 7), some(7)),
    "integers": (lambda x: ((x + 3) * 2).gt(6), ints),
    "quotients": (lambda x: (x // 3, x % 4, -x), ints),
    "casts": (lambda x: (x.to(torch.int64), x.double() / 3, x.half()), some(9)),
    "halves": (lambda x: (x.exp(), x / 3 + x), some(33, dtype=torch.float16)),
    "bfloats": (lambda x: (x * 3 + 1, x.exp().float()), some(33, dtype=torch.bfloat16)),
    "bools": (lambda x, y: (x > 0) & ~(y > 0) | (x == y), some(4, 5), some(4, 1)),
    "functions": (
        lambda x: (
            torch.tanh(x),
            torch.sigmoid(x),
            F.gelu(x),
            F.silu(x),
            x.abs().sqrt(),
        ),
        some(41),
    ),
    "circular": (
        lambda x: (x.sin(), x.cos(), x.tan(), x.asin(), x.acos(), (1000 * x).cos()),
        torch.tensor([-2, -1, -0.3, 0, 0.7, 1, 3e4, 1e20, float("inf"), float("nan")]),
    ),
    "hyperbolic": (
        lambda x: (x.sinh(), x.cosh(), x.asinh(), x.acosh(), x.atanh(), x.log10()),
        torch.tensor([-2, -1, -0.3, 0, 0.7, 1, 5, 40, float("inf"), float("nan")]),
    ),
    "of-constants": (
        lambda x, y: (
            torch.where(x > 0, 100000, 200000) * torch.where(y > 0, 100000, 300000),
            torch.where(x > 0, 20000.0, 30000.0).half() * 3 / 4,
            x.half().clamp(max=60000.0) * torch.where(y > 0, 60000.0, 1.0).half() / 4,
        ),
        some(9),
        some(9).flip(0),
    ),
    "doubles": (
        lambda x: (
            (torch.where(x > 0, x, 0.1) - 0.1) * 1e9,
            (x.clamp(0.1, 0.7) - 0.1) * 1e9,
            x.abs() ** 0.1,
            2.3**x,
        ),
        some(11, dtype=torch.float64),
    ),
    "rounding": (lambda x: (x.floor(), x.ceil(), x.round(), x.trunc()), some(31)),
    "powers": (lambda x: (x.abs() ** 1.5, x**2, torch.log1p(x.abs())), some(19)),
    "nan": (
        lambda x, y: (x != x, x >= y, x.clamp(-1, 1)),
        nans(9),
        some(9),
    ),
    "one-number": (lambda x: x * 2 + 1, torch.tensor(1.5)),
    "argument-and-twice": (lambda x: (x, x + 1, x + 1), some(3)),
    "transposed": (lambda x, y: x.t() + y, some(5, 70), some(70, 5)),
}
MOVEMENTS = {
    "diagonal": (lambda x: (torch.diag(x), torch.diag_embed(x, 1)), some(5)),
    "concatenated": (
        lambda x, y: torch.cat([x[:, 1:3], y, x], 1) * 2,
        some(3, 5),
        some(3, 4),
    ),
    "padded": (lambda x: F.pad(x, (1, 2, 0, 1), value=3.0).exp(), some(9, 30)),
    "reshaped": (lambda x: x.reshape(3, 10).t().reshape(-1), some(5, 6)),
    "looked-up": (
        lambda i, w: F.embedding(i, w) + 1,
        torch.tensor([2, 0, 8]),
        some(9, 5),
    ),
    "gathered": (
        lambda x, i: x.gather(1, i),
        some(3, 4),
        torch.tensor([[0, 3], [1, 1], [2, 0]]),
    ),
    "table": (lambda x: x[:, [3, -5, 2, -1]] * 2, some(70, 5)),
    "tables": (
        lambda x: (x[:, [4, 0]], x[[2, 1, 1]] * 2),
        some(3, 5),
    ),
    "chosen": (lambda x, i: x.index_select(0, i), some(6, 3), torch.tensor([5, 0, 5])),
}
ROWS = {
    "softmax": (lambda x: x.softmax(-1), mixed(35, 10)),
    "powers": (lambda x: (x.abs() ** 1.5).sum(1) ** 0.5, some(5, 37)),
    "log-softmax": (lambda x: x.log_softmax(1), some(2, 37, 3)),
    "layer-norm": (
        lambda x, w, b: F.layer_norm(x, (33,), w, b),
        some(5, 33),
        some(33),
        some(33),
    ),
    "group-norm": (lambda x: F.group_norm(x, 2), some(2, 6, 5)),
    "sums": (lambda x: (x.sum(0), x.mean(1), x.sum(), x.prod(1)), some(5, 7)),
    "extremes": (lambda x: (x.amax(1), x.amin(0), x.max()), mixed(71, 7)),
    "arg-extremes": (lambda x: (*x.max(1), x.argmin(0), x.argmax()), some(5, 37)),
    "arg-of-nan": (lambda x: (*x.max(1), x.argmin(1)), mixed(70, 13)),
    "long-rows": (lambda x: (x.sum(1), x.argmax(1), x.softmax(1)), some(2, 4500)),
    "sum-in-parts": (lambda x: (x.sum() * 2, x.exp().amax()), some(70001)),
    "extremes-in-parts": (lambda x: (*x.max(1), x.argmin(1)), nans(2, 40001)),
    "columns-in-parts": (lambda x: (x.sum(0), x.argmax(0)), some(1030, 67)),
    "truth": (lambda x: ((x > 2).any(1), (x > -3).all(1)), some(5, 11)),
    "integers": (lambda x: (x.sum(1), x.amax(0), x.argmax(1)), ints),
    "decision": (lambda x: x.softmax(-1).max() > 0.3, some(1, 5)),
    "variance": (lambda x: x.var(1), some(3, 29)),
    "scaled": (lambda x: x * x.mean((2, 3), keepdim=True).sigmoid(), some(2, 3, 5, 5)),
}
CONTRACTIONS = {
    "linear": (
        lambda x, w, b: torch.relu(F.linear(x, w, b)),
        floats(19, 37),
        floats(21, 37),
        floats(21),
    ),
    "linear-3d": (
        lambda x, w, b: F.linear(x, w, b) * 2,
        floats(2, 9, 17),
        floats(18, 17),
        floats(18),
    ),
    "one-row": (
        lambda x, w, b: F.linear(x, w, b),
        floats(1, 37),
        floats(21, 37),
        floats(21),
    ),
    "split-depth": (
        lambda x, w, b: torch.relu(F.linear(x, w, b)),
        torch.cat([some(2, 901), nans(1, 901)]),
        some(21, 901),
        some(21),
    ),
    "split-convolution": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1).mean((2, 3)),
        floats(1, 70, 4, 3),
        floats(7, 70, 3, 3),
        floats(7),
    ),
    "split-halves": (
        lambda x, y: (x @ y).float() + 1,
        some(2, 5, 600, dtype=torch.float16) / 8,
        some(2, 600, 3, dtype=torch.float16) / 8,
    ),
    "many-halves": (
        lambda x, y: (x @ y).float() + 1,
        some(70, 40, dtype=torch.float16) / 8,
        some(40, 67, dtype=torch.float16) / 8,
    ),
    "many-bfloats": (
        lambda x, y: (x @ y).float() + 1,
        some(70, 40, dtype=torch.bfloat16) / 8,
        some(40, 67, dtype=torch.bfloat16) / 8,
    ),
    "many-tiles": (lambda x, y: x @ y, floats(70, 33), floats(33, 67)),
    "deep": (lambda x, y: x @ y, floats(31, 200), floats(200, 31)),
    "batched": (lambda x, y: torch.bmm(x, y), floats(3, 18, 20), floats(3, 20, 17)),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
        *[floats(1, 2, 9, 8)] * 3,
    ),
    "causal": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        *[floats(1, 2, 71, 16)] * 3,
    ),
    "grouped-heads": (
        lambda q, k, v, m: F.scaled_dot_product_attention(
            q, k, v, m, scale=0.3, enable_gqa=True
        ),
        floats(2, 4, 9, 20),
        *[floats(2, 2, 37, 20)] * 2,
        (torch.arange(9 * 37).reshape(9, 37) * 7 % 5 > 1)
        & (torch.arange(9) != 4)[:, None],
    ),
    "filled-scores": (
        lambda q, k, v, m: (
            ((q @ k.transpose(1, 2)) / 3).masked_fill(m, -1e9).softmax(-1) @ v
        ),
        nans(2, 19, 5),
        floats(2, 18, 5),
        floats(2, 18, 33),
        torch.arange(2 * 19 * 18).reshape(2, 19, 18) % 3 == 0,
    ),
    "of-f64": (lambda x, y: x @ y, floats(5, 7).double(), floats(7, 3).double()),
    "convolution": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1).relu(),
        floats(2, 3, 9, 7),
        floats(5, 3, 3, 3),
        floats(5),
    ),
    "strided": (
        lambda x, w: F.conv2d(x, w, stride=2, padding=2, dilation=2),
        floats(1, 4, 11, 11),
        floats(6, 4, 3, 3),
    ),
    "grouped": (
        lambda x, w: F.conv2d(x, w, groups=2),
        floats(1, 6, 7, 7),
        floats(8, 3, 3, 3),
    ),
    "depthwise": (
        lambda x, w: F.conv2d(x, w, padding=1, groups=5),
        floats(1, 5, 8, 8),
        floats(5, 1, 3, 3),
    ),
    "of-points": (
        lambda x, w, r: F.conv2d(x, w) + r,
        floats(1, 19, 5, 5),
        floats(17, 19, 1, 1),
        floats(1, 17, 5, 5),
    ),
    "one-dimension": (
        lambda x, w: F.conv1d(x, w, padding=2),
        floats(2, 3, 15),
        floats(4, 3, 5),
    ),
    "transposed": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2),
        floats(1, 3, 4, 4),
        floats(3, 5, 3, 3),
    ),
    "strided-line": (
        lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=2, groups=3),
        nans(2, 6, 15),
        floats(9, 2, 5),
        floats(9),
    ),
    "transposed-groups": (
        lambda x, w, b: F.conv_transpose2d(
            x, w, b, stride=(2, 3), padding=1, output_padding=(1, 2), groups=2
        ).relu(),
        nans(1, 4, 5, 3),
        floats(4, 3, 3, 3),
        floats(6),
    ),
    "transposed-line": (
        lambda x, w: F.conv_transpose1d(x, w, stride=2, dilation=2),
        floats(2, 3, 7),
        floats(3, 5, 3),
    ),
    "lstm-cell": (lstm_cell, *states(5, 9, 7)),
    "lstm-cell-of-one": (lstm_cell, *states(1, 37, 21)),
    "max-pool": (lambda x: F.max_pool2d(x, 3, 2, 1), nans(2, 4, 9, 9)),
    "large-pool": (lambda x: F.max_pool2d(x, 9, 2, 4), nans(1, 2, 11, 9)),
    "average-pool": (lambda x: F.avg_pool2d(x, 2), floats(1, 3, 8, 6)),
    "adaptive-pool": (
        lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1),
        floats(2, 5, 6, 7),
    ),
    "after-a-chain": (
        lambda x, w: F.conv2d(x.exp(), w).mean((2, 3)),
        floats(1, 4, 6, 6),
        floats(8, 4, 3, 3),
    ),
}
SEQUENCES = {
    "sorted": (
        lambda x: (*x.sort(1), x.sort(0, descending=True)[1]),
        nans(7, 37),
    ),
    "sorted-integers": (lambda x: (*x.sort(-1, descending=True),), ints),
    "long-sort": (lambda x: (*x.sort(0),), nans(300)),
    "sums": (lambda x: (x.cumsum(1), x.exp().cumsum(0) + 1), some(15, 67)),
    "sums-of-nan": (lambda x: x.cumsum(1), nans(3, 9)),
    "products": (lambda x: x.cumprod(0), some(9, 3)),
    "sums-of-integers": (lambda x: (x.cumsum(1), (x > 0).cumsum(0)), ints),
    "long-sums": (lambda x: x.cumsum(1), some(2, 4500)),
    "sums-of-halves": (lambda x: x.cumsum(1), some(2, 33, dtype=torch.float16)),
    "scattered": (
        lambda x, i, y: (x.scatter(1, i, y), x.scatter_add(1, i, y)),
        some(3, 5),
        torch.tensor([[0, 3, 3], [1, 1, 1], [2, 0, 4]]),
        nans(3, 3),
    ),
    "put": (
        lambda x, i, y: (
            torch.index_put(x, (i,), y),
            torch.index_put(x, (i,), y, accumulate=True),
        ),
        some(90, 3),
        torch.tensor([5, 60, 5, 89]),
        some(4, 3) * 0.3,
    ),
    "greatest-put": (
        lambda x, i, y: x.scatter_reduce(0, i, y, "amax"),
        some(5),
        torch.tensor([4, 4, 0, 1]),
        nans(4),
    ),
}
EAGER = {
    "contraction-lstm-cell": lambda x, h, c, *w: torch.lstm_cell(x, (h, c), *w),
    "contraction-lstm-cell-of-one": lambda x, h, c, *w: torch.lstm_cell(x, (h, c), *w),
    "sequence-sorted": lambda x: (
        *x.sort(dim=1, stable=True),
        x.sort(dim=0, descending=True, stable=True)[1],
    ),
    "sequence-long-sort": lambda x: x.sort(dim=0, stable=True),
}
"""What eager does where a case is not what a user writes. Sorts keep equal elements in
order, which eager does when it is asked to."""
CASES = {
    f"{kind}-{name}": case
    for kind, table in (
        ("elementwise", ELEMENTWISE),
        ("movement", MOVEMENTS),
        ("rows", ROWS),
        ("contraction", CONTRACTIONS),
        ("sequence", SEQUENCES),
    )
    for name, case in table.items()
}


def text_of(name, function, inputs):
    """A kernel in the torch dialect."""
    kinds = [(x.shape, x.stride(), x.dtype) for x in inputs]
    with torch.no_grad(), FakeTensorMode():
        fakes = [torch.empty_strided(s, t, dtype=d) for s, t, d in kinds]
        graph = make_fx(function, pre_dispatch=True)(*fakes)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    importer.import_stateless_graph(graph.graph, func_name=name)
    text = importer.module.operation.get_asm()
    for name, data in re.findall(r'(\S+): "0x0[48]000000([0-9A-F]+)"', text):
        text = text.replace(f"dense_resource<{name}>", f'dense<"0x{data}">')
    text = text.partition("\n{-#")[0]
    return text[text.index("{\n") + 2 : text.rindex("}")]


@pytest.fixture(scope="module")
def programs():
    """By name, each kernel's program."""
    names = {name: re.sub(r"\W", "_", name) for name in CASES}
    texts = [text_of(names[n], f, inputs) for n, (f, *inputs) in CASES.items()]
    tiles = tiles_of("module {\n" + "\n".join(texts) + "}\n", 120)
    found = {program.name: program for program in tiles.programs}
    return {name: found[mangled] for name, mangled in names.items()}


@pytest.fixture(scope="module", params=[80, 90])
def kernels(programs, request):
    """By name, each kernel's program and the PTX of its functions: all at once."""
    functions = [f for program in programs.values() for f in program.functions]
    made = compiled(functions, request.param)
    known = dict(zip((f.name for f in functions), made, strict=True))
    return {name: (program, known) for name, program in programs.items()}


def run(program, known, inputs, most=None, steps=None):
    """The results of a kernel, function by function, on the machine; `most`: steps that
    a function may take, which `steps` notes."""
    memory, buffers = Memory(), {}
    for buffer, value in zip(program.arguments, inputs, strict=True):
        buffers[buffer.name] = memory.put(_array(value))
    for buffer in (*program.temporaries, *program.results):
        size = int(np.prod(buffer.shape)) * np.dtype(_NUMPY[buffer.dtype]).itemsize
        buffers[buffer.name] = memory.allocate(size)
    for function in program.functions:
        ptx = known[function.name]
        kernel = parse(ptx.text)
        given = [buffers[p.name] for p in function.parameters if not p.table]
        given += [0] * (len(kernel.parameters) - len(given))
        taken = launch(
            kernel, function.blocks, 32 * ptx.warps, given, memory, ptx.shared, most
        )
        if steps is not None:
            steps.append(taken)
    return [_tensor(memory, buffers[b.name], b) for b in program.results]


def _array(x):
    """A tensor's bytes: NumPy has no bf16."""
    return (
        x.contiguous()
        .view(torch.int16 if x.dtype == torch.bfloat16 else x.dtype)
        .numpy()
    )


def _tensor(memory, address, buffer):
    found = torch.from_numpy(memory.get(address, _NUMPY[buffer.dtype], buffer.shape))
    return found.view(torch.bfloat16) if buffer.dtype == "bf16" else found


@pytest.mark.parametrize("name", CASES)
def test_ptx_computes_what_eager_computes(name, kernels) -> None:
    function, *inputs = CASES[name]
    program, known = kernels[name]
    expected = EAGER.get(name, function)(*inputs)
    if not isinstance(expected, tuple):
        expected = (expected,)
    found = run(program, known, inputs)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-5, equal_nan=True)
