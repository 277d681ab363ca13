"""Whole networks as one graph of the driver: values and paths are eager's."""

import gc
import re
from threading import Thread

import graph_models as models
import numpy as np
import pytest
import torch
from fake_driver.graphs import SWITCH
from test_networks import Counts as State
from test_networks import Exits, Loop, inputs_of_exits, ones, same

import dycl
from dycl.kernels.cuda.graph import thread
from dycl.runtime import cuda
from dycl.runtime.cuda import graph_run, tree, variants

pytest.importorskip("triton")


@pytest.fixture
def gpu(graph_gpu):
    return graph_gpu


def four(*values):
    return torch.tensor([*map(float, values), 0.0, 0.0, 0.0, 0.0][:4])


EXPERTS = [
    *[(4.6, 4.4, -6.6, -99), (2.7, -4.8, 4, -99), (0.7, 6.4, -0.3, -99)],
    (4.4, 5.5, 5.7, -99),
]
CASES = {
    models.Nested: [
        (four(*v),)
        for v in [
            *[(-1.9, -38, 0.8, 0.1), (1, 1.2, 2.2, -0.3), (-1, 0.2, 0.1, -1.1)],
            *[(-0.1, 0.8, -0.5, -3), (2.5, 0, 0.4, 0.6), (0, 0, 0, 0)],
        ]
    ],
    models.Swaps: [
        (torch.tensor(a), torch.tensor(b), torch.tensor(c))
        for a, b, c in [
            ([1.2, 3.6], [-0.3, -35.2], [0.4, -0.4]),
            ([0.3, -0.3], [3.3, -0.5], [-0.5, 15.4]),
            ([9.0, 9.0], [1.0, 1.0], [0.0, 0.0]),
        ]
    ],
    models.Counts: [(ones(3, of=x),) for x in (0.5, 4.0, -0.1)],
    models.Experts: [(four(*v),) for v in EXPERTS],
    models.Dispatches: [
        (torch.tensor([*map(float, v)]),)
        for v in [
            *[(5, 1, 0, 0), (1, 5, 0, 0), (1, 9, 0, 0), (0, 1, 5, 0), (0, 0, 0, 4)],
            *[(0, 0, 0, 1), (0, 0, 0, 0.3), (-2, -2, -2, -1), (-9, 9, 2, 1)],
        ]
    ],
    models.Routes: [
        (torch.tensor([*map(float, v)]),)
        for v in [
            *[(5, 1, 0, 0), (1, 5, 0, 0), (0, 1, 5, -2), (0, 1, 5, 3), (0, -0.5, 5, 3)],
            *[(0, 1, 2, 1), (0, 0, 1, 2), (-9, 0, 0, 0)],
        ]
    ],
    models.Chooses: [
        (four(*v),)
        for v in [
            *[(-0.8, 0.9, -0.8, 0.9), (-2, 24.9, 2.1, -0.7), (1.3, 3.3, 0.6, 0.7)],
            *[(0.6, 0, 0.6, 0), (0, 0, 0, 0)],
        ]
    ],
    models.Early: [
        (four(*v),)
        for v in [
            *[(1.7, 2.8, -3.2, 0.1), (3.8, 3.9, 3.1, 1.4), (-2.6, 0.3, 0.2, 1.9)],
            *[(-2.4, -1.1, 0.3, 1.8), (-1, 1.4, -0.5, 0.3), (0.3, 0.3, 0.6, 1.2)],
            (0.65, 0.85, 0.7, 0.94),
        ]
    ],
    models.Flags: [
        (ones(2, of=x), n, rate)
        for x, n, rate in [
            (-0.8, 4, 1.2),
            (23.3, 7, -1.0),
            (9.0, 5, 1.0),
            (5.0, 0, 0.5),
        ]
    ],
    Loop: [(ones(4, of=s), ones(4, of=0.5)) for s in (0.1, 1.0, 5.0, -1.0, 0.0)],
}


@pytest.mark.parametrize("architecture", [80, 90], indirect=True)
@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_control(gpu, kind):
    torch.manual_seed(0)
    model, cases = kind().eval(), CASES[kind]
    net = dycl.compile(model, cases[0], backend="cuda")
    ours = dycl.compile(model, cases[0])
    assert "graph" in net.kernel_stages
    sides = set()
    for case in [*cases, cases[0]]:
        same(net(*case), model(*case))
        ours(*case)
        assert net.path == ours.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)
    assert gpu.graph_launches == len(cases) + 1
    assert not gpu.direct_launches, "no run needs the host"


