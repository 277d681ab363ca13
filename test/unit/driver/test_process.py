"""What Python does meanwhile, as a compilation has asked for it."""

import subprocess
import sys

import pytest

COUNTED = """
import gc
{}
runs = []
gc.callbacks.append(lambda phase, about: runs.append(phase))
{}
before = gc.get_threshold()
print(len(runs), *before)
"""
USUAL = "700 10 10"


@pytest.mark.parametrize(
    ("before", "imports"),
    [
        ("import dycl", "dycl.compile"),
        (
            "from dycl.tools.entry import main",
            "try: main(['explain', '--help'])\nexcept SystemExit: pass",
        ),
    ],
    ids=["compile", "command"],
)
def test_importing_the_compiler_is_not_searched_for_garbage(before, imports):
    command = [sys.executable, "-c", COUNTED.format(before, imports)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, *threshold = done.stdout.splitlines()[-1].split()
    assert " ".join(threshold) == USUAL
    assert int(count) < 30
