"""The console scripts that work on IR: without the compiler, they say what to install.

What is imported lazily here needs xdsl; this file runs without.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from dycl.tools.cli_saved import INSTALL


def opt() -> None:
    """`dycl-opt`."""
    _check("dycl-opt")
    from dycl.tools.opt import main

    main()


def kernel_opt() -> None:
    """`dycl-kernel-opt`. SystemExit with its status."""
    _check("dycl-kernel-opt")
    from dycl.kernels.cpu.opt import main

    sys.exit(main())


def run() -> None:
    """`dycl-run`."""
    _check("dycl-run")
    from dycl.tools.run import main

    main()


def _check(script: str) -> None:
    """SystemExit with the status 1, and a sentence: what IR is made of is missing."""
    if find_spec("xdsl") is None:
        sys.exit(f"{script}: error: this needs the compiler: {INSTALL}")
