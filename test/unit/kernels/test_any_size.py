"""Kernels of sizes that a run decides, compiled once and asked at many sizes."""

import pytest
import torch
import torch.nn.functional as F
from any_size import ANY, OTHER, weight

from dycl.kernels.cpu import CpuBackend


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


@pytest.mark.each_target
@pytest.mark.parametrize("columns", [96, 64, 48, 16])
def test_rows_behind_the_last_tile_are_shared_out(any_size, columns):
    kernel = any_size(F.linear, [(ANY, 37)], [weight(columns, 37), weight(columns)])
    for size in range(41):
        kernel.agrees(size)
    row = torch.randn(1, 37)
    for size in (13, 17, 25, 26, 33, 49):
        # A row that is summed up alone is in more parts than others are.
        (got,) = kernel([row.repeat(size, 1)])
        assert torch.equal(got, got[:1].expand_as(got)), size


def test_products_with_a_matrix_that_is_no_weight(any_size):
    kernel = any_size(torch.matmul, [(ANY, 20), (20, 50)])
    assert not kernel.library.plain
    for size in (0, 1, 4, 9):
        kernel.agrees(size)


def test_weights_of_products_of_any_rows_are_bf16(any_size):
    rounded = weight(30, 40).bfloat16().float()
    kernel = any_size(F.linear, [(ANY, 40)], [rounded], narrow=True)
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


def test_attention_of_long_queries_is_plain_and_right(any_size):
    kernel = any_size(one_op, [(1, 2, ANY, 300)] * 3)
    assert kernel.library.plain
    for size in (0, 1, 3):
        kernel.agrees(size)
