"""Kernels of sizes that a run decides, compiled once and asked at many sizes."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.runtime.buffers import OpenBuffer

ANY, OTHER = 13, 17
"""Sizes in shapes that stand for those that a run decides."""
Shapes = Sequence[tuple[int, ...]]


def weight(*shape: int) -> torch.Tensor:
    return torch.randn(shape) / max(1, torch.Size(shape[1:]).numel()) ** 0.5


class AnySize:
    """A function of tensors, compiled once; the last of them are weights."""

    def __init__(
        self,
        texts: tuple[Callable[..., str], Callable[..., str]],
        function: Callable[..., Any],
        shapes: Shapes,
        weights: Sequence[torch.Tensor] = (),
        **how: Any,
    ):
        torch_text, weights_of = texts
        torch.manual_seed(0)
        self.function, self.shapes, self.weights = function, shapes, list(weights)
        text = torch_text(function, *map(torch.zeros, shapes), *weights)
        assert not re.search(rf"constant\.int ({ANY}|{OTHER})\b", text)
        text = re.sub(r"vtensor<\[[0-9,]*\]", _opened, text)
        numbers = range(len(shapes), len(shapes) + len(self.weights))
        self.library = CpuBackend(**how).compile(weights_of(text, numbers))
        self.kernel: CpuKernel = self.library["kernel"]
        self.buffers = self._prepared()

    def _prepared(self) -> list[torch.Tensor]:
        wants = self.kernel.prepared
        if wants is None:
            return []
        made = [torch.empty(s.shape, dtype=_dtype(s)) for s in wants.outputs]
        given = [self.weights[i - len(self.shapes)] for i in wants.weights]
        wants.kernel.launch(*(t.data_ptr() for t in (*given, *made)))
        return made

    def _all(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [*inputs, *self.weights]

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What the kernel gives for these inputs."""
        given, words = self._all(inputs), []
        for number in self.kernel.inputs_left:
            tensor, spec = given[number], self.kernel.spec.inputs[number]
            words += [tensor.data_ptr(), *(tensor.shape[d] for d in spec.open_dims)]
        words += [buffer.data_ptr() for buffer in self.buffers]
        results: list[Any] = []
        for spec in self.kernel.spec.outputs:
            if spec.open_dims:
                results.append(OpenBuffer(spec.dtype, len(spec.shape)))
                words.append(results[-1].slots.ctypes.data)
            else:
                results.append(torch.full(spec.shape, 77, dtype=_dtype(spec)))
                words.append(results[-1].data_ptr())
        self.kernel.launch(*words)
        for buffer in results:
            if isinstance(buffer, OpenBuffer):
                buffer.take()
        return [
            torch.tensor(r.array) if isinstance(r, OpenBuffer) else r for r in results
        ]

    def inputs(self, size: int, other: int = 0) -> list[torch.Tensor]:
        """Inputs of these sizes."""
        sizes = {ANY: size, OTHER: other}
        return [torch.randn([sizes.get(n, n) for n in shape]) for shape in self.shapes]

    def agrees(self, size: int, other: int = 0) -> None:
        """Assert that the kernel and eager give the same at these sizes."""
        inputs = self.inputs(size, other)
        wanted = self.function(*self._all(inputs))
        wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
        got = self(inputs)
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)

    def stage(self, name: str) -> str:
        """The text after a stage."""
        return self.library.stages()[name]


def _opened(found: re.Match[str]) -> str:
    return re.sub(rf"\b({ANY}|{OTHER})\b", "?", found[0])


def _dtype(spec: Any) -> torch.dtype:
    return getattr(torch, spec.dtype)


@pytest.fixture
def any_size(torch_text, weights_of, target) -> Callable[..., AnySize]:
    """Compile a function, weights last; its inputs have `ANY` for a run's size."""
    return partial(AnySize, (torch_text, weights_of), target=target)


def conv(x, w, b):
    return F.relu(F.conv2d(x, w, b, padding=1))


def residual(x, w, b, v):
    y = F.relu(F.conv2d(x, w, b, padding=1))
    return F.relu(x + F.conv2d(y, v, padding=1)), y.mean((2, 3))


def head(x, w, b, u, c):
    y = F.max_pool2d(F.conv2d(x, w, b, stride=2), 2)
    return F.linear(y.flatten(1), u, c).softmax(-1)


def shuffled(x, w, b):
    return F.pixel_shuffle(F.conv_transpose2d(x, w, b, stride=2, padding=1), 2)


