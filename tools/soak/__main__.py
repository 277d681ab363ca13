"""`python -m tools.soak`: run every load for some seconds, and tell how it went."""

import argparse
import os
import sys
import time
from pathlib import Path

import torch

import dycl
from tools import many_networks
from tools.commits import commit
from tools.many_networks import usage
from tools.soak import loads, networks, processes

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
    model = networks.Exits().eval()
    both = dycl.compile(model, inputs[:1]), model
    return [
        ("calls with NumPy arrays", loads.calls, exits, arrays),
        ("calls with torch tensors", loads.calls, exits, inputs),
        ("calls on the Python host", loads.calls, python, arrays),
        ("calls of a loop that grows a list", loads.calls, decoder, arrays),
        ("calls with state", loads.state, counter, arrays),
        ("calls from 8 threads", loads.threads, exits, arrays),
        ("loops from 8 threads", loads.threads, decoder, arrays),
        ("NaN, infinities, denormals, ties", loads.extremes, both, inputs),
        ("Ctrl-C in calls", loads.interrupts, decoder, arrays),
        ("spawned processes", processes.spawned, exits, arrays),
        ("forked processes", processes.forked, exits, arrays),
        ("full disks", processes.full_disks, None, ()),
        ("read-only homes", processes.read_only_homes, None, ()),
        ("two compile one network", processes.compiled_at_once, None, ()),
        ("Ctrl-C while compiling", processes.interrupted_compiles, None, ()),
    ]


def main(args=None):
    """Run; the exit status is 1 when a result differs, or memory grows."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="for each load")
    parser.add_argument(
        "--threads-seconds", type=float, help="for the loads with 8 threads"
    )
    parser.add_argument(
        "--calls", type=int, default=0, help="at least so many, from one thread"
    )
    parser.add_argument(
        "--nets", type=int, default=0, help="so many networks loaded and dropped, too"
    )
    parser.add_argument("--only", default="", help="loads whose name has this in it")
    parser.add_argument("--page", type=Path, help="write a page with the figures")
    options = parser.parse_args(args)
    rows, failed, loads.FEWEST = [], False, options.calls
    for words, load, net, inputs in plans():
        if options.only not in words:
            continue
        seconds = options.seconds
        if load is loads.threads and options.threads_seconds is not None:
            seconds = options.threads_seconds
        memory = Memory(seconds)
        begin = time.monotonic()
        try:
            count = load(net, inputs, seconds, memory.read)
            grown, maps = memory.grown()
            verdict = "grows" if grown > GROWTH or maps > 4 else "flat"
            took = f"{time.monotonic() - begin:,.0f} s"
            rows.append((words, count, took, f"{grown:+,} KiB", f"{maps:+}"))
        except loads.Wrong as error:
            verdict = f"wrong: {error}"
            rows.append((words, 0, verdict, "", ""))
        failed |= verdict != "flat"
        said = " ".join(rows[-1][2:])
        print(f"{words:34} {rows[-1][1]:12,}  {said}  {verdict}", flush=True)
    for words, (early, late), is_flat in many_networks.measured(options.nets):
        grown = late.kilobytes - early.kilobytes, late.mappings - early.mappings
        row = f"{words} loaded and dropped", options.nets, ""
        rows.append((*row, f"{grown[0]:+,} KiB", f"{grown[1]:+}"))
        failed |= not is_flat
        print(*rows[-1], "flat" if is_flat else "grows", flush=True)
    if options.page:
        given = args or sys.argv[1:]
        shown = given[: given.index("--page")] if "--page" in given else given
        command = " ".join(["python -m tools.soak", *shown])
        options.page.write_text(page(rows, command), encoding="utf-8")
    return int(failed)


def page(rows, command):
    """The figures as a page."""
    lines = [
        "# Under load",
        "",
        f"`{command}` at {commit()}, {os.cpu_count()} cores, shared with other work. "
        "Every result is compared with that of the first call, bit for bit; those of "
        "NaN and the like with eager's. Memory and mappings are what the process has "
        "gained since a tenth of the time was over: a few hundred KiB are what "
        "allocators keep. `make soak` does the same in two minutes.",
        "",
        "| load | calls, processes or rounds | time | memory | mappings |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {words} | {count:,} | {took} | {memory} | {maps} |"
            for words, count, took, memory, maps in rows
        ),
        "",
        "* *Spawned* processes load the saved network; *forked* ones inherit it, while "
        "a thread of their parent calls it.",
        "* *Full disks*: `save` raises an OSError, leaves no file, and the network "
        "still runs.",
        "* *Read-only homes*: the cache cannot be written, and compiling does without.",
        "* *Two compile one network* at once with one cache, and write the same bytes.",
        "* *Ctrl-C while compiling*: at a random moment; the process ends with "
        "KeyboardInterrupt, leaves no half file, and the next one compiles.",
        "* *Networks loaded and dropped* are different ones, each called twice.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
