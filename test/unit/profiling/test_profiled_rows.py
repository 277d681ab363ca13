"""A profile of rows counts them at each decision, and says whether they are grouped."""

import json
from collections import Counter

import pytest
import torch
from torch import nn

import dycl


class Ways(nn.Module):
    """Convolutions, which lose in groups, for some rows; a product for the others."""

    def __init__(self, count):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv2d(16, 16, 3, padding=1) for _ in range(count)
        )
        self.head, self.wide = nn.Linear(16, 256), nn.Linear(64, 256)

    def forward(self, x):
        if x[0, 0, 0, 0] > 0:
            for conv in self.convs:
                x = torch.relu(conv(x))
            return self.head(x.mean((2, 3)))
        return self.wide(x[:, :, :2, :2].flatten(1))


class Steps(nn.Module):
    """A loop that each row leaves at a time of its own, and an exit."""

    def __init__(self):
        super().__init__()
        self.step, self.head = nn.Linear(32, 32), nn.Linear(32, 4)

    def forward(self, x):
        y = torch.tanh(self.step(x))
        while y[0, 0] > 0.1:
            y = torch.tanh(self.step(y)) - 0.05
        if y[0, 1] > 0:
            return self.head(y)
        return self.head(y) + 1


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


EXAMPLE = (torch.zeros(1, 16, 16, 16),)


def images(count, sign):
    """Rows that all go one way; 0 goes none of `x > 0`."""
    x = torch.randn(count, 16, 16, 16)
    x[:, 0, 0, 0] = sign
    return x


def expected(model, x):
    """What a loop over rows gives."""
    return torch.cat([model(x[k : k + 1]) for k in range(len(x))])


def counted(net):
    """How often rows went each way in the last call, by decision."""
    return Counter((d.name, d.taken) for path in net.paths for d in path)


@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("threads", [1, 2])
def test_counts_are_those_of_the_paths(host, threads):
    model = Steps().eval()
    net = dycl.compile(
        model, (torch.zeros(1, 32),), rows=True, host=host, threads=threads
    )
    assert net.rows.is_grouped
    seen, total = Counter(), 0
    with dycl.profile(net) as profile:
        for count in (1, 2, 40, 200):
            x = torch.randn(count, 32)
            torch.testing.assert_close(net(x), expected(model, x))
            seen += counted(net)
            total += count
    rows = profile.data()["rows"]
    found = Counter()
    for entry in rows["decisions"]:
        for side in ("true", "false"):
            found[entry["name"], side == "true"] += entry[side]
    assert rows["count"] == total
    assert found == seen
    assert len({side for _, side in seen}) == 2
    assert "decision of rows" in str(profile)


@pytest.mark.parametrize(
    ("count", "sign", "is_grouped"), [(1, 1.0, False), (8, 0.0, True), (8, 1.0, False)]
)
def test_the_way_that_rows_took_decides_whether_they_are_grouped(
    count, sign, is_grouped, tmp_path
):
    """Without a profile, ways are as likely: one convolution is little, eight are not
    (and a profile of rows that go one by one counts calls)."""
    model = Ways(count).eval()
    plain = dycl.compile(model, EXAMPLE, rows=True)
    assert plain.rows.is_grouped == (count == 1)
    with dycl.profile(plain) as profile:
        plain(images(50, sign))
    profile.save(tmp_path / "p.json")
    assert ("rows" in json.loads((tmp_path / "p.json").read_text())["profile"]) == (
        plain.rows.is_grouped
    )
    for given in (profile, tmp_path / "p.json", [(images(50, sign),)]):
        net = dycl.compile(model, EXAMPLE, rows=True, profile=given)
        assert net.rows.is_grouped == is_grouped
    x = torch.cat([images(5, -1.0), images(6, 1.0), images(1, 0.0)])
    torch.testing.assert_close(net(x), expected(model, x), rtol=1e-4, atol=1e-5)
    assert [path[0].taken for path in net.paths] == [False] * 5 + [True] * 6 + [False]


def test_a_profile_of_the_network_for_one_row_serves():
    model = Ways(8).eval()
    one = dycl.compile(model, EXAMPLE)
    with dycl.profile(one) as profile:
        for _ in range(3):
            one(images(1, 0.0))
    assert dycl.compile(model, EXAMPLE, rows=True, profile=profile).rows.is_grouped


def test_equal_counts_give_equal_bytes(tmp_path):
    model, samples = Ways(1).eval(), [(images(9, -1.0),)]
    for name in "ab":
        net = dycl.compile(model, EXAMPLE, rows=True, profile=samples)
        net.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    other = dycl.compile(model, EXAMPLE, rows=True, profile=[(images(8, -1.0),)])
    assert other.options["profile"] != net.options["profile"]
