"""Elements that go where an index says, several of them to one place."""

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError


def from_one_tensor(
    x: torch.Tensor, source: torch.Tensor, index: torch.Tensor
) -> list[torch.Tensor]:
    """None of them may write over what the others begin with."""
    sums = x.scatter_add(1, index, source), x.scatter_add(0, index, source)
    return [*sums, x.scatter(1, index, source), x.index_add(0, index[0], source), x]


class Scatters(nn.Module):
    """Along each dim, by indices that are smaller than what they are of."""

    def forward(
        self, x: torch.Tensor, source: torch.Tensor, index: torch.Tensor
    ) -> list[torch.Tensor]:
        """Sums and replacements."""
        small = index[:2, :3]
        return [
            x.scatter_add(0, index, source),
            x.scatter_add(-1, small, source),
            x.scatter(1, index, source),
            x.scatter(0, small, source),
            x.double().scatter_add(1, index, source.double()),
            x.long().scatter_add(1, index, source.long()),
            x.int().scatter(0, index, source.int()),
            x.half().scatter(1, index, source.half()),
            x[0].scatter_add(0, index[0], source[0]),
            torch.zeros(4, 4).index_add(0, index[0], source[:, :4]),
            x.index_add(1, index[0], source),
            x.double().index_add(0, index[1, :3], source[:3].double()),
            x.long().index_add(-1, index[2], source.long()),
            x.index_copy(0, torch.tensor([2, 0]), source[:2]),
            torch.stack([x, x]).index_add(1, index[3], torch.stack([source, x])),
            *from_one_tensor(x + 1, source, index),
            x.unsqueeze(0).scatter_add(2, index.unsqueeze(0), source.unsqueeze(0)),
        ]


def test_they_are_as_eager() -> None:
    torch.manual_seed(0)
    model = Scatters().eval()
    index = torch.randint(0, 4, (4, 4))
    x, source = torch.randn(2, 4, 4)
    net = dycl.compile(model, (x, source, index))
    given = x.clone()
    for scale in (1.0, 1e30):
        many = source * scale
        for found, wanted in zip(
            net(x, many, index), model(x, many, index), strict=True
        ):
            assert found.dtype == wanted.dtype
            torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
    odd = source.clone()
    odd[0, 0], odd[1, 1], odd[2, 2] = float("nan"), float("inf"), -0.0
    found, wanted = net(x, odd, index), model(x, odd, index)
    for place in (0, 1, 2, 3, 4, 8, 9, 10):
        torch.testing.assert_close(
            found[place], wanted[place], rtol=0, atol=0, equal_nan=True
        )
    assert torch.equal(x, given)  # An input is not written to.


def test_a_bad_index_is_eagers_error() -> None:
    class Net(nn.Module):
        def forward(self, x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
            return torch.zeros(4).scatter_add(0, i, x)

    net = dycl.compile(Net().eval(), (torch.ones(3), torch.zeros(3, dtype=torch.long)))
    assert net(torch.ones(3), torch.tensor([3, 3, 0])).tolist() == [1.0, 0.0, 0.0, 2.0]
    for bad in (4, -1):
        with pytest.raises((RuntimeError, IndexError, InputError)):
            net(torch.ones(3), torch.tensor([0, bad, 0]))
