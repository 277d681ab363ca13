"""A size that the data decides has to be 1 where torch meets it with a known 1."""

import pytest
import torch

import dycl


class SparseAttention(torch.nn.Module):
    """`squeeze` decides the rank; on the side of one edge, its size is one."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, 10).view(1, 10))

    def forward(self, x, adjacency):
        edge = adjacency.nonzero().t()
        both = torch.cat((x[edge[0]], x[edge[1]]), dim=1).t()
        weights = torch.exp(-self.weight.mm(both).squeeze())
        total = torch.zeros(x.size(0), 1).index_add(0, edge[0], weights.view(-1, 1))
        return weights, total


class MeetsOne(torch.nn.Module):
    def forward(self, x, mask):
        places = mask.nonzero().squeeze(1)
        return torch.zeros(4, 5).index_add(0, places, x[:1])


def adjacency(*edges):
    found = torch.zeros(4, 4)
    for row, column in edges:
        found[row, column] = 1
    return found


def test_both_ranks_are_eagers():
    model, x = SparseAttention().eval(), torch.randn(4, 5)
    net = dycl.compile(model, (x, adjacency((0, 1), (1, 2))))
    for edges in ([(0, 1)], [(2, 3), (3, 3), (0, 0)], [(1, 1)], []):
        given = x, adjacency(*edges)
        for ours, wanted in zip(net(*given), model(*given), strict=True):
            torch.testing.assert_close(ours, wanted)


def test_another_size_raises_as_in_eager():
    model, x = MeetsOne().eval(), torch.randn(4, 5)
    net = dycl.compile(model, (x, torch.tensor([False, True, False, False])))
    one = torch.tensor([False, False, True, False])
    torch.testing.assert_close(net(x, one), model(x, one))
    for several in (torch.ones(4) > 0, torch.ones(4) < 0, torch.arange(4) > 1):
        with pytest.raises((RuntimeError, IndexError)):
            model(x, several)
        with pytest.raises(RuntimeError, match="sizes do not fit"):
            net(x, several)
