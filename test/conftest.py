"""What holds for every test of ours."""

import gc
import os
import sys
import threading
from functools import cache
from importlib import import_module

import pytest
from hypothesis import HealthCheck, settings

from dycl.driver.compilation import PHASES

# Threads of OpenMP spin while they wait: with one worker of pytest for each core, they
# take the time of the other worker, and a file of tests took seven times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# As in a compilation: what a test leaves behind is young, and torch, which is old, need
# not be looked at after each.
gc.set_threshold(100_000, 10, 100)

# That a test is slow says that others use the machine, too.
settings.register_profile(
    "busy machine", settings(), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy machine")


def pytest_collection_finish():
    """What all files of tests have imported stays, and need not be looked at again.

    Tests of what is given back collect, some after each, and torch's objects are many.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_programs_from_the_cache():
    """Passes that are tested run; one that a test puts in has no text in the key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dycl.driver.compilation.key_of", lambda source, passes: None)
        yield


@pytest.fixture(autouse=True)
def _every_level_is_verified():
    """As `verify` does it for users: here, what a phase breaks is found behind it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dycl.driver.compilation.VERIFIED", PHASES)
        yield


@pytest.fixture(autouse=True)
def _no_folders_from_the_test_before():
    """The command line puts those of its files in front, up to its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        yield


FORKING = ("cpu.building", "cuda.building", "cuda.ptx")
"""The modules of `dycl.kernels` that fork."""


@pytest.fixture(autouse=True)
def _children_go_on(request):
    """Kernels are compiled by the children that have compiled those before.

    To fork a process of this size, and to end it, takes longer than a small kernel; and
    what a child has imported, the next would import again. A test that takes
    `monkeypatch`, or has a fixture that does, may change what a child does or finds: it
    forks its own. The fixtures for all tests change nothing of that, and so do not take
    it.
    """
    # To import them takes torch-mlir, which many a test does without.
    names = [f"dycl.kernels.{name}" for name in FORKING]
    loaded = [sys.modules[name] for name in names if name in sys.modules]
    with pytest.MonkeyPatch.context() as patch:
        for module in [] if "monkeypatch" in request.fixturenames else loaded:
            patch.setattr(module, "Children", kept_children(module.__name__))
        yield


@pytest.fixture
def children_go_on():
    """The same for a test that takes `monkeypatch` for what is no matter to a child."""
    with pytest.MonkeyPatch.context() as patch:
        for name in FORKING:
            module = import_module(f"dycl.kernels.{name}")
            patch.setattr(module, "Children", kept_children(module.__name__))
        yield


@cache
def kept_children(module):
    """`Children` of a module that are left to the next `with` block there."""
    from dycl.kernels.cpu.children import Children

    idle, owner = [], os.getpid()

    def may_keep():
        # A child ends with the thread that has forked it, and obeys one process.
        is_main = threading.current_thread() is threading.main_thread()
        return is_main and os.getpid() == owner

    class Kept(Children):
        def __enter__(self):
            if may_keep():
                self._idle, idle[:] = [*idle], []
            return self

        def __exit__(self, *_):
            if may_keep():
                idle.extend(self._idle)
                self._idle = []
            super().__exit__()

    return Kept
