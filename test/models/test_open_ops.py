"""Single operations of dynamic sizes: no rows, one, as many as there are, and more."""

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.runtime import InputError

MOST = 9


def draw(shape, n):
    """Elements, or indices below 5 for a shape that begins with "int"."""
    sizes = [n if size == "n" else size for size in shape if size != "int"]
    if shape[:1] == ("int",):
        return torch.randint(0, 5, sizes)
    return torch.randn(sizes) * 100


def outcome(run, given):
    try:
        return run(*[x.clone() for x in given]), None
    except Exception as error:
        return None, error


def agree(function, shapes, sizes=(0, 1, 2, 3, 5, MOST), rest=()):
    """Both hosts give what eager gives at each size, or raise where it raises."""
    torch.manual_seed(0)
    n = dycl.Dim("n", max=MOST)
    dims = tuple({d: n for d, s in enumerate(s for s in shape if s != "int")
                  if s == "n"} for shape in shapes)  # fmt: skip
    examples = tuple(draw(shape, MOST) for shape in shapes)
    net = dycl.compile(
        function, (*examples, *rest), dynamic_shapes=(*dims, *({} for _ in rest))
    )
    assert net.host == "native", net.why_python
    for size in sizes:
        given = [*(draw(shape, size) for shape in shapes), *rest]
        wanted, raised = outcome(function, given)
        for run in (net, net.with_python_host()):
            found, ours = outcome(run, given)
            assert (ours is None) == (raised is None), (size, raised, ours)
            if raised is None:
                torch.testing.assert_close(found, wanted, equal_nan=True)
            elif not isinstance(ours, InputError):
                assert isinstance(ours, type(raised))


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, y: torch.diff(x, 0, 0, None, y), [("n", 3), (2, 3)]),
        (lambda x, y: torch.diff(x, 2, 1, y, y), [("n", 3), ("n", 2)]),
        (lambda x: torch.var(x, dim=None, correction=-5), [("n", 3)]),
        (lambda x: torch.std_mean(x, 0, correction=-5), [("n", 3)]),
        (lambda x, y: F.cross_entropy(x, y), [(2, "n"), (2, "n")]),
        (lambda x, y: F.cross_entropy(x, y, reduction="sum"), [("n", 3), ("n", 3)]),
        (lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1), [("n", 3), ("n", 3)]),
        (lambda x: torch.nanmedian(x), [("n", 3)]),
        (lambda x: torch.nanmedian(x.masked_fill(x > 0, torch.nan)), [("n",)]),
        (lambda x: torch.logcumsumexp(x, 0), [("n", 3)]),
        (lambda x: torch.logcumsumexp(x.where(x < 0, torch.inf), -1), [(2, "n")]),
        (lambda x, y: torch.linalg.cross(x, y), [(1, 3), ("n", 3)]),
        (lambda x, y: torch.diagonal_scatter(x, y), [("n", 3), (3,)]),
        (lambda x, y: torch.diagonal_scatter(x, y, 1), [(4, "n"), (2,)]),
        (
            lambda x, i: torch.searchsorted(x.sort()[0], x, sorter=i.sort()[0]),
            [("n",), ("int", "n")],
        ),
        (lambda x, y: torch.broadcast_tensors(x, y), [(1, 3), (2, "n", 1)]),
        (lambda x, y: torch.hypot(x, y), [(1, 3), ("n", 3)]),
        (lambda x: F.interpolate(x, 2, mode="area"), [(2, "n", 4, 4)]),
        (lambda x: F.interpolate(x, 2, mode="area"), [("n", 3, 4, 4)]),
        (lambda x: F.pad(x, (-2, 1), mode="replicate"), [(1, 1, "n")]),
        (lambda x: F.pad(x, (1, -2, -3, 4), mode="replicate"), [(3, "n", "n")]),
        (lambda x: F.pad(x, (-1, 1, -2, 1), mode="replicate"), [(1, "n", 4, 4)]),
        (lambda x: F.pad(x, (-1, 1, -2, 1), mode="reflect"), [(1, "n", 4, 4)]),
        (lambda x: F.pad(x, (1, -1, -1, 2), mode="reflect"), [(1, 3, "n", "n")]),
    ],
)
def test_equals_eager_at_every_size(function, shapes):
    agree(function, shapes)


KINDS = [("sum", 2), ("mean", None), ("mean", 2), ("max", 2)]


