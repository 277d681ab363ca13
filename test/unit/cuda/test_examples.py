"""Networks of `examples/`, as they are, as graphs of the driver without a GPU.

`paper_examples.py` runs all of them; these take the least time.
"""

import importlib

import paper_examples
import pytest

pytest.importorskip("triton")

NETWORKS = [("act_rnn", 0), ("branchynet", 0), ("skip_rnn", 0), ("switch_moe", 1)]


@pytest.fixture
def memory():
    """Enough for a whole network."""
    return 1 << 24


@pytest.mark.parametrize("architecture", [80, 90], indirect=True)
@pytest.mark.parametrize(("name", "number"), NETWORKS)
def test_every_side_of_every_decision(graph_gpu, architecture, name, number):
    model, inputs = importlib.import_module(f"examples.{name}").cases()[number]
    said = paper_examples.run(graph_gpu, model, inputs)
    taken, _, asked = said.split(", ")[1].removesuffix(" sides").partition(" of ")
    assert taken == asked
    assert graph_gpu.graph_launches
    assert not graph_gpu.direct_launches, "no run needs the host"
    assert graph_gpu.targets == {"sm_90", {80: "sm_80", 90: "sm_90a"}[architecture]}