CONVOLUTIONS = {
    "convolution": (conv, 16, 9, [weight(32, 16, 3, 3), weight(32)]),
    "few channels": (conv, 3, 12, [weight(20, 3, 3, 3), weight(20)]),
    "depthwise": (
        lambda x, w: F.conv2d(x, w, padding=1, groups=24),
        24,
        10,
        [weight(24, 1, 3, 3)],
    ),
    "grouped": (lambda x, w: F.conv2d(x, w, groups=4), 16, 6, [weight(32, 4, 3, 3)]),
    "residual": (
        residual,
        16,
        8,
        [weight(16, 16, 3, 3), weight(16), weight(16, 16, 3, 3)],
    ),
    "head": (
        head,
        8,
        13 + 2,
        [weight(16, 8, 3, 3), weight(16), weight(10, 144), weight(10)],
    ),
    "transposed": (shuffled, 8, 5, [weight(8, 16, 4, 4), weight(16)]),
}


@pytest.mark.each_target
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_convolutions_of_any_batch(any_size, kind, threads):
    function, channels, side, weights = CONVOLUTIONS[kind]
    shape = (ANY, channels, side, side)
    kernel = any_size(function, [shape], weights, threads=threads)
    assert not kernel.library.plain
    for size in (0, 1, 2, 5):
        kernel.agrees(size)


def test_a_sample_has_the_bits_of_a_batch_of_one(
    any_size, torch_text, weights_of, call
):
    weights = [weight(32, 16, 3, 3), weight(32)]
    kernel = any_size(conv, [(ANY, 16, 9, 9)], weights)
    (x,) = kernel.inputs(3)
    text = torch_text(conv, x[:1], *weights)
    alone = CpuBackend().compile(text)["kernel"]
    one = [call(alone, x[i : i + 1], *weights)[0] for i in range(3)]
    torch.testing.assert_close(kernel([x])[0], torch.cat(one), rtol=0, atol=0)


@pytest.mark.each_target
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("outer", [(), (1,)])
def test_products_of_any_rows(any_size, outer, threads):
    def function(x, w, b, v):
        return F.gelu(F.linear(x, w, b)), F.linear(x, v)

    weights = [weight(150, 40), weight(150), weight(7, 40)]
    kernel = any_size(function, [(*outer, ANY, 40)], weights, threads=threads)
    assert not kernel.library.plain
    for size in range(15):
        kernel.agrees(size)


def test_products_with_a_matrix_that_is_no_weight(any_size):
    kernel = any_size(torch.matmul, [(ANY, 20), (20, 50)])
    assert not kernel.library.plain
    for size in (0, 1, 4, 9):
        kernel.agrees(size)


def test_weights_of_products_of_any_rows_stay_f32(any_size):
    kernel = any_size(F.linear, [(ANY, 40)], [weight(30, 40)], narrow=True)
    for size in (0, 1, 2, 7):
        kernel.agrees(size)


@pytest.mark.each_target
def test_a_cell(any_size):
    def cell(x, h, c, w, u, b):
        gates = F.linear(x, w, b) + F.linear(h, u)
        enter, forget, new, leave = gates.chunk(4, 1)
        c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
        return leave.sigmoid() * c.tanh(), c

    weights = [weight(96, 20), weight(96, 24), weight(96)]
    kernel = any_size(cell, [(ANY, 20), (ANY, 24), (ANY, 24)], weights)
    for size in (0, 1, 2, 6, 9):
        kernel.agrees(size)


ROWS = {
    "softmax": (lambda x: x.softmax(-1), []),
    "log_softmax": (lambda x: x.log_softmax(-1), []),
    "layer norm": (lambda x, w, b: F.layer_norm(x, (37,), w, b), [37, 37]),
    "means": (lambda x: (x.mean(-1), (x * x).mean(-1, keepdim=True)), []),
    "argmax": (lambda x: (x.argmax(-1), x.amax(-1)), []),
    "norm, then linear": (
        lambda x, w: F.linear(F.normalize(x, dim=-1), w.expand(3, 37)).relu(),
        [37],
    ),
}


@pytest.mark.each_target
@pytest.mark.parametrize("outer", [(), (1,)])
@pytest.mark.parametrize("kind", ROWS)
def test_any_rows(any_size, kind, outer):
    function, sizes = ROWS[kind]
    kernel = any_size(function, [(*outer, ANY, 37)], list(map(weight, sizes)))
    for size in (0, 1, 2, 20):
        kernel.agrees(size)


