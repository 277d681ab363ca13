"""lit set-up of the example plugin: `lit lit`, with dycl and this package installed."""

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import lit.formats

config: Any = globals()["config"]

config.name = "dycl-equal-branches"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = str(Path(__file__).resolve().parent)
config.test_exec_root = os.path.join(tempfile.gettempdir(), "dycl-equal-branches-lit")

# lit hides the environment from tests; where packages lie must get through.
config.environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")

python = shlex.quote(sys.executable)
config.substitutions += [
    (r"(?<![\w%/.-])dycl-opt\b", f"{python} -m dycl.tools.opt --verify-locations"),
    (r"(?<![\w%/.-])filecheck\b", f"{python} -m filecheck"),
]
