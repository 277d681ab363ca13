"""`python -m tools.corpus LIBRARY [FOLDER]`: a library's programs, against eager."""

import argparse
import json
import random
import sys
from fnmatch import fnmatch
from pathlib import Path

import torch

import dycl
from tools.corpus.child import limited
from tools.corpus.judge import judge
from tools.corpus.libraries import LIBRARIES, programs_of
from tools.corpus.page import summary, write_page
from tools.corpus.programs import Result

_BAD = ("wrong", "bug", "died")


def main():
    """Run; the exit status is 1 where an answer is wrong, or a process dies."""
    options = _parser().parse_args()
    if options.page:
        write_page(options.page, _known(options.results), options.note)
        return 0
    torch.set_num_threads(1)
    done = {r.name: r for r in _known([options.out])} if options.resume else {}
    if not options.resume and options.out:
        Path(options.out).unlink(missing_ok=True)
    chosen = [p for p in _chosen(options) if p.name not in done]
    if options.until != "eager":
        _warm_up()
    results = [*done.values()]
    for number, program in enumerate(chosen, 1):
        result = _one(program, options)
        results.append(result)
        _keep(options.out, result)
        print(f"{number}/{len(chosen)} {_line(result)}", flush=True)
    print(summary(results))
    return int(any(r.verdict in _BAD for r in results))


def _one(program, options):
    found = limited(
        judge, program, options.until, seconds=options.seconds, gib=options.gib
    )
    if isinstance(found, str):
        return Result(program.library, program.name, found)
    return found


def _chosen(options):
    programs = list(programs_of(options.library, options.folder))
    programs = [p for p in programs if any(fnmatch(p.name, o) for o in options.only)]
    if options.names:
        names = set(Path(options.names).read_text().splitlines())
        programs = [p for p in programs if p.name in names]
    if options.sample:
        programs = random.Random(options.seed).sample(
            programs, min(options.sample, len(programs))
        )
    return programs[options.job :: options.jobs]


def _known(paths):
    lines = [
        line
        for path in paths
        if path and Path(path).exists()
        for line in Path(path).read_text().splitlines()
    ]
    return [Result.from_json(json.loads(line)) for line in lines]


def _keep(path, result):
    if path:
        with open(path, "a") as file:
            file.write(json.dumps(result.to_json()) + "\n")


def _line(result):
    kind = "dynamic" if result.dynamic else "static"
    words = " ".join(filter(None, (result.code, result.cause)))
    where = f" [{result.where}]" if result.where else ""
    return f"{result.name}: {result.verdict} {kind} {words}{where}"


def _warm_up():
    """Import here, once, what every process that is forked needs."""
    dycl.compile(torch.nn.ReLU().eval(), (torch.ones(2),), cache=False)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m tools.corpus", description=__doc__)
    parser.add_argument("library", nargs="?", choices=LIBRARIES, default="own")
    parser.add_argument("folder", nargs="?", help="where the files of a corpus lie")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument(
        "--names", metavar="FILE", help="only the programs named there, one a line"
    )
    parser.add_argument("--sample", type=int, help="so many, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument(
        "--until",
        default="native",
        choices=("eager", "source", "normal", "typed", "hcfg", "native"),
        help="stop there: `hcfg` finds most refusals without building a kernel",
    )
    parser.add_argument("--seconds", type=float, default=120, help="for each program")
    parser.add_argument("--gib", type=float, default=8, help="memory of each program")
    parser.add_argument("--jobs", type=int, default=1, help="of how many processes")
    parser.add_argument("--job", type=int, default=0, help="which of them this is")
    parser.add_argument("--out", metavar="FILE", help="where results are written")
    parser.add_argument("--resume", action="store_true", help="keep what is in there")
    parser.add_argument("--page", metavar="FILE", help="write the page of --results")
    parser.add_argument("--note", nargs="+", default=[], metavar="TEXT")
    parser.add_argument("--results", nargs="+", default=[], metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main())
