"""Sizes that each call decides, on a GPU of paper: one compile, values and paths of
eager at sizes of 0, 1 and more, beyond one tile, and on both sides of decisions."""

import gc
from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dycl
from dycl.runtime.cuda import CudaError, graph_runs

pytest.importorskip("triton")


@pytest.fixture
def memory():
    return 1 << 23


@pytest.fixture
def gpu(graph_gpu):
    """A GPU that knows conditional nodes: sizes that come again have a graph."""
    return graph_gpu


class Encoder(nn.Module):
    """Embedding, positions, attention of two heads, norms, and an exit."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.places = nn.Parameter(torch.randn(512, 16))
        self.layer = nn.TransformerEncoderLayer(16, 2, 24, dropout=0.0)
        self.layer.self_attn.batch_first = True
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        x = self.layer(self.words(ids) + self.places[: ids.size(1)])
        y = self.head(x[:, 0]).softmax(-1)
        if y.max() > 0.5:
            return y, torch.cat([x, x[:, 1:]], 1)
        return self.head(x.mean(1)), x.log_softmax(1)


class Images(nn.Module):
    """Convolutions, pools and reshapes of images of any number and size."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 5, 3, padding=1, stride=2)
        self.second = nn.Conv2d(5, 5, 3, groups=5, padding=1)
        self.head = nn.Linear(5, 4)

    def forward(self, x):
        y = self.first(x).relu()
        y = F.max_pool2d(y + self.second(y), 2).mean((2, 3))
        if y.sum() > 0.4:
            return self.head(y), y.argmax(1), x.flatten(1)
        return F.pad(x, (1, 2, 0, 1)), torch.stack([x, x * 2], 1), y.sort(1)[0]


class Moves(nn.Module):
    """What moves elements, and what goes along a row of any length."""

    def forward(self, x, places):
        if x.sum() > 0:
            scattered = torch.zeros_like(x).scatter(1, places, x[:, : places.size(1)])
            return scattered, x.gather(1, places), x.max(1)[0], x.flip(1)
        return x.cumsum(1), x.sort(1)[0], x[:, ::2], x.roll(1, 1)


