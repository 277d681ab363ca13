"""Run one layer of the tests quietly: one line when it passes, its output when not.

Usage: python tools/layer.py NAME COMMAND...     (V=1 shows the output in any case)
"""

import os
import subprocess
import sys
import time


def main(name: str, command: list[str]) -> int:
    """Run `command`; print `name  ok  seconds  last line`, or everything it said."""
    loud = bool(os.environ.get("V"))
    print(f"{name:<12}", end="\n" if loud else "", flush=True)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        stdout=None if loud else subprocess.PIPE,
        stderr=None if loud else subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = f"{time.perf_counter() - start:6.1f} s"
    if done.returncode == 0:
        lines = (done.stdout or "").strip().splitlines()
        print(f"ok   {seconds}   {lines[-1].strip() if lines else ''}".rstrip())
        return 0
    print(f"FAIL {seconds}   $ {' '.join(command)}")
    print(done.stdout or "", done.stderr or "", sep="", end="", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
