"""`unique` and `unique_consecutive` along a dim that is counted from the end."""

import torch

import dycl


class Ranks(torch.nn.Module):
    def forward(self, x):
        line = torch.unique_consecutive(x[0], dim=-1)
        rows = x.unique_consecutive(dim=-1)
        both, counts = torch.unique(x, return_counts=True, dim=-2)
        by_place = torch.unique_consecutive(x, False, False, -1)
        shapes = line.dim(), rows.shape[0], both.shape[1], by_place.dim(), counts.dim()
        seen = [item for item in line if item != 0]
        return line, rows, both, counts, shapes, len(seen)


def test_equals_eager():
    model, x = Ranks().eval(), torch.tensor([[0, 1, 1, 2], [0, 1, 1, 2], [3, 0, 0, 0]])
    net = dycl.compile(model, (x,))
    for given in (x, torch.zeros(3, 4, dtype=torch.long), x.flip(1), x * 0 + 7):
        ours, wanted = net(given), model(given)
        assert ours[4:] == wanted[4:]
        for one, other in zip(ours[:4], wanted[:4], strict=True):
            torch.testing.assert_close(one, other)
