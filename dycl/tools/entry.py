"""The console script `dycl`: with the compiler, or with what runs saved networks alone.

Commands about a saved network need NumPy only, and start at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from dycl.tools import cli_saved


def main(args: Sequence[str] | None = None) -> None:
    """Run one command. Raises SystemExit with the status."""
    argv = sys.argv[1:] if args is None else list(args)
    if cli_saved.is_meant(argv) or find_spec("xdsl") is None:
        sys.exit(cli_saved.run(argv))
    from dycl.driver.process import rare_collections

    with rare_collections():  # What is imported stays, and torch is most of it.
        from dycl.tools import cli

        cli.main(argv)
