"""Few rows are computed one by one, many in groups; threads share rows or kernels."""

import threading

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime import ArtifactError, InputError
from dycl.runtime.path_bytes import PathBytes
from dycl.runtime.row_threads import Threads
from dycl.runtime.targets import why_not_here


class Exits(nn.Module):
    """Two exits, and a layer that some rows skip."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(24, 24) for _ in range(3))
        self.heads = nn.ModuleList(nn.Linear(24, 4) for _ in range(3))

    def forward(self, x):
        for layer, head in zip(self.layers, self.heads, strict=True):
            if x[0, 0] > -0.2:
                x = torch.relu(layer(x))
            y = head(x)
            if y[0, 0] > 0.1:
                return y
        return y


class Chosen(nn.Module):
    """A layer by number: others than 0, 1 and 2 raise, each with its own text."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 4) for _ in range(3))

    def forward(self, x):
        if x[0, 1] > 100:
            raise ValueError("too large")
        return self.layers[int(x[0, 0])](x)


COUNTS = (0, 1, 2, 3, 8, 33)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Exits().eval()


@pytest.fixture(scope="module")
def net(model):
    return dycl.compile(model, (torch.randn(1, 24),), rows=True)


@pytest.fixture(scope="module")
def alone(model):
    return dycl.compile(model, (torch.randn(1, 24),))


def rows_of(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, 24, generator=generator) * 2


def one_by_one(function, x):
    with torch.no_grad():
        parts = [function(x[i : i + 1]) for i in range(len(x))]
    return torch.cat(parts) if parts else x.new_empty(0, 4)


@pytest.mark.parametrize("count", COUNTS)
def test_each_number_of_rows_gives_what_eager_gives(model, net, alone, count):
    for seed in range(5):
        x = rows_of(count, seed)
        torch.testing.assert_close(net(x), one_by_one(model, x), rtol=1e-4, atol=1e-5)
        paths = []
        for row in range(count):
            alone(x[row : row + 1])
            paths.append(alone.path)
        assert net.paths == tuple(paths)


def test_few_rows_have_the_bits_of_calls_with_one(net, alone):
    few = net.rows.form["few"]
    assert 1 <= few < 33
    for count in range(1, few + 1):
        x = rows_of(count, 7)
        assert torch.equal(net(x), one_by_one(alone, x))
        numpy = net(x.numpy())
        assert isinstance(numpy, np.ndarray)
        np.testing.assert_array_equal(numpy, net(x).numpy())
        assert net.path == alone.path


def test_one_row_in_groups_of_their_own_and_all_in_one(model, net):
    x = rows_of(60, 3)
    net(x)
    by_path = {}
    for number, path in enumerate(net.paths):
        by_path.setdefault(tuple(d.taken for d in path), number)
    assert len(by_path) > 3
    different = x[list(by_path.values())]
    torch.testing.assert_close(
        net(different), one_by_one(model, different), rtol=1e-4, atol=1e-5
    )
    assert len(set(net.paths)) == len(by_path)
    equal = x[:1].expand(33, 24)
    torch.testing.assert_close(
        net(equal), one_by_one(model, equal), rtol=1e-4, atol=1e-5
    )
    assert len(set(net.paths)) == 1


def test_both_have_the_same_weights_in_memory_and_in_the_file(net, alone, tmp_path):
    ours, single = net.network.made(), net.single.network.made()
    shared = ours.keys() & single.keys()
    assert shared
    for name in shared:
        assert ours[name].data.ctypes.data == single[name].data.ctypes.data
    net.save(tmp_path / "rows.dycl")
    loaded = dycl.load(tmp_path / "rows.dycl")
    names = [n for n in loaded.manifest["made"] if "layers.0.weight" in n]
    x = rows_of(33, 5)
    for count in (1, 2, 33):
        assert torch.equal(loaded(x[:count]), net(x[:count]))
        assert loaded.paths == net.paths
    assert loaded.single.weight_set is loaded.weight_set
    if why_not_here("x86-64-v4"):
        return  # Blocks of eight lanes are not the same for one row and for many.
    alone.save(tmp_path / "alone.dycl")
    assert len(names) == len(
        [n for n in dycl.load(tmp_path / "alone.dycl").manifest["made"] if n in names]
    )


