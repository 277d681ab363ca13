"""`backend="auto"` where there is a GPU: kernels go there as far as copies allow it.

What launches and copies take on the GPU is told by the clock of the driver of paper;
what they take on the processor is made up.
"""

import pytest
from fake_driver import FakeDriver
from mixed_models import parts, rounds
from test_mixed import check, homes

import dycl
from dycl.driver.placement import candidates, measured
from dycl.runtime.cuda import driver

pytest.importorskip("triton")


@pytest.fixture
def gpu(library, monkeypatch, tmp_path_factory):
    """A GPU that computes a function in 2 us; a launch on the processor takes 100."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(driver, "LIBRARY", str(library))
    monkeypatch.setattr(candidates, "candidate_names", lambda: ["cuda"])
    driver.device.cache_clear()
    made = FakeDriver(library, 1 << 20)

    def fastest(runs, one_thread):
        return {
            name: launches[0].seconds(1) if name == "cuda" else 100e-6 * len(launches)
            for name, launches in runs.items()
        }

    monkeypatch.setattr(measured, "fastest", fastest)
    yield made
    driver.device.cache_clear()


def takes(gpu, launch, copy, bandwidth=12e3):
    """Microseconds of a function, of a small copy, and bytes that one copies in one."""
    gpu.takes = lambda name, size: launch if name else copy + size / bandwidth


@pytest.mark.parametrize("make", [parts, rounds])
def test_all_that_has_a_template_goes_to_a_fast_gpu(gpu, make):
    takes(gpu, launch=2.0, copy=1.0)
    model, cases = make()
    net = dycl.compile(model, cases[0], backend="auto", verify=True)
    chosen = {row.kernel: row.backend for row in net.placement.rows}
    assert {*chosen.values()} == {"cuda", "cpu"}
    taken = {name for name, home in homes(net).items() if home == "CudaKernel"}
    assert {name for name, backend in chosen.items() if backend == "cuda"} <= taken
    assert net.placement.copies == net.stages["host"].count("host.launch @copy_to_")
    assert f"GPU and processor: {net.placement.copies}" in str(net.placement)
    assert "2.0 us by cuda" in str(net.placement)
    check(net, model, cases)


@pytest.mark.parametrize("make", [parts, rounds])
def test_a_profile_of_a_divided_network_counts(gpu, make):
    """It counts copies as well, which there are only once kernels are divided."""
    takes(gpu, launch=2.0, copy=1.0)
    model, cases = make()
    net = dycl.compile(model, cases[0], backend="auto")
    with dycl.profile(net) as profile:
        for given in cases:
            net(*given)
    again = dycl.compile(model, cases[0], backend="auto", profile=profile)
    assert {row.backend for row in again.placement.rows} == {"cuda", "cpu"}
    check(again, model, cases)


def test_nothing_goes_there_where_copies_cost_more(gpu):
    takes(gpu, launch=2.0, copy=400.0)
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="auto")
    assert {row.backend for row in net.placement.rows} == {"cpu"}
    assert net.host == "native"
    check(net, model, cases)


@pytest.mark.parametrize(
    ("function", "status"),
    [("cuInit", 100), ("cuStreamCreate", 2), ("cuMemAlloc_v2", 2)],
)
def test_a_gpu_that_fails_is_no_candidate(gpu, function, status):
    """There is none, or it has no memory left."""
    gpu.fails[function] = status
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="auto")
    assert "no other backend is installed" in str(net.placement)
