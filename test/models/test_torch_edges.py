"""Ops at the edges of what they take: zeros, infinities, NaN, and places outside."""

import pytest
import torch
import torch.nn.functional as F

import dycl

INF, NAN = float("inf"), float("nan")


def outcome(run, given):
    try:
        return run(*(x.clone() for x in given)), None
    except RuntimeError as error:
        return None, error


def agree(function, *inputs, **named):
    """Both hosts give what eager gives of each input, or raise as it does."""
    net = dycl.compile(function, inputs[0], **named)
    for given in inputs:
        wanted, raised = outcome(function, given)
        for run in (net, net.with_python_host()):
            found, ours = outcome(run, given)
            assert (ours is None) == (raised is None), (given, raised, ours)
            if raised is None:
                torch.testing.assert_close(found, wanted, equal_nan=True)
            else:
                assert str(ours)[:40] == str(raised)[:40]


def test_a_roll_that_goes_around_more_than_once():
    def rolled(x):
        two = x.roll((3, 8), (0, 1))
        return x.roll(2, 0), x.roll(7, 0), x.roll(-9, 0), two, x.roll(23), x.roll(-1, 0)

    inputs = [(torch.arange(5.0 * n).reshape(n, 5),) for n in (4, 1, 2, 3, 7)]
    agree(rolled, inputs[0])
    rows = {0: torch.export.Dim("n")}
    agree(rolled, *inputs, dynamic_shapes=(rows,))


BYTES = torch.tensor([[0, 1, 3, 255], [128, 7, 5, 254], [100, 9, 8, 2]]).to(torch.uint8)


def test_a_number_that_divides_bytes_is_one():
    """-3 is 253, of which no byte has more than one."""

    def parts(x, y):
        return [
            torch.div(z, n, rounding_mode=mode)
            for z in (x, y)
            for n in (-3, 2, 7)
            for mode in ("trunc", "floor")
        ]

    agree(parts, (BYTES, BYTES.view(torch.int8)))


def test_a_byte_of_rank_0_has_the_dtype_of_the_others():
    def mixed(x, y, z):
        one, two, three = x[0, 3], y[1, 0], z[0, 3] * 100
        sums = x + two, one + y, x * two, one * y, x + three, y * three
        chosen = torch.where(x > 3, x, two), torch.where(x > 3, one, y)
        return (
            *sums,
            *chosen,
            torch.maximum(y, three),
            x & two,
            torch.where(y < 0, y, z),
        )

    signed = BYTES.view(torch.int8)
    agree(mixed, (BYTES, signed, BYTES.short()))


def test_floats_of_bytes_and_a_number_that_is_no_byte():
    """`x / y[0]` is computed of floats: the number is not made a byte before."""

    def floats(x, number):
        angles = torch.atan2(x, number), torch.copysign(x, number)
        return x / number, number / x, torch.xlogy(x, number), *angles

    signed = BYTES.view(torch.int8)
    agree(floats, (signed, torch.tensor(300, dtype=torch.int16)))
    agree(floats, (signed, torch.tensor(255, dtype=torch.uint8)))


def test_a_number_beside_several_bytes_is_one():
    def sums(x, y, half):
        filled = x.index_fill(0, torch.tensor([1]), y[0, 1])
        more = torch.addcmul(half, half, half.max().float())
        return torch.addcmul(x, x, y[1, 0]), filled, more

    agree(sums, (BYTES, BYTES.view(torch.int8), torch.tensor([2.0, -1.5]).half()))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_a_place_among_bytes_is_no_byte(dtype):
    def taken(x, place):
        return x.index_select(0, place), x.index_fill(0, place, 3), x[place]

    places = torch.tensor(300), torch.tensor(7)
    x = (torch.arange(600) % 97).to(dtype)
    agree(taken, *((x, place) for place in places))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_what_divides_a_half_float_has_no_dtype_of_its_own(dtype):
    def parts(x, y, z):
        largest, other = y.max(), z.max()
        return x / largest, x * largest, x / other, y / x.max(), other / x, x % largest

    x = torch.tensor([0.1, -3.0, 700.0, INF])
    halves = {torch.float16: torch.bfloat16, torch.bfloat16: torch.float16}
    agree(parts, (x.to(dtype), x[:3] * 3.3, x[:3].to(halves[dtype])))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32])
