"""The same on a GPU, where there is one: values and paths of graphs and of the host."""

import pytest
import torch
from test_graph import CASES
from test_networks import Collects, Exits, inputs_of_exits, ones, same

import dycl
from dycl.runtime import cuda

pytest.importorskip("triton")
pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def _gpu():
    try:
        cuda.device()
    except cuda.CudaError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("how", ["graph", "host"])
@pytest.mark.parametrize("kind", [*CASES, Exits], ids=lambda kind: kind.__name__)
def test_values_and_paths(kind, how):
    torch.manual_seed(0)
    model = kind().eval()
    cases = CASES.get(kind) or [(x,) for x in inputs_of_exits()]
    without = () if how == "graph" else ("dycl-form-graph",)
    net = dycl.compile(model, cases[0], backend="cuda", without=without)
    ours = dycl.compile(model, cases[0])
    for case in [*cases, *cases]:
        same(net(*case), model(*case))
        ours(*case)
        assert net.path == ours.path


def test_a_list_is_on_the_host():
    model = Collects().eval()
    net = dycl.compile(model, (ones(3),), backend="cuda")
    for scale in (0.5, 2.9, 9.0):
        same(net(ones(3, of=scale)), model(ones(3, of=scale)))
