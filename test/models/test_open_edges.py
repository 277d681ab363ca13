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


def test_a_part_of_another_size_than_the_slice_is_refused():
    """Its elements would lie beyond the tensor's."""
    n = dycl.Dim("n", min=0, max=8)
    with pytest.raises(dycl.CompileErrors, match="DY301.*slice_scatter of a part"):
        dycl.compile(
            Net(lambda x, part: x.slice_scatter(part, 1, 2, 5)).eval(),
            (torch.zeros(2, 8), torch.zeros(2, 3)),
            dynamic_shapes=(None, {1: n}),
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