def test_sums_of_bytes_wrap_around_before_they_are_divided(dtype):
    def means(x, index):
        rows = x.scatter_reduce(0, index, x, "mean")
        alone = x.scatter_reduce(0, index, x, "mean", include_self=False)
        return rows, alone, x.index_reduce(0, index[:, 0], x, reduce="mean")

    index = torch.tensor([[0, 1, 0, 2], [0, 1, 0, 1], [2, 1, 0, 1]])
    agree(means, (BYTES.to(dtype), index))


def test_powers_of_truths_are_integers():
    agree(lambda x: (x**2, x**0, x**3 + 1), (torch.tensor([True, False]),))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_half_a_power_of_infinities(dtype):
    def root(x):
        return x**0.5, 1 / x**0.5

    agree(root, (torch.tensor([-INF, -0.0, 4.0, -1.0, INF]).to(getattr(torch, dtype)),))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_rms_norm_without_an_eps(dtype):
    x = torch.tensor([[0.0, 0, 0], [1e-4, 2e-4, 1e-4], [1e-9, 1e-8, 0], [1, 2, 3]])
    x = x.to(getattr(torch, dtype))
    agree(lambda x: (F.rms_norm(x, (3,)), F.rms_norm(x, (3,), x[3])), (x,))


def test_the_norm_layer_of_a_row_of_padding():
    norm = torch.nn.RMSNorm(4)

    def layer(x):
        y = norm(x)
        return y if y.sum() > 0 else y - 1

    with torch.no_grad():
        agree(layer, (torch.zeros(2, 4),), (torch.ones(2, 4) * 1e-6,))


FACTORS, PIVOTS = torch.linalg.lu_factor(
    torch.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 0]])
)


@pytest.mark.parametrize(
    "function",
    [
        lambda both, pivots, right: torch.linalg.lu_solve(both, pivots, right),
        lambda both, pivots, right: torch.lu_unpack(both, pivots),
    ],
)
def test_pivots_that_are_no_rows_raise(function):
    agree(
        function,
        *(
            (FACTORS, torch.tensor([3, 3, last], dtype=torch.int32), torch.eye(3))
            for last in (3, 1, 0, 4, -1, 1000)
        ),
    )


def test_an_index_along_a_dim_is_taken_by_its_remainder():
    x = torch.arange(6.0).view(2, 3)

    def taken(x, index):
        return torch.take_along_dim(x, index, 1)

    agree(taken, *((x, torch.tensor([[k], [-1]])) for k in (2, 0, -1, -3, -4, 7)))
    agree(taken, (x, torch.zeros(2, 0, dtype=torch.long)))
    agree(taken, (torch.zeros(2, 0), torch.zeros(2, 0, dtype=torch.long)))


IMAGE = torch.tensor(
    [[[INF, 1.0, INF, -0.0], [-INF, 1.0, 2.0, 5.0], [1.0, NAN, 3.0, INF]]]
)
ASKED = [
    {"size": 3, "align_corners": True},
    {"size": 4},
    {"size": 5},
    {"scale_factor": 1.7},
    {"scale_factor": 0.6},
    {"size": 1},
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_infinities_between_which_is_interpolated(asked, dtype):
    agree(lambda x: F.interpolate(x, mode="linear", **asked), (IMAGE.to(dtype),))


def test_infinities_in_images_and_volumes():
    image = IMAGE.view(1, 1, 3, 4)
    agree(lambda x: F.interpolate(x, size=(3, 7), mode="bilinear"), (image,))
    agree(
        lambda x: F.interpolate(x, size=(2, 3, 6), mode="trilinear"),
        (image.view(1, 1, 1, 3, 4),),
    )


@pytest.mark.parametrize("mode", ["linear", "bilinear", "trilinear"])
@pytest.mark.parametrize("count", [3, 5, 9])
def test_infinities_beside_the_middle_of_one_element(mode, count):
    """By eager's fma `1.5 * (1 / 3) - 0.5` is not 0, by which an infinity is NaN."""
    dims = ["linear", "bilinear", "trilinear"].index(mode) + 1
    inputs = [(torch.full([1, 1] + [n] * dims, INF),) for n in (1, 3, 4)]

    def larger(x):
        return F.interpolate(x, size=[count] * dims, mode=mode)

    agree(larger, inputs[0])
    sizes = dict.fromkeys(range(2, dims + 2), dycl.Dim("n"))
    agree(larger, *inputs, dynamic_shapes=(sizes,))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [3, 4, 20])
