"""lit set-up: `.venv/bin/lit test/lit`, from any directory, installed or not.

`dycl-kernel-opt` in a RUN line is this checkout's, too.

`dycl-opt` in a RUN line means this checkout's, run by the Python that runs lit, with
`--verify-locations`: a pass that loses a source location fails its test. Where that
is not wanted (xDSL's own passes lose some), write `%plain-dycl-opt`. `filecheck` is
the one of the same Python; `not` is lit's own.

`REQUIRES: torch` and `REQUIRES: torch-mlir` skip a test where they are not installed.
"""

import importlib.util
import os
import shlex
import sys
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

python = shlex.quote(sys.executable)
optimizer = f"{python} -m dycl.tools.opt"
config.substitutions += [
    (r"%plain-dycl-opt\b", optimizer),
    (r"(?<![\w%/.-])dycl-opt\b", f"{optimizer} --verify-locations"),
    (r"(?<![\w%/.-])dycl-kernel-opt\b", f"{python} -m dycl.tools.kernel_opt"),
    (r"(?<![\w%/.-])(filecheck|FileCheck)\b", f"{python} -m filecheck"),
    (r"%python\b", python),
]
config.environment["PYTHONPATH"] = os.pathsep.join(
    [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
)

for feature, package in {"torch": "torch", "torch-mlir": "torch_mlir"}.items():
    if importlib.util.find_spec(package) is not None:
        config.available_features.add(feature)