def test_bags_of_any_number_of_rows():
    offsets = offsets_of(0, 3)

    def bags(table, index):
        return [
            F.embedding_bag(index, table, offsets, mode=mode, padding_idx=padding)
            for mode, padding in KINDS
        ]

    def rows(table, index):
        return [
            F.embedding_bag(index, table, mode=mode, padding_idx=padding)
            for mode, padding in KINDS
        ]

    agree(bags, [(5, 4), ("int", "n")])
    agree(rows, [(5, 4), ("int", "n", 3)])


def test_bags_of_weighted_rows():
    def bags(table, index, weights, offsets):
        return F.embedding_bag(
            index, table, offsets, mode="sum", per_sample_weights=weights
        )

    def rows(table, index, weights):
        return F.embedding_bag(index, table, mode="sum", per_sample_weights=weights)

    agree(
        bags, [(5, 4), ("int", "n"), ("n",)], sizes=(0, 2, 3, 5), rest=(offsets_of(3),)
    )
    agree(rows, [(5, 4), ("int", "n", 3), ("n", 3)])


def offsets_of(*begins):
    return torch.tensor([0, *begins])


def test_any_number_of_bags():
    def bags(table, index, offsets):
        return F.embedding_bag(index, table, offsets, mode="sum")

    table, index = torch.randn(5, 4), torch.randint(0, 5, (6,))
    n = dycl.Dim("n", max=MOST)
    given = table, index, offsets_of(2, 2, 4)
    net = dycl.compile(bags, given, dynamic_shapes=({}, {}, {0: n}))
    for offsets in (offsets_of(), offsets_of(2, 2, 4), offsets_of(6), offsets_of()[:0]):
        torch.testing.assert_close(
            net(table, index, offsets), bags(table, index, offsets)
        )
    for wrong in (offsets_of(7), offsets_of(3) + 1):
        with pytest.raises(RuntimeError, match="offsets"):
            net(table, index, wrong)


def test_tensors_that_may_have_the_same_shape():
    def alike(x, y):
        if torch.equal(x, y):
            return x.sum()
        return -y.sum() if x.equal(y[:3]) else y.sum()

    n = dycl.Dim("n", max=MOST)
    net = dycl.compile(
        alike, (torch.ones(4, 2), torch.ones(5, 2)), dynamic_shapes=({0: n}, {})
    )
    other, taken = torch.ones(5, 2), set()
    for x in (torch.ones(size, 2) for size in (0, 1, 3, 5, MOST)):
        for given in ((x, other), (x - 1, other)):
            for run in (net, net.with_python_host()):
                torch.testing.assert_close(run(*given), alike(*given))
                taken |= {decision.taken for decision in run.path}
    assert taken == {True, False}


def test_little_that_is_added_to_a_logarithm_is_kept():
    def little(x, y):
        both = torch.logaddexp2(x, y), torch.logaddexp(x, y)
        return both if both[0].sum() > 0 else (both[0] * 1e9, both[1] * 1e9)

    x = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.inf, torch.nan, 3.0])
    y = torch.tensor([-30.0, -100.0, torch.inf, -torch.inf, -torch.inf, 1.0, 3.0])
    net = dycl.compile(little, (x, y))
    for given in ((x, y), (y, x), (x[:1].expand(7), y[:1].expand(7))):
        torch.testing.assert_close(
            net(*given), little(*given), rtol=1e-5, atol=0, equal_nan=True
        )


def test_infinities_and_zeros_of_roots_and_bessels():
    def both(x):
        if x[3] > 0:
            x = x * 2
        return x**-0.5, torch.special.i0(x), torch.special.i1(x), x.rsqrt()

    x = torch.tensor([0.0, -0.0, torch.inf, 2.0, -torch.inf, torch.nan, 0.25])
    for dtype in (torch.float64, torch.float32):
        net = dycl.compile(both, (x.to(dtype),))
        for given in (x.to(dtype), -x.to(dtype)):
            torch.testing.assert_close(net(given), both(given), equal_nan=True)


