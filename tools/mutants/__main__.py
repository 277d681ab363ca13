"""`python -m tools.mutants NET.dycl`: many mutants of an artifact, and what became of
them. The exit status is 1 if one crashed, hung, or raised what is no sentence.

A network with data-dependent structure is made where none is given.
"""

import argparse
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

import dycl
from tools.fuzz.isolation import each_isolated
from tools.mutants import Verdict, judge, mutant
from tools.mutants.subjects import SUBJECTS, arguments_of

DIED = Verdict("died", "the process crashed, or hung for a minute")
PATIENCE = 60


def main():
    """Run; the exit status."""
    options = _parser().parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = options.net or [make(Path(folder)) for make in SUBJECTS]
        for path in paths:
            failed += report(Path(path), folder, options)
    return 1 if failed else 0


def report(path, folder, options):
    """Judge the mutants of one artifact, and print the counts; how many failed."""
    start = time.monotonic()
    seeds = range(options.from_seed, options.from_seed + options.count)
    counts, failed = Counter(), 0
    for seed, verdict in verdicts(path, seeds, folder):
        counts[verdict.kind] += 1
        if verdict.failed:
            failed += 1
            print(f"mutant {seed} of {path.name}: {verdict.kind}\n{verdict.text}")
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    seconds = time.monotonic() - start
    print(f"{path.name}: {len(seeds)} mutants in {seconds:.0f} s: {words}")
    return failed


def verdicts(path, seeds, folder):
    """(seed, verdict) for each mutant; a process of its own runs some of them."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    net = dycl.load(path)
    calls = [(given, net(*given)) for given in arguments_of(net)]

    def one(seed):
        data, changed = mutant(members, seed)
        return judge(data, changed, Path(folder) / "mutant.dycl", calls)

    results = each_isolated(one, seeds, together=200, patience=PATIENCE)
    for seed, verdict in zip(seeds, results, strict=True):
        yield seed, verdict or DIED


def _parser():
    parser = argparse.ArgumentParser("python -m tools.mutants")
    parser.add_argument("net", nargs="*", metavar="NET.dycl")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--from-seed", type=int, default=0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
