"""`python -m bench.speed`: the subjects, path by path, against every peer installed.

python -m bench.speed                          all subjects, all peers: `docs/speed`
python -m bench.speed --quick                  three small ones, the strongest peers
python -m bench.speed --subjects 6-skipnet --peers DyCL eager --threads 2
python -m bench.speed --only-report            the pages again, from the numbers kept

Numbers are kept in `build/bench/speed.json`, subject by subject, so that a run that was
broken off goes on with `--keep`.
"""

import argparse
import json
import os
import shlex
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from bench import speed_report, subjects
from bench.ceilings import gain_of_threads, multiply_adds, reads
from bench.contest import race
from bench.contestant import ENVIRONMENT, Limits, started
from bench.machine import facts, one_thread, processor
from bench.peers import PEERS
from bench.slices import Slices
from bench.worker import CLOCKS

BUILD = Path("build") / "bench"
QUICK = ("5-skipnet-rnn", "6-skipnet", "9-blockdrop")
JOINT = "`, then `"
"""Between the commands whose numbers were added to one another."""
QUICK_PEERS = (
    "DyCL",
    "eager",
    "eager, folded",
    "TorchScript",
    "torch.compile",
    "ONNX Runtime",
    "OpenVINO",
)
PEAK_SECONDS = 10.0
"""What the yardstick takes, about: measured in a slice of its own, like the turns."""
COMPILE_SECONDS = 30.0
"""What compiling one of ours takes, about, with all that is imported for it."""
MEMORY = 64 * 2**20
"""Bytes that are more than the caches of a core: more of them come no slower."""


def main(argv=None):
    """Race, keep the numbers, write the pages; the exit status."""
    options = make_parser().parse_args(argv)
    kept = options.build / "speed.json"
    if not options.only_report:
        typed = command(argv)
        report = {"machine": facts(), "command": typed, "subjects": {}}
        if options.keep and kept.exists():
            before = json.loads(kept.read_text(encoding="utf-8"))
            every = dict.fromkeys([*before["command"].split(JOINT), typed])
            report = {**before, "command": JOINT.join(every)}
        run(options, report, kept, typed)
    if options.prepare:
        return 0
    report = json.loads(kept.read_text(encoding="utf-8"))
    print("\n".join([*speed_report.summary(report), *speed_report.geomeans(report)]))
    for file in speed_report.write(report, options.out):
        print(file)
    if options.fill:
        speed_report.fill(options.fill, report)
    return 0


def make_parser():
    """The command line."""
    parser = argparse.ArgumentParser("python -m bench.speed")
    names = list(subjects.recipes())
    parser.add_argument("--subjects", nargs="+", choices=names, metavar="NAME")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), metavar="NAME")
    parser.add_argument("--threads", nargs="+", type=int, default=[1], metavar="N")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a turn, about")
    parser.add_argument(
        "--clock",
        choices=list(CLOCKS),
        default="wall",
        help="of one thread: cpu counts what the process used, for a busy machine",
    )
    parser.add_argument(
        "--limit", type=float, default=300.0, help="seconds to compile (%(default)s)"
    )
    parser.add_argument(
        "--memory", type=float, default=8.0, help="GiB to compile (%(default)s)"
    )
    parser.add_argument(
        "--within",
        default="",
        metavar="COMMAND",
        help="what turns are taken under: it gets `cat` as the program to run",
    )
    parser.add_argument(
        "--slice", type=float, default=90.0, help="seconds under it (%(default)s)"
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PEER=FILE",
        help="the interpreter of a peer that has an environment of its own",
    )
    parser.add_argument("--quick", action="store_true", help="three small subjects")
    parser.add_argument(
        "--prepare", action="store_true", help="compile and compare, race another time"
    )
    parser.add_argument("--keep", action="store_true", help="add to the last numbers")
    parser.add_argument("--only-report", action="store_true", help="no race")
    parser.add_argument("--build", type=Path, default=BUILD, help="for scratch files")
    parser.add_argument("--out", type=Path, default=Path("docs") / "speed")
    parser.add_argument(
        "--fill", type=Path, metavar="PAGE", help="write the tables of this page anew"
    )
    return parser


def command(argv):
    """What was typed, but for what is a matter of the machine: folders, and what turns
    were taken under."""
    given = list(sys.argv[1:] if argv is None else argv)
    if "--within" in given:
        given[given.index("--within") + 1] = "COMMAND"
    for at, word in enumerate(given[:-1]):
        if word == "--python":
            given[at + 1] = given[at + 1].partition("=")[0] + "=PYTHON"
    for folder in {"--build", "--out", "--fill"} & {*given}:
        at = given.index(folder)
        del given[at : at + 2]
    return shlex.join([".venv/bin/python", "-m", "bench.speed", *given])