def test_little_doubles_have_all_their_digits():
    def little(x):
        if x[0] > 0:
            x = -x
        units = F.elu(x), F.celu(x, 2.0), F.selu(x)
        return torch.expm1(x), torch.log1p(x), *units

    x = [1e-20, 1e-310, -0.0, 1e-9, 0.3499, 0.3501, 0.9, 708.0, torch.inf, torch.nan]
    x = torch.tensor(x, dtype=torch.float64)
    net = dycl.compile(little, (x,))
    for given in (x, -x):
        for run in (net, net.with_python_host()):
            for found, wanted in zip(run(given), little(given), strict=True):
                torch.testing.assert_close(
                    found, wanted, rtol=1e-15, atol=1e-320, equal_nan=True
                )
                zero = wanted == 0
                assert torch.equal(found[zero].signbit(), wanted[zero].signbit())


def test_the_norm_of_one_element_is_its_size():
    def norms(x, y):
        if x[0, 0] > 0:
            x = -x
        ways = [
            torch.linalg.vector_norm(x, p, 1) for p in (0, 0.5, 2, 3, -1, torch.inf)
        ]
        all_ = x[0].norm(), torch.linalg.vector_norm(x[:1, 0]), x.norm(2, 1, True)
        more = F.normalize(x, dim=1), torch.renorm(x, 2, 0, 1.0), x.norm(2, 0)
        return *ways, *all_, *more, F.pairwise_distance(x, y)

    x = torch.tensor([[3e38], [1e-30], [-2.5], [-0.0], [torch.inf], [torch.nan]])
    n = dycl.Dim("n", max=9)
    for dtype in (torch.float32, torch.bfloat16):
        given = x.to(dtype), torch.zeros_like(x, dtype=dtype)
        for dims in (None, ({0: n}, {0: n})):
            net = dycl.compile(norms, given, dynamic_shapes=dims)
            for first in (given[0], -given[0]):
                wanted = norms(first, given[1])
                found = net(first, given[1])
                torch.testing.assert_close(found, wanted, equal_nan=True)
                found = net.with_python_host()(first, given[1])
                torch.testing.assert_close(found, wanted, equal_nan=True)


def test_logarithms_that_are_near_zero():
    def logs(x):
        if x[0] > 1:
            x = 2 - x
        return torch.lgamma(x), torch.special.entr(x)

    x = [1.5, 1.0, 2.0, 1 + 1e-10, 1 - 1e-9, 2 + 1e-8, 2 - 1e-12, 0.5, 2.5, 2.4999]
    x += [-0.0, 0.0, torch.inf, -torch.inf, torch.nan, 17.5, -0.3]
    for dtype in (torch.float64, torch.float32):
        given = torch.tensor(x, dtype=dtype)
        net = dycl.compile(logs, (given,))
        for case in (given, 2 - given):
            for run in (net, net.with_python_host()):
                for found, wanted in zip(run(case), logs(case), strict=True):
                    torch.testing.assert_close(
                        found, wanted, rtol=1e-6, atol=0, equal_nan=True
                    )
                    zero = wanted == 0
                    assert torch.equal(found[zero].signbit(), wanted[zero].signbit())


def test_distances_from_what_is_infinite():
    def distances(x, y):
        x = x if x[0, 0] > 0 else x + 1
        return torch.cdist(x, y)

    n = dycl.Dim("n", max=64)
    x = torch.tensor([[0.0], [1.0], [-2.0]])
    y = torch.tensor([[torch.inf], [3.0], [-torch.inf], [1e19]])
    net = dycl.compile(distances, (x, y), dynamic_shapes=({0: n}, {}))
    for given in (x, x + 1, x[:1], x[:2] + 2):
        for run in (net, net.with_python_host()):
            torch.testing.assert_close(run(given, y), distances(given, y))


def test_norms_along_a_dim_of_one():
    """Eager takes no square of one element, which overflows, or is 0."""

    def norms(x):
        large, small = x.sign() * 3e38, x.sign() * 1e-30
        return [
            *(torch.linalg.vector_norm(y, 2, 1) for y in (large, small)),
            torch.linalg.vector_norm(large, 3, (0, 1), keepdim=True),
            torch.linalg.vector_norm(small[:1]),
            torch.linalg.vector_norm(small, 1, -1, dtype=torch.float64),
            large.norm(dim=1, keepdim=True),
            F.normalize(large, dim=1),
            F.pairwise_distance(large, small),
        ]

    agree(norms, [("n", "n")], sizes=(0, 1, 2, MOST))
    agree(lambda x: norms(x.bfloat16())[1], [(2, "n")], sizes=(0, 1, 2))