def test_largest_half_floats(dtype, width):
    """Where a processor does not reckon with them, LLVM asks for unknown functions."""

    def ordered(x):
        largest = x.topk(3, 1)
        smallest = x.topk(2, 1, largest=False)
        return largest[0], smallest[0], x.kthvalue(2, 1)[0], x.median(1)[0]

    numbers = torch.linspace(-2.0, 2.0, width).roll(1)
    inputs = [numbers, numbers.sign(), numbers.clone().fill_(INF), numbers * 1e-40]
    agree(ordered, *((x.expand(2, width).to(dtype),) for x in inputs))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("p", [1, 2])
def test_margins_of_nan_do_not_count(p, reduction):
    def losses(x, labels, weight):
        given = {"p": p, "reduction": reduction}
        return [
            F.multi_margin_loss(x, labels, **given),
            F.multi_margin_loss(x, labels, margin=0.5, weight=weight, **given),
            F.multi_margin_loss(x[1], labels[1], weight=weight, **given),
        ]

    labels, weight = torch.tensor([0, 2]), torch.tensor([1.0, -2.0, 0.5])
    rows = [
        [[1.0, 0.5, 3.0], [-1.0, 0.0, 2.0]],
        [[1.0, NAN, 3.0], [NAN, 0.0, INF]],
        [[NAN, 1.0, 2.0], [-INF, 5.0, -INF]],
    ]
    agree(losses, *((torch.tensor(x), labels, weight) for x in rows))
    agree(losses, (torch.tensor(rows[0]), torch.tensor([0, 3]), weight))


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum", "batchmean"])
def test_chances_of_zero_in_a_divergence(reduction, dtype):
    x = torch.tensor([[1.0, 2, 3], [0, 0, 9], [-INF, 0, 1], [NAN, 0, 1]])
    x = torch.log_softmax(x, -1).to(getattr(torch, dtype))
    targets = torch.tensor([[0.0, 0.5, 0.5], [-0.0, 0, 1], [INF, 0.5, 0], [0, NAN, 1]])

    def both(x, y):
        plain = F.kl_div(x, y, reduction=reduction)
        return plain, F.kl_div(x, y, reduction=reduction, log_target=True)

    rows = [targets[i : i + 1].to(x.dtype) for i in range(4)]
    agree(both, *((x[i : i + 1], row) for i in range(4) for row in rows))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, INF])
def test_distances_of_nan_and_infinity(p, dtype):
    x = torch.tensor([[NAN, 1, 2], [0, 5, 7], [INF, NAN, 0], [NAN, NAN, NAN]])
    x = x.to(getattr(torch, dtype))
    y = torch.tensor([[0.0, 1e-30, 9], [INF, 1, -INF]]).to(x.dtype)

    def both(x, y):
        return torch.cdist(x, y, p=p), torch.pdist(x, p=p)

    agree(both, (x, y), (x.flip(-1), -y), (y[0].repeat(4, 1), y))


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("channels", [2, 9])
def test_cubic_samples_beside_an_image_with_nan(channels, padding, align_corners):
    torch.manual_seed(0)
    x, near = torch.randn(1, channels, 5, 4), torch.randn(1, 3, 4, 2)
    far = near.clone()
    far[0, 0] = torch.tensor([[NAN, 0], [INF, 0], [-1, -1], [3e9, -3e9]])
    far[0, 1] = torch.tensor([[1.0, 1], [1.0000001, 0], [-7, 0.3], [0, -INF]])
    wrong = x.clone()
    wrong[0, :, 0, 0], wrong[0, 0, 4, 3], wrong[0, 1, 2] = NAN, INF, -INF

    def sampled(x, points):
        return F.grid_sample(x, points, "bicubic", padding, align_corners)

    agree(sampled, (x, near), (x, far), (wrong, near), (wrong, far))
