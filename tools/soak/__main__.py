"""`python -m tools.soak`: run every load for some seconds, and tell how it went."""

import argparse
import sys
import time
from pathlib import Path

import torch

import dycl
from tools.commits import commit
from tools.many_networks import usage
from tools.soak import loads, networks

GROWTH = 8 << 10
"""KiB that memory may grow between a tenth of the time and the end: what allocators
keep for later. 10,000 calls that leak one small tensor each lose more."""


class Memory:
    """Memory and mappings of this process, when a tenth of the time is over and now."""

    def __init__(self, seconds):
        self._warm = time.monotonic() + seconds / 10
        self.first = None
        self.last = usage()

    def read(self):
        """Look; cheap enough to be called between any two calls."""
        self.last = usage()
        if self.first is None and time.monotonic() > self._warm:
            self.first = self.last

    def grown(self):
        """KiB and mappings since a tenth of the time was over."""
        first = self.first or self.last
        kilobytes = self.last.kilobytes - first.kilobytes
        return kilobytes, self.last.mappings - first.mappings


def plans():
    """What is done: words, the load, the network and its inputs."""
    torch.manual_seed(3)
    inputs = networks.inputs()
    arrays = [x.numpy() for x in inputs]
    exits = dycl.compile(networks.Exits().eval(), inputs[:1])
    decoder = dycl.compile(networks.Decoder().eval(), inputs[:1])
    counter = dycl.compile(networks.Counter().eval(), inputs[:1])
    python = exits.with_python_host()
    return [
        ("calls with NumPy arrays", loads.calls, exits, arrays),
        ("calls with torch tensors", loads.calls, exits, inputs),
        ("calls on the Python host", loads.calls, python, arrays),
        ("calls of a loop that grows a list", loads.calls, decoder, arrays),
        ("calls with state", loads.state, counter, arrays),
        ("calls from 8 threads", loads.threads, exits, arrays),
        ("loops from 8 threads", loads.threads, decoder, arrays),
        ("Ctrl-C in calls", loads.interrupts, decoder, arrays),
    ]


def main(args=None):
    """Run; the exit status is 1 when a result differs, or memory grows."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="for each load")
    parser.add_argument("--only", default="", help="loads whose name has this in it")
    parser.add_argument("--page", type=Path, help="write a page with the figures")
    options = parser.parse_args(args)
    rows, failed = [], False
    for words, load, net, inputs in plans():
        if options.only not in words:
            continue
        memory = Memory(options.seconds)
        try:
            count = load(net, inputs, options.seconds, memory.read)
            grown, maps = memory.grown()
            verdict = "grows" if grown > GROWTH or maps > 4 else "flat"
            rows.append((words, count, f"{grown:+,} KiB", f"{maps:+}"))
        except loads.Wrong as error:
            verdict = f"wrong: {error}"
            rows.append((words, 0, verdict, ""))
        failed |= verdict != "flat"
        print(f"{words:34} {rows[-1][1]:12,}  {' '.join(rows[-1][2:])}  {verdict}")
    if options.page:
        options.page.write_text(page(rows, options.seconds), encoding="utf-8")
    return int(failed)


def page(rows, seconds):
    """The figures as a page."""
    lines = [
        "# Under load",
        "",
        f"`python -m tools.soak --seconds {seconds:g}` on {commit()}, two cores: each "
        "load runs for that long, every result is compared with that of the first "
        "call, bit for bit. Memory and mappings are what the process has gained since "
        "a tenth of the time was over.",
        "",
        "| load | runs | memory | mappings |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {w} | {n:,} | {memory} | {maps} |" for w, n, memory, maps in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
