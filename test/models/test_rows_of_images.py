"""Rows that are images: those of layers with many weights are computed together."""

import pytest
import torch
from torch import nn

import dycl


class Exits(nn.Module):
    """Convolutions of which the last has most weights; a row may leave before it."""

    def __init__(self, channels):
        super().__init__()
        self.stem = nn.Conv2d(4, channels, 3, padding=1)
        self.first = nn.Conv2d(channels, channels, 1)
        self.pool = nn.MaxPool2d(2)
        self.last = nn.Conv2d(channels, channels, 1)
        self.head = nn.Linear(channels, 4)

    def forward(self, x):
        y = torch.relu(self.first(torch.relu(self.stem(x))))
        scores = self.head(y.mean((2, 3)))
        if scores[0, 0] > 0:
            return scores
        y = torch.relu(self.last(self.pool(y)))
        return self.head(y.mean((2, 3)))


@pytest.mark.parametrize(("channels", "is_grouped"), [(32, False), (1500, True)])
def test_images_that_wait_for_weights_go_together(channels, is_grouped):
    """18 MB of weights do not stay in the last cache from one row to the next."""
    torch.manual_seed(0)
    model = Exits(channels).eval()
    x = torch.randn(21, 4, 4, 4)
    with torch.no_grad():
        y = torch.relu(model.first(torch.relu(model.stem(x))))
        scores = model.head(y.mean((2, 3)))[:, 0]
        model.head.bias[0] -= scores.sort().values[9:11].mean()
    rows = dycl.compile(model, (x[:1],), rows=True)
    single = dycl.compile(model, (x[:1],))
    assert rows.rows.is_grouped == is_grouped
    if is_grouped:
        assert rows.rows.form["few"] < 8
        assert 1 < rows.rows.form["most"] * 4 * channels * 16 <= 1 << 24
    x[20] = torch.nan
    for count in (0, 1, 2, 5, 20, 21):
        wanted = [single(x[i : i + 1]) for i in range(count)]
        ways = []
        for i in range(count):
            torch.testing.assert_close(
                model(x[i : i + 1]), wanted[i], rtol=1e-4, atol=1e-5, equal_nan=True
            )
            single(x[i : i + 1])
            ways.append(single.path)
        found = rows(x[:count])
        if count:
            torch.testing.assert_close(
                found, torch.cat(wanted), rtol=1e-4, atol=1e-5, equal_nan=True
            )
        assert len(found) == count
        taken = [[d.taken for d in path] for path in rows.paths]
        assert taken == [[d.taken for d in path] for path in ways]
    assert {way[0].taken for way in ways} == {True, False}
