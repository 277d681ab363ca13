"""Ops of no elements, of the largest numbers, of NaN, and of bools that are numbers."""

import pytest
import torch
import torch.nn.functional as F
from test_torch_edges import agree

import dycl

INF, NAN = float("inf"), float("nan")
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("mask", [None, torch.ones(3, 0).bool()], ids=["all", "mask"])
def test_attention_over_no_keys_gives_zeros(mask):
    def attended(q, k, v):
        one = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return one, torch.einsum("bhqs,bhse->bhqe", q @ k.mT, v)

    q, k, v = torch.rand(2, 2, 3, 8), torch.rand(1, 2, 0, 8), torch.rand(1, 2, 0, 5)
    agree(attended, (q, k.expand(2, 2, 0, 8), v.expand(2, 2, 0, 5)))


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.attend = torch.nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, mask):
        alone = self.attend(x, x, x, key_padding_mask=mask, need_weights=False)[0]
        return alone, self.layer(x, src_key_padding_mask=mask)


def test_a_query_without_keys_is_that_of_eager_with_gradients():
    """Eager's fast path, without gradients, gives NaN: see limitations.md."""
    model = Encoder().eval()
    x, mask = torch.rand(2, 3, 8), torch.tensor([[True] * 3, [False, True, False]])
    net = dycl.compile(model, (x, mask))
    for given in (mask, ~mask):
        torch.testing.assert_close(net(x, given), model(x, given))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_sign_of_a_nan(dtype):
    def signs(x, y):
        return x.signbit(), torch.copysign(y, x), torch.copysign(x, y).signbit()

    bits = torch.tensor([0x7FC00000, -0x400000, 0x7F800001, -0x7FFFFF])
    x = torch.cat(
        [bits.int().view(torch.float32), torch.tensor([0.0, -0.0, INF, -INF])]
    )
    agree(signs, (x.to(dtype), torch.ones(8).to(dtype)))


VIEWS = [
    *("float32 int32", "int32 float32", "float16 int16", "int16 bfloat16"),
    *("float64 int64", "uint8 int8", "int8 uint8", "bool uint8", "float32 float32"),
]


@pytest.mark.parametrize("dtypes", VIEWS)
def test_bits_as_another_dtype(dtypes):
    before, after = (getattr(torch, name) for name in dtypes.split())

    def bits(x):
        return x.view(after), x[0].view(after)

    x = torch.tensor([[1, 0, 3.5, -2], [NAN, -0.0, INF, 200]])
    rows = {0: torch.export.Dim("n")}
    x = x.nan_to_num(7, 9) if not before.is_floating_point else x
    agree(bits, (x.to(before),), (x[:1].to(before),), dynamic_shapes=(rows,))


def test_a_write_to_bits_is_one_to_the_numbers():
    def written(x):
        y = x * 1
        bits = y.view(torch.int32)
        bits += 1
        if x.sum() > 0:
            x.view(torch.int32)[0] = 5
        y[1] = 2
        return x, y, bits

    x = torch.arange(1.0, 5.0)
    net = dycl.compile(written, (x.clone(),))
    for sign in (1, -1):
        mine, yours = x * sign, x * sign
        assert all(map(torch.equal, net(mine), written(yours)))
        assert torch.equal(mine, yours)
    assert len(net.decisions) == 1


def test_a_place_in_a_row_that_is_not_sorted():
    """It is found by halves: which elements are compared decides where it is."""

    def places(x, y):
        both = [torch.bucketize(x, y, right=right) for right in (False, True)]
        several = torch.searchsorted(y.repeat(2, 1), x[:4].reshape(2, 2))
        return *both, several, torch.searchsorted(y, 1.5), torch.bucketize(x[0], y)

    x = torch.tensor([NAN, 0, 1, 1.5, 3, INF, -INF])
    ys = [[0, 1, 2, NAN], [0, NAN, 1, 2], [NAN] * 4, [3.0, 1, 2, 0], [-INF, 0, 1, INF]]
    agree(places, *((x, torch.tensor(y)) for y in ys))
    d = torch.export.Dim("n", max=9)
    more = [(x, torch.rand(n).mul(4)) for n in (1, 2, 7, 9)]
    given = [(x, torch.tensor(y)) for y in ys]
    agree(places, *given, *more, dynamic_shapes=({}, {0: d}))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8])
def test_divisors_of_the_smallest_int(dtype):
    facts = torch.iinfo(dtype)
    x = torch.tensor([facts.min, 0, 1, -1, 6, -4, facts.min + 1, 2, 3], dtype=dtype)

    def divisors(x, y):
        return torch.gcd(x[:, None], y), torch.gcd(y, x[:, None]), torch.lcm(y, x[0])

    agree(divisors, (x, x[:6]))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.int8, torch.uint8])