def test_a_folder_and_weights_that_are_left_out(net, tmp_path):
    net.save(tmp_path / "folder", folder=True, raw_weights=False)
    loaded = dycl.load(tmp_path / "folder")
    x = rows_of(20, 5)
    for count in (1, 20):
        assert torch.equal(loaded(x[:count]), net(x[:count]))
    python = dycl.load(tmp_path / "folder", host="python")
    for count in (1, 20):
        torch.testing.assert_close(python(x[:count]), net(x[:count]))


def test_damage_of_the_network_for_one_row_is_found(net, tmp_path):
    net.save(tmp_path / "folder", folder=True)
    file = tmp_path / "folder" / "single.dycl"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(ArtifactError, match=r"single\.dycl"):
        dycl.load(tmp_path / "folder")


def test_new_weights_are_for_any_number_of_rows(net, tmp_path):
    torch.manual_seed(9)
    other = Exits().eval()
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    loaded.load_weights(other.state_dict())
    made = dycl.compile(Exits().eval(), (torch.randn(1, 24),), rows=True)
    made.load_weights(other.state_dict())
    x = rows_of(33, 6)
    for count in (1, 2, 33):
        wanted = one_by_one(other, x[:count])
        for one in (loaded, made):
            torch.testing.assert_close(one(x[:count]), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 33])