def test_a_chain_is_one_node(gpu):
    case = CASES[models.Routes][0]
    net = dycl.compile(models.Routes().eval(), case, backend="cuda")
    assert "graph.switch" in net.kernel_stages["graph"]
    net(*case)
    [graph] = gpu.executables.values()
    decisions = [node for node in graph.nodes if node[0] == "decision"]
    assert [(kind, len(bodies)) for _, _, kind, bodies in decisions] == [(SWITCH, 3)]


def test_both_sides_of_every_exit(gpu):
    torch.manual_seed(0)
    model, cases = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda")
    ours = dycl.compile(model, (cases[0],))
    for x in cases:
        same(net(x), model(x))
        ours(x)
        assert net.path == ours.path
    assert gpu.graph_launches == len(cases)


@pytest.mark.parametrize("capability", [(10, 0), (8, 0)], ids=["graph", "host"])
def test_what_is_copied(gpu, capability):
    """By a graph all at once, with the path; by the host a byte for each decision."""
    gpu.capability = capability
    torch.manual_seed(0)
    model, cases = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda")
    copies = []
    gpu.takes = lambda name, size: 1.0 if name else copies.append(size) or 1.0
    counts = set()
    for x in cases:
        net(x)
        copies.clear()
        results, path = net(x), net.path
        given, *back = copies
        counts.add(len(path))
        assert given == x.nbytes
        if capability == (10, 0):
            # An argument that is returned is no memory of the graph's own.
            assert back[1:] == [x.nbytes] * (len(path) == 1)
        else:
            assert back[: len(path)] == [1] * len(path)
            assert sorted(back[len(path) :]) == sorted(r.nbytes for r in results)
    assert len(counts) > 1


@pytest.mark.parametrize("without", ["dycl-guard-nodes", "dycl-form-graph"])
def test_passes_may_be_left_out(gpu, without):
    torch.manual_seed(0)
    model, cases = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda", without=(without,))
    for x in cases:
        same(net(x), model(x))
    assert bool(gpu.handles) == (without == "dycl-guard-nodes")


def test_what_the_device_cannot_do_is_done_by_the_host(gpu, capsys):
    model = models.Raises().eval()
    net = dycl.compile(model, (four(1),), backend="cuda")
    for x in (four(1, 2), four(-1, -2, -3, -4)):
        same(net(x), model(x))
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["all below -1.0"] * 2, "once for each of the two"
    for x, kind, text in [
        (four(9, 9), ValueError, "too much: 9.0"),
        (four(-40, 1), AssertionError, "far too low"),
    ]:
        with pytest.raises(kind, match=re.escape(text)):
            model(x)
        with pytest.raises(kind, match=re.escape(text)):
            net(x)
    assert net.path[-1].taken is False
    same(net(four(3)), model(four(3)))


def test_numbers_that_leave_64_bits_are_the_hosts(gpu):
    model = models.Grows().eval()
    net = dycl.compile(model, (ones(1),), backend="cuda")
    for x in (ones(1), ones(1, of=3.0), ones(1, of=-1.0)):
        same(net(x), model(x))
    assert not gpu.direct_launches
    with pytest.raises(ZeroDivisionError):
        net(ones(1, of=2.0))
    assert gpu.direct_launches


@pytest.mark.parametrize(("name", "most"), [("at once", 4), ("at all", 5)])
def test_a_long_path(gpu, monkeypatch, name, most):
    """Decisions behind those that are copied with the results, or noted."""
    where = graph_run if name == "at once" else thread
    constant = "MOST_AT_ONCE" if name == "at once" else "MOST_DECISIONS"
    monkeypatch.setattr(where, constant, most)
    model = models.Many().eval()
    net = dycl.compile(model, (ones(1),), backend="cuda")
    ours = dycl.compile(model, (ones(1),))
    for x in (ones(1, of=0.3), ones(1, of=1.5)):
        before = gpu.direct_launches
        assert net(x) == model(x)
        ours(x)
        assert net.path == ours.path
        is_long = len(net.path) > most
        assert (gpu.direct_launches > before) == (is_long and name == "at all")
    assert is_long


def test_state(gpu):
    model = State().eval()
    net = dycl.compile(State().eval(), (ones(3),), backend="cuda")
    for _ in range(4):
        same(net(ones(3, of=0.75)), model(ones(3, of=0.75)))
    assert gpu.graph_launches == 4


def test_an_artifact_has_the_graph(gpu, tmp_path):
    torch.manual_seed(0)
    model, cases = Exits().eval(), inputs_of_exits()
    for name in ("a", "b"):
        net = dycl.compile(model, (cases[0],), backend="cuda")
        net.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = dycl.load(tmp_path / "a")
    for x in cases:
        same([torch.from_numpy(v) for v in loaded(x.numpy())], model(x))
    assert gpu.graph_launches == len(cases)


