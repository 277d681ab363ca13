"""`python -m dycl`: the command `dycl`."""

from __future__ import annotations

from dycl.tools.entry import main

if __name__ == "__main__":
    main()
