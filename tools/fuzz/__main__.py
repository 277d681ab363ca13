"""`python -m tools.fuzz`: many random programs, and a report of what went wrong."""

import argparse
import ast
import sys
import time
from collections import Counter

from tools.commits import commit
from tools.fuzz import judge, reduce_source, write_program
from tools.fuzz.isolation import each_isolated, isolated
from tools.fuzz.page import note
from tools.fuzz.verdict import Verdict, prepare

DIED = Verdict("crash", "the process died")


def main():
    """Run; the exit status is 1 when a program fails."""
    options = _parser().parse_args()
    if options.show is not None:
        print(write_program(options.show))
        return 0
    prepare()
    if options.file:
        with open(options.file) as file:
            return _one(file.read(), options)
    seeds = range(options.from_seed, options.from_seed + options.programs)
    report = Report()
    end, left = time.monotonic() + options.seconds, None
    tried = seeds[options.job :: options.jobs]
    verdicts = each_isolated(lambda seed: _judged(seed, options.whole), tried)
    for seed in tried:
        if time.monotonic() > end:
            left = seed
            break
        source = write_program(seed)
        verdict = next(verdicts) or DIED
        report.add(seed, verdict)
        if verdict.failed:
            print(f"seed {seed}: {verdict.kind}: {verdict.detail[:600]}", flush=True)
            if options.reduce and report.is_new(verdict):
                print(_smaller(source, verdict, options.reduce), flush=True)
        elif options.refused and verdict.kind == "refused" and report.is_new(verdict):
            print(f"seed {seed}: {verdict.family[1]}", flush=True)
            print(_smaller(source, verdict, options.reduce), flush=True)
        elif options.verbose:
            print(f"seed {seed}: {verdict.kind} {verdict.detail}", flush=True)
    print(report)
    print(piece(seeds, left, options))
    if options.note and report.kinds:
        done = range(seeds.start + options.job, left or seeds.stop, options.jobs)
        note(options.note, done, report.kinds, report.failures)
    return 1 if report.failures else 0


def _judged(seed, whole):
    return judge(write_program(seed), whole=seed % whole == 0)


def piece(seeds, left, options):
    """Which seeds were tried, on which commit, and how to go on."""
    job = f" --job {options.job} --jobs {options.jobs}" if options.jobs > 1 else ""
    # The jobs share the seeds by their distance from the first one.
    start = seeds.stop if left is None else left - options.job
    tried = f"seeds {seeds.start} to {start - 1}{job} on {commit()}"
    return f"{tried}; go on with --from-seed {start}{job}"


def _parser():
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument(
        "--from-seed", "--seed", type=int, default=0, help="of the first program"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument(
        "--whole",
        type=int,
        default=1,
        metavar="N",
        help="one program in N is compiled to code of the machine and saved; the "
        "others, in half the time, have interpreted kernels and the Python host",
    )
    parser.add_argument("--jobs", type=int, default=1, help="of how many processes")
    parser.add_argument("--job", type=int, default=0, help="which of them this is")
    parser.add_argument("--reduce", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the program")
    parser.add_argument("--file", help="judge and reduce a program of one's own")
    parser.add_argument("--refused", action="store_true", help="reduce refusals too")
    parser.add_argument("--note", metavar="PAGE", help="add a line on this run to it")
    parser.add_argument("--verbose", action="store_true")
    return parser


def _one(source, options):
    verdict = isolated(judge, source) or DIED
    print(f"{verdict.kind}: {verdict.detail}")
    reducible = verdict.failed or (options.refused and verdict.kind == "refused")
    if reducible and options.reduce:
        print(_smaller(source, verdict, options.reduce))
    return int(verdict.failed)


def _smaller(source, verdict, seconds):
    """The program made small, indented."""

    def still_fails(text):
        found = isolated(judge, text) or DIED
        return found.family == verdict.family

    text = reduce_source(ast.unparse(ast.parse(source)), still_fails, seconds)
    shown = text[text.index("class Part") :] if "class Part" in text else text
    shown = shown[shown.index("class Net") :] if "class Part" not in shown else shown
    return "".join(f"    {line}\n" for line in shown.splitlines() if line)


class Report:
    """Counts of what became of the programs."""

    def __init__(self):
        self.kinds = Counter()
        self.codes = Counter()
        self.useless = Counter()
        self.failures = []
        self.families = Counter()
        self.sides = Counter()

    def add(self, seed, verdict):
        self.kinds[verdict.kind] += 1
        self.codes.update(verdict.codes)
        self.sides.update(len(taken) for taken in verdict.sides.values())
        if verdict.kind == "useless":
            self.useless[verdict.detail] += 1
        if verdict.failed:
            self.failures.append(seed)
        if verdict.failed or verdict.kind == "refused":
            self.families[verdict.family] += 1

    def is_new(self, verdict):
        """Whether to make it small: other answers may have any cause."""
        kind, detail = verdict.family
        return self.families[kind, detail] == 1 or detail == "answers"

    def __str__(self):
        programs = sum(self.kinds.values())
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.kinds.most_common())
        lines = [f"{programs} programs: {kinds}"]
        counted = [f"{n} {code}" for code, n in self.codes.most_common()]
        lines.append("refused: " + ", ".join(counted))
        useless = [f"{n} {why}" for why, n in self.useless.most_common()]
        lines.append("useless: " + ", ".join(useless))
        lines.append(f"decisions: {self.sides[2]} both ways, {self.sides[1]} one way")
        lines += [f"{n} {' '.join(f)}" for f, n in self.families.most_common()]
        lines.append(f"failing seeds: {self.failures}")
        return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
