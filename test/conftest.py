"""What holds for every test of ours."""

import gc
import os
import sys
import threading

import pytest

from dycl.driver.compilation import PHASES

# Threads of OpenMP spin while they wait: with one worker of pytest for each core, they
# take the time of the other worker, and a file of tests took seven times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# As in a compilation: what a test leaves behind is young, and torch, which is old, need
# not be looked at after each.
gc.set_threshold(100_000, 10, 100)


@pytest.fixture(autouse=True)
def _no_programs_from_the_cache(monkeypatch):
    """Passes that are tested run; one that a test puts in has no text in the key."""
    monkeypatch.setattr("dycl.driver.compilation.key_of", lambda source, passes: None)


@pytest.fixture(autouse=True)
def _every_level_is_verified(monkeypatch):
    """As `verify` does it for users: here, what a phase breaks is found behind it."""
    monkeypatch.setattr("dycl.driver.compilation.VERIFIED", PHASES)


@pytest.fixture(autouse=True)
def _no_folders_from_the_test_before(monkeypatch):
    """The command line puts those of its files in front, up to its end."""
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def children_go_on(monkeypatch):
    """Kernels are compiled by the children that have compiled those before.

    To fork a process of this size, and to end it, takes as long as a small kernel.
    Not for tests that change what a child does, or what it finds.
    """
    from dycl.kernels.cpu import building
    from dycl.kernels.cpu.children import Children

    class Kept(Children):
        def __enter__(self):
            if _may_keep():
                self._idle, _idle[:] = [*_idle], []
            return self

        def __exit__(self, *_):
            if _may_keep():
                _idle.extend(self._idle)
                self._idle = []
            super().__exit__()

    monkeypatch.setattr(building, "Children", Kept)


_idle = []
_owner = os.getpid()


def _may_keep():
    """A child ends with the thread that has forked it, and obeys one process."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and os.getpid() == _owner
