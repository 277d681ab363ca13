"""FLOPs and bytes of kernels: those that torch counts, and what is in the pictures."""

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import dycl
from dycl.report import graph_data, graph_of, measure, to_mermaid, to_svg
from dycl.report.graph import Work


class Products(nn.Module):
    """Each kind of product, and a decision."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, groups=8)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.fc = nn.Linear(4, 5)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.scale = nn.Parameter(torch.rand(8, 8))

    def forward(self, x, q):
        y = torch.relu(self.norm(self.conv(x)))
        if y.sum() > 0:
            return self.fc(self.up(self.deep(y)).mean((2, 3)))
        z = self.attention(q, q, q, need_weights=False)[0]
        v = z @ (self.scale @ self.scale)  # the second of weights alone: once
        b = torch.bmm(z, z.transpose(1, 2))
        e = torch.einsum("bij,bkj->bik", z, z)
        a = torch.addmm(q[0], q[0], self.scale)
        return v, b, e, a, nn.functional.scaled_dot_product_attention(q, q, z)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Products().eval()


INPUTS = torch.randn(1, 3, 16, 16), torch.randn(1, 6, 8)


@pytest.fixture(scope="module")
def graph(model):
    return dycl.compile(model, INPUTS, backend="reference").graph


def kernels(graph):
    return [node for node in graph.nodes if node.name.startswith("forward_")]


def flops_of(model, x, q):
    # Of fast paths torch counts nothing: with gradients, attention takes none.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        model(x, q)
    return counter.get_total_flops()


def test_flops_are_those_that_torch_counts(model, graph):
    head, exit_one, tail = (node.work.flops for node in kernels(graph))
    up = torch.full_like(INPUTS[0], 9.0)
    model.conv.bias.data[:] = 9
    assert flops_of(model, up, INPUTS[1]) == head + exit_one
    model.conv.bias.data[:] = -99
    model.norm.bias.data[:] = -99
    assert flops_of(model, up, INPUTS[1]) == head + tail + 2 * 8**3  # the weights alone
    assert head == 2 * 8 * 16 * 16 * 27


def test_bytes_are_those_of_arguments_and_results(graph):
    head = kernels(graph)[0].work
    floats = 3 * 16 * 16 + 8 * 27 + 8 + 4 * 8 + 8 * 16 * 16
    assert head.bytes == 4 * floats + 1


def test_they_are_in_the_boxes_and_in_what_is_saved(graph):
    assert "<br>111 kFLOP · 12.3 kB" in to_mermaid(graph)
    assert "111 kFLOP · 12.3 kB" in to_svg(graph)
    assert graph_of(graph_data(graph)) == graph


def test_sizes_of_a_run_have_none():
    def picked(x):
        return x[x > 0] * 2

    graph = dycl.compile(picked, (torch.randn(5),), backend="reference").graph
    assert None in [node.work for node in kernels(graph)]


def test_a_profile_adds_the_rate_and_percentiles(graph):
    node = kernels(graph)[0]
    times = {"count": 2, "total_us": 30.0, "mean_us": 15, "p50_us": 10.0, "p90_us": 20}
    entry = {"kernel": node.name, "file": "", "line": 0, **times}
    file, _, line = node.location.partition(":")
    entry |= {"file": file, "line": int(line)}
    profile = {"calls": {"count": 2}, "launches": [entry], "decisions": []}
    text = to_mermaid(graph, measure(graph, profile))
    assert (
        "111 kFLOP · 12.3 kB · 11.1 GFLOP/s<br>2 x 10.0 us, p90 20.0 us, 100%" in text
    )


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (Work(0, 12), "12 B"),
        (Work(999, 1000), "999 FLOP · 1 kB"),
        (Work(1_234_567, 20_000_000), "1.23 MFLOP · 20 MB"),
        (Work(4_100_000_000, 2_000_000_000), "4.1 GFLOP · 2 GB"),
    ],
)
def test_as_text(work, text):
    assert str(work) == text
