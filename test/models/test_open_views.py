"""Results of dynamic size that show in another shape what a kernel has made."""

import pytest
import torch
from torch import nn

import dycl


class Views(nn.Module):
    """One tensor in several shapes, views of an input and of a weight; a decision."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.arange(24.0).view(4, 6))
        self.norm = nn.InstanceNorm1d(2, affine=True)

    def forward(self, x):
        y = x.softmax(-1)
        if x.sum() > 0:
            normal = self.norm(x.view(-1, 2, 3))
            return y.view(-1, 2, 3), y.flatten(), y, x.unsqueeze(1), normal
        cut = y[:, :2].reshape(-1)
        sums = (y + self.table[0]).unsqueeze(0)
        return cut, sums, y.view(-1, 3), x.view(-1), self.table


def outcome(run, x):
    """The results, none of which changes with another; the input is as it was."""
    before = x.clone()
    found = run(x)
    kept = [each.detach().clone() for each in found]
    for place, each in enumerate(found[:3]):
        each.detach().zero_()
        for other, was in zip(found[place + 1 : 3], kept[place + 1 : 3], strict=True):
            torch.testing.assert_close(other, was)
    assert torch.equal(x, before)
    return kept


@pytest.mark.parametrize("host", ["native", "python"])
def test_what_is_shown_in_another_shape(host):
    model, n = Views().eval(), dycl.Dim("n", min=1, max=9000)
    net = dycl.compile(model, (torch.ones(5, 6),), dynamic_shapes=({0: n},), host=host)
    sides = set()
    for size in (1, 2, 5, 9000, 3):
        for sign in (1, -1):
            x = sign * torch.arange(6.0 * size).view(size, 6).cos().add(0.01)
            with torch.no_grad():
                wanted = [each.clone() for each in model(x)]
            kept = outcome(net, x)
            assert [each.shape for each in kept] == [each.shape for each in wanted]
            for found, each in zip(kept, wanted, strict=True):
                torch.testing.assert_close(found, each)
            sides.add(net.path[0].taken)
    assert sides == {True, False}