def test_groups_of_any_batch(any_size):
    kernel = any_size(
        lambda x, w, b: F.group_norm(x, 3, w, b), [(ANY, 6, 5, 4)], [weight(6)] * 2
    )
    for size in (0, 1, 4):
        kernel.agrees(size)


def products(q, k, v):
    return (q @ k.transpose(-1, -2) * 0.3).softmax(-1) @ v


def one_op(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@pytest.mark.each_target
@pytest.mark.parametrize("width", [24, 64])
@pytest.mark.parametrize("function", [products, one_op, causal])
def test_attention_of_any_length(any_size, function, width):
    kernel = any_size(function, [(1, 2, ANY, width)] * 3)
    assert not kernel.library.plain
    for size in (0, 1, 2, 5, 9, 16, 17, 31, 33, 128, 131, 150):
        kernel.agrees(size)


@pytest.mark.each_target
def test_attention_of_some_queries_to_any_keys(any_size):
    for queries in (1, 5, 20):
        shapes = [(1, 2, queries, 24), *[(1, 2, ANY, 24)] * 2]
        kernel = any_size(one_op, shapes)
        for size in (1, 2, 16, 127, 130):
            kernel.agrees(size)


def test_attention_of_two_lengths(any_size):
    kernel = any_size(products, [(1, 2, ANY, 24), *[(1, 2, OTHER, 24)] * 2])
    for size, other in ((0, 3), (1, 1), (18, 5), (4, 140), (33, 16)):
        kernel.agrees(size, other)


def test_attention_to_no_keys_is_eagers(any_size):
    kernel = any_size(one_op, [(1, 2, 3, 24), *[(1, 2, ANY, 24)] * 2])
    kernel.agrees(0)


@pytest.mark.each_target
@pytest.mark.parametrize("shape", [(ANY, 2, 19, 24), (ANY, 19, 24)])
def test_attention_of_any_batch(any_size, shape):
    kernel = any_size(one_op, [shape] * 3)
    assert not kernel.library.plain
    for size in (0, 1, 3):
        kernel.agrees(size)


def test_attention_of_any_batch_with_a_mask(any_size):
    mask = torch.randn(19, 19)

    def function(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, m)

    kernel = any_size(function, [(ANY, 2, 19, 24)] * 3, [mask])
    for size in (0, 1, 3):
        kernel.agrees(size)


def test_nan_of_one_sample_stays_there(any_size):
    kernel = any_size(one_op, [(1, 1, ANY, 16)] * 3)
    q, k, v = kernel.inputs(21)
    q[0, 0, 20] = torch.nan
    k[0, 0, 20] = torch.inf
    wanted = one_op(q, k, v)
    (got,) = kernel([q, k, v])
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_two_batches_of_sizes_of_their_own(any_size):
    def function(x, y, w):
        return F.conv2d(x, w), F.conv2d(y, w).relu(), x.flatten(1).sum(0)

    shapes = [(ANY, 16, 6, 6), (OTHER, 16, 6, 6)]
    kernel = any_size(function, shapes, [weight(16, 16, 3, 3)])
    assert "kernel.sample.1" in kernel.stage("linalg")
    for size, other in ((0, 2), (3, 0), (1, 1), (2, 4)):
        kernel.agrees(size, other)


def test_all_samples_are_seen_between(any_size):
    def function(x, w):
        y = F.conv2d(x, w, padding=1)
        return F.conv2d(y - y.sum(0), w, padding=1)

    kernel = any_size(function, [(ANY, 16, 6, 6)], [weight(16, 16, 3, 3)])
    for size in (0, 1, 2, 4):
        kernel.agrees(size)


def test_images_of_any_size_are_plain_and_right(any_size):
    kernel = any_size(conv, [(ANY, 3, OTHER, 9)], [weight(4, 3, 3, 3), weight(4)])
    assert [p.what for p in kernel.library.plain] == ["linalg.conv_2d_nchw_fchw"]
    for size, other in ((0, 4), (1, 3), (2, 8)):
        kernel.agrees(size, other)


def test_attention_of_long_queries_is_plain_and_right(any_size):
    kernel = any_size(one_op, [(1, 2, ANY, 300)] * 3)
    assert kernel.library.plain
    for size in (0, 1, 3):
        kernel.agrees(size)