def test_multiples_and_differences_that_do_not_fit(dtype):
    def wrapped(x, y):
        losses = [F.l1_loss(x, y, reduction=kind) for kind in ("none", "sum")]
        return torch.lcm(x, y), torch.lcm(y.long(), x), *losses

    largest = torch.iinfo(dtype).max
    ends = [1, 2, 3, 10, 31, largest, largest // 2 + 1, largest - 1, 0]
    x = torch.tensor(ends, dtype=dtype)
    other = x if dtype == torch.uint8 else -x
    given = [torch.broadcast_tensors(x[:, None], y) for y in (x, other)]
    agree(wrapped, *given)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("value", [NAN, INF, 2.0])
def test_what_counts_for_nothing_leaves_no_nan(dtype, value):
    def sums(x, y, z):
        none = torch.addmm(x, y[:, :0], z[:0], beta=0), torch.addmm(x, y[:, :0], z[:0])
        batch = torch.baddbmm(x[None], y[None], z[None], beta=0, alpha=2)
        row = torch.addmm(x[0], y, z, beta=0), torch.addmm(x[0], y, z, beta=2, alpha=0)
        return *none, batch, *row, torch.addmv(x[:, 0], y, z[:, 0], beta=0)

    x, y, z = torch.full((2, 3), value), torch.rand(2, 4), torch.rand(4, 3)
    agree(sums, (x.to(dtype), y.to(dtype), z.to(dtype)))


def test_deviations_whose_squares_are_too_large_or_too_small():
    def deviations(x):
        both = torch.std_mean(x, 1), torch.var_mean(x, 1, correction=0)
        return x.std(1), x.var(1), x.std(0), *both

    x = torch.tensor([[3e38, -1e38, 1, 2], [1e19, 2e19, 3e19, 1e20], [1, 2, 3, 4]])
    near = torch.full((3, 4), 3e38)
    small = torch.tensor([1.0, -2, 5, 1e-9]).mul(1e-25).expand(3, 4)
    rows = {0: torch.export.Dim("n", min=2)}
    inputs = [(y,) for y in (x, x[2:] * INF, near, small, x[1:], x[1:] * NAN)]
    agree(deviations, *inputs[:1] + inputs[2:4])
    agree(deviations, *(i for i in inputs if len(i[0]) > 1), dynamic_shapes=(rows,))
    agree(lambda x: (x.std(), x.var()), (x,), (small,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_an_image_at_points_that_are_no_numbers(dtype, padding):
    def sampled(x, grid):
        named = {"padding_mode": padding, "align_corners": True}
        return [
            F.grid_sample(x, grid, mode=mode, **named)
            for mode in ("bilinear", "nearest")
        ]

    points = [[NAN, 0], [0, NAN], [INF, 0], [-INF, INF], [0.25, 0.0], [2, -2]]
    far = [[v, 0.0] for v in (1e30, 3e4, 4e4, 1e6, 1e9, 3e9)]
    grid = torch.tensor(points + (far if padding == "zeros" else []))
    x = torch.arange(40.0).view(1, 2, 4, 5)
    agree(sampled, (x.to(dtype), grid[None, None].to(dtype)))


NUMBERS = {
    torch.uint8: [300, -1, -255, -256, 255.0, 255.5, -0.5],
    torch.int8: [-128, 128, -128.5, NAN],
    torch.int32: [2**31, 2**31 - 1, 1e9, INF],
    torch.float16: [65504.0, 65505.0, 70000, INF, NAN],
    torch.bool: [300, NAN],
}


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_a_number_that_is_too_large_to_fill(dtype):
    x, mask = torch.tensor([1, 2, 3]).to(dtype), torch.tensor([True, False, True])
    values = [torch.tensor(v) for v in NUMBERS[dtype]]
    for kind in (torch.int64, torch.float32):
        given = [(x, mask, v) for v in values if v.dtype == kind]
        if given:
            agree(lambda x, mask, v: x.masked_fill(mask, v), *given)


def test_bools_that_are_numbers():
    def filled(mask, x, y):
        chosen = [torch.where(mask, True, v) for v in (False, mask, x, y, 2, 2.5)]
        others = [torch.where(mask, v, False) for v in (mask, x, y, 3.5)]
        masked = [v.masked_fill(mask, True) for v in (mask, x, y, y.to(torch.uint8))]
        return *chosen, *others, *masked, torch.full_like(x, True), mask & True

    mask = torch.tensor([True, False, True])
    agree(filled, (mask, torch.tensor([NAN, 0.5, 2.0]), torch.tensor([4, 5, 6])))


def test_places_that_are_short_ints():
    def at(x, i):
        short = i.int()
        put = x.index_put((short,), x[0])
        return x[short], x[:, short], x[short, short], x[short[0]], put

    i = torch.tensor([2, 0, -1])
    agree(at, (torch.rand(3, 3), i), (torch.rand(3, 3), -i - 1))


def test_means_and_pools_of_ints():
    def means(x, mask):
        several = x.mean(dtype=torch.float32), mask.mean(0, dtype=torch.float64)
        halves = mask.mean(dtype=torch.float16), x.mean(1, dtype=torch.float16)
        pools = F.max_pool2d(x.long()[None], 2, padding=1, return_indices=True)
        return *several, *halves, *pools

    x = torch.tensor([[200, 255, 3, 9], [7, 7, 7, 0], [1, 2, 3, 4]]).to(torch.uint8)
    agree(means, (x, x > 7))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_next_number(dtype):
    def following(x, y):
        return torch.nextafter(x, y), torch.nextafter(y, x)

    facts = torch.finfo(dtype)
    ends = [0.0, -0.0, 1.0, -1.0, facts.max, facts.tiny, INF, -INF, NAN, 1.5]
    x = torch.tensor(ends, dtype=dtype)
    agree(following, (x[:, None].expand(10, 10), x.expand(10, 10)))


def test_a_bound_of_bytes_is_one():
    """-1 is 255, unless a float makes the result one of floats."""

    def bounded(x):
        several = x.clamp(-1, 2), x.clamp(min=-1), x.clamp(max=-1), x.clamp(3, 9)
        return *several, x.clamp(-1, 2.5), torch.clamp_min(x, -1), x.clamp_max(-2)

    agree(bounded, (torch.tensor([0, 5, 200, 255]).to(torch.uint8),))


@pytest.mark.parametrize("large", [3e38, 1e20, 1e-30, INF, NAN])
def test_how_alike_large_vectors_are(large):
    def alike(x, y):
        return F.cosine_similarity(x, y), F.cosine_similarity(x, y[:1], dim=0)

    x = torch.tensor([[1.0, -1, 0.5], [0, 0, 0], [1, 2, -1]])
    more = torch.tensor([[large, -large, 1], [large, 1, 2], [-large, large, large]])
    agree(alike, (x, x.flip(0)), (x, more), (more, x), (more, more))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_quotients_of_halves_are_rounded_before_their_fraction_is_cut(dtype):
    """Not by one number, which keeps its bits."""

    def cut(x, y):
        several = [torch.div(x, n, rounding_mode="trunc") for n in (y, y[3], y[:, 3:4])]
        floors = [torch.div(x, n, rounding_mode="floor") for n in (y, y[3], y[3, 3:4])]
        place = x.clone().div_(y, rounding_mode="trunc")
        both = (
            torch.div(x, 0.3, rounding_mode="trunc"),
            torch.divide(y, x, rounding_mode="trunc"),
        )
        return *several, *floors, place, *both

    ends = [1.5, -1.0, 0.3, 3.0, 0.1, -90, torch.finfo(dtype).max, 0.0, INF, NAN]
    x = torch.tensor(ends, dtype=dtype)
    agree(cut, (x[:, None].expand(10, 10), x.expand(10, 10)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_half_a_turn_has_the_bits_of_its_dtype(dtype):
    x = torch.tensor([-1.0, -0.0, 0.0, 2.0, -INF, NAN], dtype=dtype)
    net = dycl.compile(lambda x: torch.angle(x) * 1, (x,))
    assert torch.equal(net(x)[:-1], torch.angle(x)[:-1])
    assert net(x)[-1].isnan()


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16], ids=str)
def test_a_number_whose_bits_meet_those_of_short_ints_is_one(dtype):
    """Among bytes, 300 is 44, and 256 is 0."""

    def shifted(x):
        of_numbers = [n >> x for n in (300, -3, -1, 2**40 + 9)]
        by_numbers = [x >> n for n in (256, 300, 2)] + [x << n for n in (256, 2**40, 1)]
        return *of_numbers, *by_numbers, x & 300, 2**40 + 7 | x, x ^ -200

    x = torch.tensor([0, 1, 2, 3, 7, 8, 100, 200, 255]).to(dtype)
    agree(shifted, (x,))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_so_is_a_number_of_the_run(dtype):
    def shifted(x, n: int):
        if x.sum() > 100:
            return n >> x, x >> n, x << n
        return x & n, n | x, x ^ n

    net = dycl.compile(shifted, (torch.tensor([1, 2, 3, 4, 5]).to(dtype), 1))
    for values in ([0, 1, 2, 3, 100], [0, 1, 2, 3, 8]):
        x = torch.tensor(values).to(dtype)
        for n in (0, 1, 2, 256, 300, 2**40 + 9, -1, -3):
            assert all(map(torch.equal, net(x, n), shifted(x, n))), n


DIFFERENT = ["float32 float64", "int32 int64", "int32 float32", "float16 bfloat16"]


@pytest.mark.parametrize("dtypes", DIFFERENT)
def test_products_of_different_dtypes_are_of_that_of_the_result(dtypes):
    def mixed(x, y):
        sums = [torch.addcmul(*three, value=2) for three in ((x, x, y), (y, x, x))]
        quotients = x / y, torch.fmod(x, y), torch.addcdiv(x, x, y.double(), value=3)
        return *sums, torch.addcmul(x, y, y), *quotients

    before, after = (getattr(torch, name) for name in dtypes.split())
    x = torch.tensor([2**31 - 1, 1, -7, 2**30, 5]).to(before)
    y = torch.tensor([1, 3, 2, 2, -1.0]).to(after)
    agree(mixed, (x, y), (-x, y))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_ints_beside_halves_are_rounded_first(dtype):
    def mixed(k, x):
        return k / x, torch.fmod(k, x), torch.remainder(k, x), x / k

    k = torch.tensor([257, 2049, 70001, 3, -2051])
    agree(mixed, (k, torch.tensor([1.0, 3, 0.5, INF, -7]).to(dtype)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_times_powers_of_two_are_rounded_once(dtype):
    def scaled(x, n, short):
        return torch.ldexp(x, n), torch.ldexp(x, n.int()), torch.ldexp(x, short)

    facts = torch.finfo(dtype)
    least, third = facts.tiny * facts.eps, 1 / 3
    ends = [0.0, -0.0, third, -1.5, facts.max, -facts.max, facts.tiny, least, INF, NAN]
    powers = [0, 1, -1, 24, -24, 149, -149, 300, 1023, 1024, -1022, -1023, -1074, -1075]
    powers += [2098, -2098, -2099, 2**31 - 1, -(2**31), 2**31, 2**40 + 3]
    x = torch.tensor(ends, dtype=torch.float64).to(dtype)[:, None].repeat(1, 21)
    n = torch.tensor(powers)[None]
    agree(scaled, (x, n, n.clamp(-100, 100).to(torch.int8)))


def test_an_int_is_rounded_before_it_is_a_power():
    x, n = torch.tensor([-1.0000001, -1.0, 2.0]), torch.tensor([2**31 - 1, 3, -2])
    agree(lambda x, n, k: (x**n, x**k, k ** x.abs()), (x, n, n.int()))


def test_of_two_factors_of_halves_one_second_number_is_not_rounded():
    def products(x, n, one, f):
        return x * n, n * x, x * one, one * x, x * f, f * x, x * one[0]

    x, n = torch.tensor([1e-3, 2.0, -1.0]), torch.tensor([70000, 3, 65519])
    for dtype in (torch.float16, torch.bfloat16):
        agree(products, (x.to(dtype), n, n[:1], torch.tensor(70001.3)))


@pytest.mark.parametrize("wide", [torch.float64, torch.int64], ids=str)
def test_the_dtype_of_a_number_counts_for_less_than_that_of_rows(wide):
    def mixed(x, s):
        pairs = (torch.fmax(x, s), torch.fmin(s, x), torch.maximum(s, x))
        threes = (torch.addcmul(x, s, s), torch.addcmul(s, x, x, value=2))
        true = torch.logical_and(x, s), torch.logical_or(s, x), torch.logical_xor(x, s)
        return *pairs, *threes, *true

    narrow = torch.float32 if wide.is_floating_point else torch.int32
    x = torch.tensor([0, 1, -7, 3]).to(narrow)
    least = torch.tensor(1e-300 if wide.is_floating_point else 2**62, dtype=wide)
    agree(mixed, (x, torch.tensor(5, dtype=wide)), (x, least))


def test_so_it_does_where_logarithms_and_sides_are_floats():
    def mixed(x, s, k):
        logs = torch.logaddexp(x, s), torch.logaddexp2(s, x), torch.hypot(s, x)
        return *logs, torch.hypot(k, x), torch.addcdiv(k, k, x, value=-3)

    x, s = torch.tensor([0.0, INF, -2.0, NAN]), torch.tensor(3.0, dtype=torch.float64)
    agree(mixed, (x, s, torch.tensor([-(2**63), 2**62, 5, 0])), (x, s * NAN, x.long()))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("number", [torch.tensor(-7.3), torch.tensor(70001)], ids=str)
def test_a_number_beside_halves_is_rounded_but_as_a_second_factor(number, dtype):
    def mixed(x, s):
        rests = torch.fmod(x, s), torch.remainder(s, x), torch.addcmul(x, x, s, value=2)
        quotients = (
            torch.addcdiv(x, x, s),
            torch.addcdiv(x, s, x),
            s / x,
            x / s,
            x * s,
            s * x,
            torch.ldexp(x, s),
        )
        return *rests, *quotients

    agree(mixed, (torch.tensor([-7.3, 1.0, -1.0, 3.0, 0.0, INF]).to(dtype), number))
