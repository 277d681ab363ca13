"""The PTX machine and the driver without a GPU, for the tests of this folder."""

import gc
import sys
from pathlib import Path

import pytest

from dycl.runtime.cuda import driver

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The driver without a GPU, compiled."""
    from fake_driver import build

    return build(tmp_path_factory.mktemp("driver"))


@pytest.fixture(autouse=True)
def _kernels_of_the_cpu(children_go_on):
    """The driver that these tests put in is no matter to children."""


def _driver(library, monkeypatch, *memory):
    """The driver, which is asked anew before and after a test."""
    from fake_driver import FakeDriver

    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    yield FakeDriver(library, *memory)
    gc.collect()  # What is left would give its memory back to the next test's driver.
    driver.device.cache_clear()


@pytest.fixture
def gpu(library, monkeypatch):
    """A GPU of compute capability 8.0."""
    yield from _driver(library, monkeypatch)


@pytest.fixture
def graph_gpu(library, monkeypatch):
    """A GPU that knows conditional nodes, for which the PTX is that of 8.0."""
    for made in _driver(library, monkeypatch, 1 << 20):
        made.capability = (10, 0)
        yield made
