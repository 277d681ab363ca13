"""The PTX machine and the driver without a GPU, for the tests of this folder."""

import gc
import os
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what goes through the driver with PTX for 8.0, and with `ALL_TARGETS=1` with
    that for 9.0, too. A test that says which it wants has them anyhow."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "architecture" in metafunc.fixturenames and (
        "ALL_TARGETS" in os.environ and all(m.args[0] != "architecture" for m in marks)
    ):
        metafunc.parametrize("architecture", [80, 90], indirect=True)


@pytest.fixture
def architecture(request):
    """For which compute capability the PTX is that the driver is given."""
    return getattr(request, "param", 80)


@pytest.fixture
def memory():
    """Bytes of the GPU's memory."""
    return 1 << 20


_MANY = 10_000
"""Objects that it takes longer to look at than to run most tests here."""


def _driver(library, monkeypatch, memory):
    """The driver, which is asked anew before and after a test."""
    from fake_driver import FakeDriver

    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    yield FakeDriver(library, memory)
    gc.collect()  # What is left would give its memory back to the next test's driver.
    if len(gc.get_objects()) > _MANY:
        gc.freeze()  # A compiler was imported, and stays: it is looked at this once.
    driver.device.cache_clear()


@pytest.fixture
def gpu(library, monkeypatch, memory, architecture):
    """A GPU of compute capability 8.0, or one of 9.0 with a driver that knows no
    conditional nodes."""
    for made in _driver(library, monkeypatch, memory):
        if architecture == 90:
            made.capability, made.version = (9, 0), 12060
        yield made


@pytest.fixture
def graph_gpu(library, monkeypatch, memory, architecture):
    """A GPU that knows conditional nodes; all but those of 9.0 get the PTX for 8.0."""
    for made in _driver(library, monkeypatch, memory):
        made.capability = {80: (10, 0), 90: (9, 0)}[architecture]
        yield made