def test_the_first_row_that_raises_says_what(count):
    model = Chosen().eval()
    net = dycl.compile(model, (torch.zeros(1, 8),), rows=True)
    x = torch.zeros(count, 8)
    x[:, 0] = torch.arange(count) % 3
    torch.testing.assert_close(net(x), one_by_one(model, x))
    bad = x.clone()
    bad[count // 2, 1], bad[-1, 0] = 101.0, 7
    with pytest.raises(ValueError, match="too large"):
        one_by_one(model, bad)
    with pytest.raises(ValueError, match="too large"):
        net(bad)
    assert net.paths == ()
    bad[count // 2, 1] = 0
    with pytest.raises(IndexError) as wanted:
        one_by_one(model, bad)
    with pytest.raises(IndexError) as found:
        net(bad)
    assert str(found.value) == str(wanted.value)
    torch.testing.assert_close(net(x), one_by_one(model, x))


@pytest.mark.parametrize("count", [1, 2, 33])
def test_rows_that_lie_otherwise_are_copied(net, count):
    x = rows_of(count, 4)
    wanted = net(x).numpy()
    locked = x.numpy().copy()
    locked.flags.writeable = False
    others = [x.t().contiguous().t(), x.clone().requires_grad_(), locked]
    others += [np.asfortranarray(x.numpy()), x.numpy().astype(">f4")]
    for other in others:
        np.testing.assert_array_equal(np.asarray(net(other)), wanted)
    twice = x.repeat_interleave(2, 0)[::2]
    np.testing.assert_array_equal(net(twice).numpy(), wanted)


def test_a_long_path_is_read_as_a_short_one():
    words = [0, 0]
    path = PathBytes(words, 0, 1)
    for count in (0, 1, 3, 1, 64, 65, 200):
        events = np.arange(count, dtype=np.uint32) * 7
        words[:] = [events.ctypes.data, count]
        assert path.read() == events.tobytes()
        if count:
            events[0] = 9
            assert path.read() == events.tobytes()


def test_what_is_no_row_is_refused(net):
    for wrong in (rows_of(1)[:, :3], rows_of(1).double(), rows_of(1)[0], 3.0, [1.0]):
        with pytest.raises(InputError):
            net(wrong)


# ---- threads


def test_threads_share_rows_and_results_repeat(model, net, alone, monkeypatch):
    few = net.rows.form["few"]
    monkeypatch.setattr(
        regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(few, 2)
    )
    x = torch.randn(1, 24)
    shared = dycl.compile(model, (x,), rows=True, threads=2, cache=False)
    assert shared.options["threads"] == 2
    for count in (2, 3, 40, 101):
        x = rows_of(count, count)
        first = shared(x)
        paths = shared.paths
        torch.testing.assert_close(first, net(x), rtol=1e-5, atol=1e-6)
        assert paths == net.paths
        for _ in range(5):
            assert torch.equal(shared(x), first)
            assert shared.paths == paths
    x = rows_of(few, 1)
    assert torch.equal(shared(x), one_by_one(alone, x))


class Wide(nn.Module):
    """Layers for whose weights a row waits, a skip, and an exit in front of both."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(384, 384), nn.Linear(384, 384)
        self.head = nn.Linear(384, 5)

    def forward(self, x):
        if x[0, 0] > 1:
            return self.head(x)
        x = torch.relu(self.a(x))
        if x.mean() > 0.25:
            x = torch.relu(self.b(x))
        return self.head(x)


def test_threads_share_the_products_of_large_weights():
    """Then groups are as with one thread, and so are all bits."""
    torch.manual_seed(0)
    model, example = Wide().eval(), (torch.randn(1, 384),)
    one, two = (
        dycl.compile(model, example, rows=True, threads=count) for count in (1, 2)
    )
    assert two.rows.is_grouped
    assert two.rows.form["shared"] == 0
    assert two.options["threads"] == two.rows.threads == 2
    sources = [code.here.native.program.source for code in (one, two)]
    assert ["thread_pool.h" in source for source in sources] == [False, True]
    taken = set()
    for count in (0, 1, 2, 7, 33, 130):
        x = torch.randn(count, 384, generator=torch.Generator().manual_seed(count))
        found = two(x)
        assert torch.equal(found, one(x))
        assert two.paths == one.paths
        taken |= set(two.paths)
        with torch.no_grad():
            for row in range(count):
                wanted = model(x[row : row + 1])[0]
                torch.testing.assert_close(found[row], wanted, rtol=1e-4, atol=1e-5)
    assert len(taken) == 3


class Gated(nn.Module):
    """Convolutions, which go row by row; a row of large numbers raises."""

    def __init__(self):
        super().__init__()
        self.stem, self.block = nn.Conv2d(2, 4, 3), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        if x[0, 0, 0, 0] > 100:
            raise ValueError("bright")
        y = self.stem(x)
        return y + self.block(y) if y.mean() > 0 else y


def test_threads_share_rows_that_go_one_by_one():
    torch.manual_seed(1)
    model = Gated().eval()
    x = torch.randn(37, 2, 6, 6)
    nets = [dycl.compile(model, (x[:1],), rows=True, threads=n) for n in (1, 2)]
    one, two = nets
    assert not two.rows.is_grouped
    assert torch.equal(one(x), two(x))
    assert one.paths == two.paths
    x[11, 0, 0, 0] = x[30, 0, 0, 0] = 101
    with pytest.raises(ValueError, match="bright"):
        two(x)
    assert two.paths == ()


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.calls


def test_rows_that_share_a_state_come_in_order():
    net = dycl.compile(Counting().eval(), (torch.zeros(1, 2),), rows=True, threads=2)
    found = net(torch.zeros(9, 2))
    assert found[:, 0].tolist() == list(range(1, 10))


def test_jobs_are_done_once_and_the_first_error_is_raised():
    threads = Threads(3)
    done = []

    def job(number):
        done.append((number, threading.get_ident()))
        if number in (4, 6):
            raise ValueError(str(number))
        return number

    jobs = [lambda n=n: job(n) for n in range(4)]
    assert threads.share(jobs) == [0, 1, 2, 3]
    assert sorted(n for n, _ in done) == [0, 1, 2, 3]
    for _ in range(20):
        with pytest.raises(ValueError, match="4"):
            threads.share([lambda n=n: job(n) for n in range(9)])
    threads.close()
    assert threads.share(jobs) == [0, 1, 2, 3]
    threads.close()
