"""Networks of `examples/`, as they are, as graphs of the driver without a GPU.

`paper_examples.py` runs all of them; these take the least time.
"""

import gc
import importlib

import paper_examples
import pytest
from fake_driver import FakeDriver

from dycl.runtime.cuda import driver

pytest.importorskip("triton")

NETWORKS = [("act_rnn", 0), ("branchynet", 0), ("skip_rnn", 0), ("switch_moe", 1)]


@pytest.fixture
def gpu(library, monkeypatch):
    """A GPU that knows conditional nodes, with memory for a whole network."""
    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    made = FakeDriver(library, 1 << 24)
    made.capability = (10, 0)
    yield made
    gc.collect()
    driver.device.cache_clear()


@pytest.mark.parametrize(("name", "number"), NETWORKS)
def test_every_side_of_every_decision(gpu, name, number):
    model, inputs = importlib.import_module(f"examples.{name}").cases()[number]
    said = paper_examples.run(gpu, model, inputs)
    taken, _, asked = said.split(", ")[1].removesuffix(" sides").partition(" of ")
    assert taken == asked
    assert gpu.graph_launches
    assert not gpu.direct_launches, "no run needs the host"
