"""Our structs and calls are those of NVIDIA's own bindings, as they are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cuda.bindings.driver")
pytest.importorskip("triton")


@pytest.fixture(scope="module")
def both(library):
    """What the driver has read of one program by our ctypes, and by the bindings."""
    child = Path(__file__).with_name("bindings_child.py")
    done = subprocess.run(
        [sys.executable, str(child), str(library.parent)],
        env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_program_does_what_it_should(both):
    for one in both:
        assert one["result"] == [1, 2, 3, 4, 5, 6, 7, 8]
        kinds = [kind for kind, *_ in one["nodes"]]
        assert kinds.count("decision") == 3
        assert one["launches"].count("choose") == 3


@pytest.mark.parametrize("what", ["functions", "launches", "nodes", "structs"])
def test_the_driver_reads_the_same(both, what):
    ours, theirs = both
    assert ours[what] == theirs[what]
    assert ours[what]
