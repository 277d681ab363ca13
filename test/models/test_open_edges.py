"""Dynamic sizes: edges that are repeated and cut off, parts put in, similar rows."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import dycl


class Net(nn.Module):
    """A function, and a decision on what it gives."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        y = self.function(*given)
        if y.sum() > 0:
            return y * 2
        return -y


def check(function, examples, dims, calls):
    """Equal to eager on calls that take both sides."""
    model = Net(function).eval()
    net = dycl.compile(model, examples, dynamic_shapes=dims)
    sides = set()
    for given in calls:
        for sign in (1, -1):
            given = (given[0] * sign, *given[1:])
            torch.testing.assert_close(net(*given), model(*given))
            sides.add(net.path[0].taken)
    assert sides == {True, False}


def randn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


@pytest.mark.parametrize(
    ("pad", "shapes"),
    [
        ((2, -1), [(3, 9), (3, 2), (3, 5)]),
        ((-1, 2), [(3, 9), (3, 2), (3, 5)]),
        ((-1, 1, -2, 1), [(2, 3, 9, 9), (2, 3, 4, 5), (2, 3, 5, 4)]),
        ((-2, -1, 1, 0), [(2, 3, 9, 9), (2, 3, 4, 5), (2, 3, 1, 4)]),
    ],
)
def test_edges_are_repeated_beside_what_is_cut_off(pad, shapes):
    n, m = dycl.Dim("n", min=1, max=9), dycl.Dim("m", min=1, max=9)
    dims = {1: n} if len(pad) == 2 else {2: n, 3: m}
    check(
        lambda x: F.pad(x, pad, mode="replicate"),
        (torch.zeros(shapes[0]),),
        (dims,),
        [(randn(*shape),) for shape in shapes],
    )


@pytest.mark.parametrize(
    ("function", "shapes", "dims", "message"),
    [
        (
            lambda x, y: x.slice_scatter(y, 1, 2, 5),
            [(2, 8), (2, 3)],
            (None, {1: 0}),
            "slice_scatter of a part",
        ),
        (
            lambda x, y: F.conv_transpose1d(x, y, padding=2),
            [(2, 3, 9), (3, 4, 5)],
            (None, {2: 0}),
            "a transposed convolution by filters of a dynamic size",
        ),
        (
            lambda x, y: torch.cross(x, y),
            [(9, 3), (9, 3)],
            ({0: 0}, {0: 0}),
            "`torch.cross` of a dynamic size needs its `dim`",
        ),
    ],
)
def test_what_sizes_would_decide_within_a_kernel_is_refused(
    function, shapes, dims, message
):
    """The first two would touch what is beyond the tensors."""
    n = dycl.Dim("n", min=1, max=9)
    named = [row and dict.fromkeys(row, n) for row in dims]
    with pytest.raises(dycl.CompileErrors, match=f"DY301.*{message}"):
        dycl.compile(
            Net(function).eval(),
            tuple(map(torch.zeros, shapes)),
            dynamic_shapes=tuple(named),
        )


def test_products_across_a_dim_that_is_named():
    n = dycl.Dim("n", min=1, max=9)
    check(
        lambda x, y: torch.cross(x, y, dim=1),
        (torch.zeros(9, 3), torch.zeros(9, 3)),
        ({0: n}, {0: n}),
        [(randn(size, 3), randn(size, 3).roll(1, 1)) for size in (1, 2, 3, 9)],
    )


def test_a_part_of_the_size_of_the_slice_is_put_in():
    n = dycl.Dim("n", min=1, max=8)
    check(
        lambda x: x.slice_scatter(x[:, :3] * 3, 1, 2, 5),
        (torch.zeros(8, 6),),
        ({0: n},),
        [(randn(size, 6),) for size in (1, 2, 5, 8)],
    )


@pytest.mark.parametrize(
    ("shape", "dim"), [((1, 6), 1), ((6,), 1), ((6,), -1), ((4, 1, 6), 2), ((1, 1), 1)]
)
def test_similar_rows_of_other_ranks_and_of_one_element(shape, dim):
    n = dycl.Dim("n", min=0, max=8)
    check(
        lambda x, y: F.cosine_similarity(x, y, dim=dim),
        (torch.zeros(8, 6), torch.zeros(shape)),
        ({0: n}, None),
        [(randn(size, 6), randn(*shape)) for size in (1, 2, 5, 8)],
    )


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("least", [0, 1])
def test_a_range_up_to_two_has_all_of_its_sizes(least, most):
    # torch reckons with sizes of two and more: of these ranges it sees 2, or 2 and 3.
    weight = randn(4, 4)
    check(
        lambda x: torch.cat([x @ weight + x, x[:1]]),
        (torch.zeros(2, 4),),
        ({0: dycl.Dim("n", min=least, max=most)},),
        [(randn(size, 4),) for size in range(least, most + 1)],
    )
