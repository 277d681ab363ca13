"""lit set-up: `.venv/bin/lit test/lit`, from any directory, installed or not.

`dycl-kernel-opt` in a RUN line is this checkout's, too.

`dycl-opt` in a RUN line means this checkout's, run by the Python that runs lit, with
`--verify-locations`: a pass that loses a source location fails its test. Where that
is not wanted (xDSL's own passes lose some), write `%plain-dycl-opt`. `filecheck` is
the one of the same Python; `not` is lit's own.

These run in forks of one process that has all imported (`tools/warm.py`): a command
takes a tenth of the time. `lit -Dcold test/lit` starts Python for each instead.

`REQUIRES: torch` and `REQUIRES: torch-mlir` skip a test where they are not installed,
`REQUIRES: avx512_bf16` where the processor has no such instructions.
"""

import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import lit.formats

config: Any = globals()["config"]
here = Path(__file__).resolve().parent
root = here.parents[1]

config.name = "DyCL"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
config.excludes = ["lit.cfg.py", "Inputs"]
config.test_source_root = str(here)
config.test_exec_root = str(root / "build" / "lit")

config.environment["PYTHONPATH"] = os.pathsep.join(
    [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
)
python = shlex.quote(sys.executable)


def runner() -> str:
    """What stands before the name of a module to run it as a command."""
    if "cold" in globals()["lit_config"].params:
        return f"{python} -m"
    socket = Path(tempfile.mkdtemp(prefix="dycl-lit-")) / "socket"
    warm = root / "tools" / "warm.py"
    # It ends with the process that has read this file.
    server = subprocess.Popen(
        [sys.executable, str(warm), "serve", str(socket)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, **config.environment},
        start_new_session=True,
    )
    while not socket.exists():
        assert server.poll() is None, "tools/warm.py does not start"
        time.sleep(0.01)
    return f"{python} -I -S {shlex.quote(str(warm))} {shlex.quote(str(socket))}"


run = runner()
# Of its own: a process without torch and MLIR is forked in a third of the time.
check = runner()
optimizer = f"{run} dycl.tools.opt"
config.substitutions += [
    (r"%plain-dycl-opt\b", optimizer),
    (r"(?<![\w%/.-])dycl-opt\b", f"{optimizer} --verify-locations"),
    (r"(?<![\w%/.-])dycl-kernel-opt\b", f"{run} dycl.kernels.cpu.opt"),
    (r"(?<![\w%/.-])(filecheck|FileCheck)\b", f"{check} filecheck.main"),
    (r"%python -m\b", run),
    (r"%python\b", python),
]

for feature, package in {"torch": "torch", "torch-mlir": "torch_mlir"}.items():
    if importlib.util.find_spec(package) is not None:
        config.available_features.add(feature)

# What `native` has, for which kernels are lowered unless `--target` says otherwise.
sys.path.insert(0, str(root))
from dycl.runtime.targets import NATIVE, features_of  # noqa: E402

config.available_features |= {"avx512_bf16"} & {*features_of(NATIVE)}
