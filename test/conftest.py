"""What holds for every test of ours."""

import os
import sys

import pytest

from dycl.driver.compilation import PHASES

# Threads of OpenMP spin while they wait: with one worker of pytest for each core, they
# take the time of the other worker, and a file of tests took seven times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")


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