def run(options, report, kept, typed):
    """Race subject after subject; the numbers are written after each."""
    for name in options.subjects or (QUICK if options.quick else subjects.recipes()):
        file = options.build / "subjects" / f"{name}.pt"
        if not file.exists():
            subjects.save(subjects.make(name), file)
        subject = subjects.load(file)
        for threads in options.threads:
            clock = options.clock if threads == 1 else "wall"
            print(f"{name}, {threads} thread{'s' * (threads > 1)}", flush=True)
            gains = [] if options.within else gains_of(threads)
            entries = race(
                file,
                racing(options, name),
                options.build / "work" / name,
                threads,
                0 if options.prepare else options.rounds,
                options.seconds,
                clock,
                Limits(options.limit, options.memory),
                Slices(options.within, options.slice),
                dict(each.split("=", 1) for each in options.python),
                say=lambda line: print(line, flush=True),
            )
            if options.prepare:
                continue
            alone = Slices(options.within, options.slice)
            alone.room_for(PEAK_SECONDS)
            floors = at_peak(subject, threads, CLOCKS[clock])
            gains += gains_of(threads)
            if options.within:
                compile_alone(entries, file, options, threads, alone)
            alone.close()
            report["subjects"][f"{name} {threads}"] = {
                "title": subjects.recipes()[name].title,
                "size": subjects.recipes()[name].size,
                "threads": threads,
                "plain": subjects.recipes()[name].plain,
                "within": options.slice if options.within else 0,
                "clock": clock,
                "gains": sorted(gains),
                "load": os.getloadavg()[0],
                "command": typed,
                "raced": f"{datetime.now(UTC):%Y-%m-%d}",
                "processor": processor(),
                "labels": subject.labels,
                "floors": floors,
                "flops": [work.flops for work in subject.work],
                "entries": [asdict(entry) for entry in entries],
            }
            report["subjects"] = in_order(report["subjects"])
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def compile_alone(entries, file, options, threads, slices):
    """Compile ours again within a slice: beside other work it costs half as much again.

    Peers keep what they compiled, with what it cost the first time.
    """
    limits = Limits(options.limit, options.memory)
    for entry in entries:
        if entry.peer == speed_report.DYCL and not entry.error:
            slices.room_for(COMPILE_SECONDS)
            with TemporaryDirectory() as folder:
                again = started(entry.peer, file, Path(folder), threads, limits)
                again.close()
            entry.compile = again.entry.compile


def in_order(raced):
    """Subjects as the recipes have them, whenever raced; fewer threads first."""
    places = {name: place for place, name in enumerate(subjects.recipes())}

    def place(key):
        name, threads = key.rsplit(" ", 1)
        return places[name], int(threads)

    return {key: raced[key] for key in sorted(raced, key=place)}


def racing(options, name):
    """The peers that can take part: those for a rewrite where there is one."""
    rewrite = subjects.recipes()[name].rewrite
    installed = ENVIRONMENT.exists() or options.peers
    return [
        peer
        for peer in options.peers or (QUICK_PEERS if options.quick else PEERS)
        if not (PEERS[peer].by_hand or PEERS[peer].straight)
        or (installed and (rewrite or PEERS[peer].straight))
    ]


def gains_of(threads, times=8):
    """What threads gain at most, now and again."""
    if threads == 1:
        return []
    loops = [multiply_adds() for _ in range(threads)]
    return [gain_of_threads(loops) for _ in range(times)]


def at_peak(subject, threads, clock=time.perf_counter):
    """Of each path, the seconds of its operations or weights at nominal peak.

    The bandwidth is that of a memory as large as the weights: some fit a cache.
    """
    with one_thread(), torch.no_grad():
        adds = multiply_adds()
        flops = adds.amount / fastest(adds, clock) * threads
        rates = {}
        for work in subject.work:
            size = min(work.weight_bytes, MEMORY)
            if size not in rates:
                rates[size] = bandwidth(size, clock)
    return [
        work.at_peak(flops, rates[min(work.weight_bytes, MEMORY)])
        for work in subject.work
    ]


def bandwidth(nbytes, clock=time.perf_counter):
    """Bytes a second that are read from a memory of that size, in the better way."""
    ways = [reads(nbytes), reads(nbytes, apart=True)]
    return max(way.amount / fastest(way, clock) for way in ways)


def fastest(run, clock, calls=200, seconds=0.5):
    """Seconds of the fastest of some calls, of three at least."""
    found, end = [], time.perf_counter() + seconds
    while len(found) < 3 or (len(found) < calls and time.perf_counter() < end):
        begun = clock()
        run()
        found.append(clock() - begun)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
