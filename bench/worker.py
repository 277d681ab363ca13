"""One contestant in a process of its own: `python -m bench.worker` PEER SUBJECT ...

It compiles, compares every path with eager's answer, says so in one line of JSON, and
then times what it is told to, a line of JSON for each line that it is sent:
`{"path": 0, "calls": 10, "clock": "wall"}` is answered by the seconds of each call.
"""

import argparse
import json
import os
import resource
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.contestant import uncoloured

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
"""What a call is timed by. On a busy machine the second, which counts all threads."""


def main(argv=None):
    """Be a contestant until standard input ends."""
    parser = argparse.ArgumentParser("python -m bench.worker")
    parser.add_argument("peer")
    parser.add_argument("subject", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("threads", type=int)
    arguments = parser.parse_args(argv)
    # Libraries print what they like: the line to the leader is kept out of their way.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        runner, told = start(arguments)
    except BaseException as error:
        runner, told = None, {"error": first_line(error)}
    print(json.dumps(told), file=answers, flush=True)
    if runner is None:
        return 1
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(runner(**asked)), file=answers, flush=True)
    return 0


def start(arguments):
    """Compile and compare: what times a path, and what to tell the leader."""
    import torch

    from bench.peers import PEERS
    from bench.peers.keep import cpu_seconds, peak, saved_seconds
    from bench.subjects import load
    from dycl.checking.values import largest_relative

    torch.set_num_threads(arguments.threads)
    torch.set_grad_enabled(False)
    peer = PEERS[arguments.peer]
    found = installed(peer.package)
    if not found:
        return None, {"error": f"{peer.package} is not installed"}
    subject = load(arguments.subject)
    before = resident()
    begun = cpu_seconds()
    run = peer.prepare(subject, arguments.threads, arguments.folder)
    seconds = cpu_seconds() - begun + saved_seconds()
    errors, probes = [], []
    for inputs, answer in zip(subject.inputs, subject.answers, strict=True):
        try:
            errors.append(largest_relative(run(*inputs), answer))
            probes.append(timed(run, inputs, 1)[0])
        except Exception as error:
            errors.append(first_line(error))
            probes.append(0.0)
    told = {
        "version": found,
        "compile": seconds,
        "errors": errors,
        "probes": probes,
        "setting": getattr(run, "setting", ""),
        "resident": resident() - before,
        "peak": peak(),
        "host": getattr(run, "host", None),
        "plain": plain(run),
    }

    def runner(path, calls, clock):
        return timed(run, subject.inputs[path], calls, CLOCKS[clock])

    return runner, told


def timed(run, inputs, calls, clock=time.perf_counter):
    """The seconds of each call, after one that is not counted."""
    run(*inputs)
    times = []
    for _ in range(calls):
        begun = clock()
        run(*inputs)
        times.append(clock() - begun)
    return times


def plain(run):
    """The contractions of ours that became plain loops; None for a peer."""
    library = getattr(run, "library", None)
    return None if library is None else [str(each) for each in library.plain]


def installed(package):
    """The version of a distribution; "" where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def resident():
    """MiB of memory in use now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def first_line(error):
    """What went wrong: the first line that a compiler calls an error, or any."""
    said = uncoloured(str(error)).strip().splitlines() or [""]
    named = [line.partition("error: ")[2] for line in said if "error: " in line]
    return f"{type(error).__name__}: {(named or said)[0]}"[:160]


if __name__ == "__main__":
    sys.exit(main())
