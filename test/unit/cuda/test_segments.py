"""Networks that are no graph as a whole: their longest parts are graphs."""

import copy
import re

import pytest
import segment_models as models
import torch
from test_graph import four
from test_networks import ones, same

import dycl
from dycl.runtime.cuda import driver, tree, variants

pytest.importorskip("triton")


@pytest.fixture
def gpu(graph_gpu):
    return graph_gpu


CASES = {
    models.Collects: [
        (four(*v),) for v in [(1, 1, 1, 1), (9, 9, 1, 0), (-3, 2, 0, 1), (0, 0, 0, 3)]
    ],
    models.Prints: [
        (four(*v), rate)
        for v, rate in [
            *[((1, 2, 3, 4), 0.25), ((9, 9, 9, 9), 2.0), ((-1, -2, 0.5, 0), 1.0)],
            *[((0, 0, 0, 0), 1.0), ((3, -2.5, 0, 0), 1.5), ((0.1, 0.2, 0, 0), 1.5)],
        ]
    ],
    models.Deep: [(ones(3, of=x),) for x in (0.2, 3.0, 6.0, 9.0, 0.7)],
}


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_parts_are_graphs(gpu, capsys, kind):
    torch.manual_seed(0)
    model, cases = kind().eval(), CASES[kind]
    net = dycl.compile(copy.deepcopy(model), cases[0], backend="cuda")
    ours = dycl.compile(copy.deepcopy(model), cases[0])
    sides = set()
    for case in [*cases, *cases[:2]]:
        capsys.readouterr()
        expected = model(*case)
        printed = capsys.readouterr().out
        same(net(*case), expected)
        assert capsys.readouterr().out == printed
        ours(*case)
        assert net.path == ours.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)
    assert gpu.graph_launches
    assert gpu.nodes


def test_what_stops_a_part_is_done_by_the_host(gpu, capsys):
    model = models.Stops().eval()
    net = dycl.compile(model, (ones(3),), backend="cuda")
    for x in (four(1, 2), four(-3, -4, -5, -6), four(-1, -1, -2, -9)):
        expected = model(x[:3])
        said = capsys.readouterr().out
        same(net(x[:3]), expected)
        assert capsys.readouterr().out == said
    before = gpu.direct_launches
    with pytest.raises(ValueError, match="too much"):
        model(four(40, 40)[:3])
    said = capsys.readouterr().out
    with pytest.raises(ValueError, match="too much"):
        net(four(40, 40)[:3])
    assert capsys.readouterr().out == said, "the first line is not printed again"
    assert gpu.direct_launches > before
    for x in (ones(3, of=2.5), ones(3, of=4.5)):
        same(net(x), model(x))


def test_a_limit_of_iterations_is_counted_by_the_host(gpu):
    model = models.Deep().eval()
    given = {"backend": "cuda", "max_iterations": 9}
    net = dycl.compile(models.Deep().eval(), (ones(3),), **given)
    same(net(ones(3, of=3.0)), model(ones(3, of=3.0)))
    assert gpu.graph_launches
    with pytest.raises(dycl.runtime.IterationLimit, match="segment_models"):
        net(ones(3, of=-1.0))


def test_an_artifact_has_the_segments(gpu, tmp_path):
    torch.manual_seed(0)
    model, cases = models.Collects().eval(), CASES[models.Collects]
    for name in ("a", "b"):
        net = dycl.compile(model, cases[0], backend="cuda")
        net.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = dycl.load(tmp_path / "a")
    for case in cases:
        y, seen, n = loaded(*(value.numpy() for value in case))
        found = torch.from_numpy(y), [torch.from_numpy(v) for v in seen], n
        same(found, model(*case))
    assert gpu.graph_launches


@pytest.mark.parametrize("without", ["dycl-mark-segments", "dycl-form-graph"])
def test_passes_may_be_left_out(gpu, without):
    model, cases = models.Prints().eval(), CASES[models.Prints]
    net = dycl.compile(model, cases[0], backend="cuda", without=(without,))
    for case in cases:
        same(net(*case), model(*case))
    assert not gpu.nodes


def test_a_kernel_that_can_be_no_node_is_named(gpu, monkeypatch):
    def none(*arguments):
        raise variants.NoVariant("as if")

    monkeypatch.setattr(tree, "variant", none)
    model, case = models.Prints().eval(), CASES[models.Prints][0]
    says = r"segment 0 is no CUDA graph.*kernel @\w+ \(.*segment_models\.py:\d+"
    with pytest.warns(RuntimeWarning) as caught:
        net = dycl.compile(model, case, backend="cuda")
    assert any(re.match(says, str(one.message)) for one in caught)
    same(net(*case), model(*case))
    assert not gpu.graph_launches


def test_a_network_that_has_to_be_one_graph(gpu, tmp_path, monkeypatch):
    case = CASES[models.Prints][0]
    with pytest.raises(dycl.CompileError, match="is called on the host") as caught:
        dycl.compile(models.Prints().eval(), case, backend="cuda", whole_graph=True)
    assert caught.value.code == "DY507"
    assert re.search(r"segment_models\.py:\d+", str(caught.value))
    with pytest.raises(dycl.CompileError, match="is no CUDA graph"):
        dycl.compile(models.Prints().eval(), case, whole_graph=True)
    whole = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
    net = dycl.compile(whole, (four(1),), backend="cuda", whole_graph=True)
    net.save(tmp_path / "net.dycl")
    same(net(four(1)), whole(four(1)))
    driver.device.cache_clear()
    gpu.capability = (8, 0)
    with pytest.raises(dycl.runtime.cuda.CudaError, match="no such nodes") as refused:
        dycl.load(tmp_path / "net.dycl")(four(1).numpy())
    assert refused.value.code == "DY507"


def test_explain_says_what_is_on_the_host() -> None:
    told = str(
        dycl.explain(models.Prints().eval(), CASES[models.Prints][0], backend="cuda")
    )
    assert re.search(r"segment_models\.py:\d+.*: `builtins.print` is called", told)
