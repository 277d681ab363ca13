"""A network has one artifact: in each process, and with whatever the caches hold.

The other order of Python's sets and hashes, kernels from the cache or not, the program
from the cache or not, torch asked or remembered: the same text of every level, and the
same bytes of the file.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib, importlib, pathlib, sys
import dycl
name, folder, cache = sys.argv[1:]
model, inputs = max(
    importlib.import_module(f"examples.{name}").cases(), key=lambda case: len(case[1])
)
net = dycl.compile(model, inputs[0], cache=cache == "cache")
path = pathlib.Path(folder) / "net.dycl"
net.save(path)
for stage, text in net.stages.items():
    print(stage, hashlib.sha256(text.encode()).hexdigest())
print("host", hashlib.sha256(net.host_source.encode()).hexdigest())
print("file", hashlib.sha256(path.read_bytes()).hexdigest())
"""


def compiled(name: str, folder: Path, seed: int, cache: str = "cache") -> str:
    """The digests of all that a process of that seed of hashes makes of an example."""
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(seed),
        "DYCL_CACHE_DIR": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, str(folder), cache],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["greedy_decoding"])
def test_every_way_to_compile_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    caches = tmp_path / "cache"
    alone = compiled(name, tmp_path, 0, cache="none")
    assert not caches.exists()
    ways = {"cold": compiled(name, tmp_path, 1)}
    assert {"answers", "kernels", "programs"} <= {one.name for one in caches.iterdir()}
    ways["warm"] = compiled(name, tmp_path, 2)
    # As after an edit: the program is new, and its ops and kernels are known.
    shutil.rmtree(caches / "programs")
    ways["edited"] = compiled(name, tmp_path, 3)
    shutil.rmtree(caches / "kernels")
    ways["program and answers"] = compiled(name, tmp_path, 4)
    assert ways == dict.fromkeys(ways, alone)