class Recurrent(nn.Module):
    """A loop of as many steps as there are rows, and an exit."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTM(5, 6, batch_first=True), nn.Linear(6, 2)

    def forward(self, x):
        y, (h, _) = self.cell(x)
        if h.sum() > 0:
            return self.head(y)
        return self.head(y[:, -1]), y


class Adds(nn.Module):
    def forward(self, x, y):
        return x.relu() + y


def compiled(model, example, shapes):
    torch.manual_seed(0)
    model = model().eval()
    net = dycl.compile(model, example, dynamic_shapes=shapes, backend="cuda")
    return model, net


def agree(model, net, inputs):
    """Every input gives eager's values, by the host and then by a graph; both sides of
    every decision are taken."""
    taken = set()
    for given in inputs:
        with torch.no_grad():
            expected = model(*given)
        paths = []
        for _ in range(2):
            torch.testing.assert_close(net(*given), expected)
            paths.append([(d.name, d.taken) for d in net.path])
        assert paths[0] == paths[1]
        taken |= {*paths[0]}
    assert len(taken) == 2 * len({name for name, _ in taken})


N = dycl.Dim("n", min=1, max=512)


def test_a_text_encoder(gpu, tmp_path):
    model, net = compiled(
        Encoder, (torch.zeros(1, 7, dtype=torch.int64),), {"ids": {1: N}}
    )
    torch.manual_seed(1)
    texts = [(torch.randint(0, 30, (1, n)),) for n in (7, 1, 2, 40, 17, 66)]
    agree(model, net, texts)
    net.save(tmp_path / "net.dycl")
    assert gpu.graph_launches == len(texts)
    agree(model, dycl.load(tmp_path / "net.dycl"), texts[:5])
    assert gpu.graph_launches == len(texts) + 5


def test_images_of_any_number_and_size(gpu):
    shapes = {
        "x": {
            0: dycl.Dim("b"),
            2: dycl.Dim("h", min=4, max=64),
            3: dycl.Dim("w", min=4, max=64),
        }
    }
    model, net = compiled(Images, (torch.zeros(2, 3, 8, 9),), shapes)
    torch.manual_seed(1)
    sizes = [(2, 8, 9), (1, 4, 4), (3, 5, 11), (0, 7, 6), (1, 17, 13)]
    agree(model, net, [(torch.randn(b, 3, h, w),) for b, h, w in sizes])


def test_what_moves_elements(gpu):
    shapes = {"x": {1: N}, "places": {1: dycl.Dim("k", min=1)}}
    example = torch.zeros(1, 4, 3), torch.zeros(1, 2, 3, dtype=torch.int64)
    model, net = compiled(Moves, example, shapes)
    torch.manual_seed(1)
    for n in (4, 1, 2, 37, 130):
        x = torch.randn(1, n, 3)
        x -= x.mean()
        columns = [torch.randperm(n)[: min(n, 3)] for _ in range(3)]
        places = torch.stack(columns, 1)[None]
        agree(model, net, [(x + 0.5, places), (x - 0.5, places)])


class Chooses(nn.Module):
    """Experts of as many tokens as there are, and a number of each expert."""

    def forward(self, x):
        weights, experts = x.topk(2)
        least, places = x.kthvalue(3)
        if weights.sum() > 3:
            return weights, experts, least, places
        return x.t().contiguous().topk(5, dim=0, largest=False), x.median(1)[0]


def test_equal_elements_are_taken_as_eager_takes_them(gpu):
    model, net = compiled(Chooses, (torch.zeros(3, 8),), {"x": {0: N}})
    torch.manual_seed(1)
    few = [(torch.randint(0, 3, (n, 8)).float(),) for n in (1, 2, 5, 9)]
    agree(model, net, [(torch.zeros(4, 8),), (torch.randn(7, 8).abs() + 1,), *few])


class Largest(nn.Module):
    """Of rows of any size."""

    def forward(self, x):
        values, places = x.topk(2)
        if places[0, 0] > 2:
            return values, places, *x.kthvalue(2)
        return x.t().contiguous().topk(2, dim=0, largest=False), x.topk(1, sorted=False)


def test_rows_of_any_size_are_selected_from_as_eager_does(gpu):
    """Of 128 elements on eager makes a heap for two."""
    sizes = {"x": {0: dycl.Dim("m"), 1: dycl.Dim("n", min=2, max=512)}}
    model, net = compiled(Largest, (torch.zeros(3, 8),), sizes)
    torch.manual_seed(1)
    rows = [
        torch.randint(0, most, (2, n)).float() for n in (2, 9, 130) for most in (2, 5)
    ]
    agree(
        model,
        net,
        [
            (torch.zeros(2, 8),),
            (torch.zeros(1, 4).index_fill(1, torch.tensor([0]), 1),),
            *((x,) for x in rows),
        ],
    )


def test_a_loop_of_dynamic_length(gpu):
    model, net = compiled(Recurrent, (torch.zeros(1, 4, 5),), {"x": {1: N}})
    torch.manual_seed(1)
    rows = [torch.randn(1, n, 5) for n in (4, 1, 2, 7)]
    agree(model, net, [(x,) for one in rows for x in (3 * one, -3 * one)])


def test_a_size_for_which_there_is_no_memory_is_a_sentence(gpu):
    shapes = {"x": {0: dycl.Dim("a")}, "y": {0: dycl.Dim("a")}}
    model, net = compiled(Adds, (torch.zeros(3), torch.zeros(3)), shapes)
    large = torch.zeros(1 << 22)
    told = pytest.warns(RuntimeWarning, match="is no CUDA graph, .* no memory left")
    for first in (nullcontext(), told, nullcontext()):
        with pytest.raises(CudaError, match="no memory left: free some of it"), first:
            net(large, large)
        agree(model, net, [(torch.randn(n), torch.randn(n)) for n in (5, 9)])


def test_sizes_that_do_not_fit_are_refused_before_they_are_read(gpu):
    shapes = {"x": {0: dycl.Dim("a")}, "y": {0: dycl.Dim("b")}}
    model, net = compiled(Adds, (torch.zeros(3), torch.zeros(3)), shapes)
    for n in (5, 0, 1):
        agree(model, net, [(torch.randn(n), torch.randn(n))])
    before = len(gpu.launches)
    with pytest.raises(dycl.runtime.InputError):
        net(torch.zeros(4), torch.zeros(6))
    assert gpu.launches[before:] == ["forward_head_0"], "the sum has not run"
    for _ in range(2):
        with pytest.raises(dycl.runtime.InputError):
            net(torch.zeros(4), torch.zeros(6))
    agree(model, net, [(torch.randn(2), torch.randn(2))])


class Halves(nn.Module):
    """Decisions on sizes, numbers of them, a side that not all sizes have, and what is
    of either size at a join."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        n = x.size(0)
        y = self.head(x).relu()
        if n > 5:
            y = y[: n // 2] + y[n - n // 2 :]
        if y.sum() > 3:
            y = y[: int(n * 0.5)]
        if y.mean() > 0.5:
            return y * n, n, n / 2
        return self.head(y), y.size(0), n - 1


def test_what_sizes_decide_is_known_to_a_graph(gpu):
    """Where a join has one size or another, the host runs the network."""
    model, net = compiled(Halves, (torch.zeros(3, 4),), {"x": {0: N}})
    torch.manual_seed(1)
    inputs = [(torch.randn(n, 4) * s,) for n in (2, 5, 6, 9) for s in (0.01, 1, 40)]
    with pytest.warns(RuntimeWarning, match=r"a tensor has sizes of \[.*\] or \["):
        agree(model, net, inputs)


class Decides(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        y, n, count = self.head(x), x.size(0), 0
        total = y.sum()
        while total < n and count < n - 1:
            total = total + self.head(x).abs().sum()
            count += 1
        if n > 4 or y.amax() > 3:
            return y[: n // 2 + 1], count, n * 2
        return y.sum(0), count, n % 3


def test_loops_and_decisions_about_sizes_are_graphs(gpu, tmp_path):
    model, net = compiled(Decides, (torch.zeros(3, 4),), {"x": {0: N}})
    assert "graph" in net.kernel_stages
    torch.manual_seed(1)
    inputs = [(torch.randn(n, 4) * s,) for n in (1, 3, 5, 7) for s in (0.1, 4)]
    agree(model, net, inputs)
    assert gpu.graph_launches == 12, "of two inputs of a size, the first comes anew"
    net.save(tmp_path / "net.dycl")
    agree(model, dycl.load(tmp_path / "net.dycl"), inputs[2:])


def test_few_graphs_are_kept(gpu, monkeypatch):
    monkeypatch.setattr(graph_runs, "_MOST_GRAPHS", 2)
    monkeypatch.setattr(graph_runs, "_PATIENCE", 3)
    shapes = {"x": {0: dycl.Dim("a")}, "y": {0: dycl.Dim("a")}}
    model, net = compiled(Adds, (torch.zeros(3), torch.zeros(3)), shapes)
    pairs = {n: (torch.randn(n), torch.randn(n)) for n in (2, 5, 9)}
    agree(model, net, [pairs[n] for n in (2, 5, 9, 2)])
    assert gpu.graph_launches == 1 + 1 + 0 + 2, "9 waits for others to be forgotten"
    agree(model, net, [pairs[9]])
    assert gpu.graph_launches == 4 + 1
    agree(model, net, [pairs[2], pairs[5], pairs[9]])
    assert gpu.graph_launches == 5 + 2 + 0 + 2, "5 was forgotten"
    gc.collect()
    assert len(gpu.executables) == 2


class Grows(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        while x.sum() < 9 and x.size(0) < 5:
            x = torch.cat([x, self.head(x[:1]).relu()])
        return x.mean(0), x.size(0)


def test_a_tensor_that_grows_is_the_hosts(gpu, recwarn):
    model, net = compiled(Grows, (torch.zeros(3, 4),), {"x": {0: N}})
    assert "graph.func @forward(" not in net.kernel_stages.get("graph", "")
    torch.manual_seed(1)
    few = [(torch.randn(n, 4) * 0.1,) for n in (1, 3, 5)]
    agree(model, net, [*few, (torch.full((3, 4), 3.0),)])
    assert not [w for w in recwarn if "CUDA graph" in str(w.message)]


class Prints(nn.Module):
    def forward(self, x):
        print("so many:", x.size(0))
        y = x.relu() + x[:1]
        z = (y * 2).softmax(-1)[: x.size(0) - 1].sum(0)
        if z.sum() > 2:
            return z.argmax(), y
        return y.flip(0), z


def test_segments_of_any_size(gpu, capfd):
    model, net = compiled(Prints, (torch.zeros(3, 4),), {"x": {0: N}})
    torch.manual_seed(1)
    agree(model, net, [(torch.randn(n, 4),) for n in (1, 2, 3, 6)])
    assert gpu.graph_launches == 4
    assert capfd.readouterr().out.count("so many: 6") == 3


def test_a_whole_graph_of_any_size_is_one_at_once(gpu):
    model = Decides().eval()
    x = torch.zeros(3, 4)
    net = dycl.compile(
        model, (x,), dynamic_shapes={"x": {0: N}}, backend="cuda", whole_graph=True
    )
    torch.testing.assert_close(net(x), model(x))
    assert gpu.graph_launches == 1
    halves = dycl.compile(
        Halves().eval(),
        (x,),
        dynamic_shapes={"x": {0: N}},
        backend="cuda",
        whole_graph=True,
    )
    with pytest.raises(CudaError, match="DY507"):
        halves(torch.randn(9, 4))