@pytest.mark.parametrize(
    ("capability", "version"), [((8, 0), 13000), ((9, 0), 12060), ((10, 0), 12000)]
)
def test_what_knows_no_conditional_nodes_runs_the_host(gpu, capability, version):
    gpu.capability, gpu.version = capability, version
    model = Loop().eval()
    net = dycl.compile(model, CASES[Loop][0], backend="cuda")
    for case in CASES[Loop]:
        same(net(*case), model(*case))
    assert not gpu.nodes


def test_a_kernel_that_can_be_no_node_leaves_the_network_to_the_host(gpu, monkeypatch):
    for text in ("", ".entry k(.param .u64 k_param_0) { mov.u64 %a, k_param_0; }"):
        with pytest.raises(variants.NoVariant):
            variants.variant(text, "k", [0], None)
    with pytest.raises(variants.NoVariant):
        variants.variant("", "k", [], False)

    def none(ptx, entry, *rest):
        if entry in (tree.THREAD, variants.COPY):
            return variants.variant(ptx, entry, *rest)
        raise variants.NoVariant("as if")

    monkeypatch.setattr(tree, "variant", none)
    model, case = models.Counts().eval(), CASES[models.Counts][0]
    says = r"the network is no CUDA graph.*kernel @\w+ \(.*graph_models\.py:\d+.*as if"
    with pytest.warns(RuntimeWarning, match=says):
        net = dycl.compile(model, case, backend="cuda")
    same(net(*case), model(*case))
    assert gpu.direct_launches
    assert not gpu.graph_launches
    with pytest.raises(cuda.CudaError, match=r"as if \(DY507\)"):
        dycl.compile(model, case, backend="cuda", whole_graph=True)


def test_threads_have_graphs_of_their_own(gpu):
    model = Loop().eval()
    net = dycl.compile(model, CASES[Loop][0], backend="cuda")
    wrong = []

    def run(case):
        same(net(*case), model(*case))
        wrong.append(len(gpu.executables))

    for case in CASES[Loop][:2]:
        other = Thread(target=run, args=(case,))
        other.start()
        other.join()
    assert wrong == [1, 1] or wrong == [1, 2]


def test_a_profile_sees_each_launch(gpu):
    model = Loop().eval()
    net = dycl.compile(model, CASES[Loop][0], backend="cuda")
    case = CASES[Loop][1]
    with dycl.profile(net) as profile:
        same(net(*case), model(*case))
    assert profile.data
    assert gpu.direct_launches
    before = gpu.graph_launches
    same(net(*case), model(*case))
    assert gpu.graph_launches == before + 1


def test_other_weights(gpu):
    torch.manual_seed(0)
    model, other = Exits().eval(), Exits().eval()
    x = inputs_of_exits()[0]
    net = dycl.compile(model, (x,), backend="cuda")
    same(net(x), model(x))
    net.load_weights(other.state_dict())
    same(net(x), other(x))


def test_all_goes_back(gpu):
    net = dycl.compile(Loop().eval(), CASES[Loop][0], backend="cuda")
    net(*CASES[Loop][0])
    assert gpu.live
    assert gpu.executables
    assert all(graph is None for graph in gpu.graphs.values() if graph is None)
    del net
    gc.collect()
    assert not gpu.live
    assert not gpu.executables


@pytest.mark.parametrize(
    ("function", "status", "says"),
    [
        ("cuGraphAddNode_v2", 801, "cuGraphAddNode_v2: CUDA_ERROR_NOT_SUPPORTED"),
        ("cuGraphInstantiateWithFlags", 2, "no memory left"),
        ("cuGraphLaunch", 1, "the graph of the network, of"),
        ("cuMemAlloc_v2", 2, "no memory left"),
    ],
)
def test_what_the_driver_refuses_is_a_sentence(
    gpu, tmp_path, monkeypatch, function, status, says
):
    net = dycl.compile(Loop().eval(), CASES[Loop][0], backend="cuda")
    net.save(tmp_path / "net.dycl")
    gpu.fails[function] = status
    given = [value.numpy() for value in CASES[Loop][0]]
    with pytest.raises(cuda.CudaError, match=says) as caught:
        dycl.load(tmp_path / "net.dycl")(*given)
    assert str(caught.value).endswith("(DY505)")
    if function.startswith("cuGraph") and function != "cuGraphLaunch":
        assert "with DYCL_CUDA_GRAPH=0 the host runs it" in str(caught.value)
        monkeypatch.setenv("DYCL_CUDA_GRAPH", "0")
    else:
        gpu.fails.clear()
    assert isinstance(dycl.load(tmp_path / "net.dycl")(*given)[0], np.ndarray)
