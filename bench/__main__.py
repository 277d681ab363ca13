"""`python -m bench`: what compiling costs, and what the compiled networks win.

python -m bench                        the tables; under three minutes on two cores
python -m bench --only networks        just the one on run time
python -m bench --only ops             single operators; see bench/ops.py
python -m bench --long                 the large sizes; Shallow-Deep at full size
python -m bench --peers                torch.compile too, where it works
python -m bench --json build/bench.json
"""

import argparse
import json
import sys
from pathlib import Path

from bench import compile_time, growth, networks, ops, scale
from bench.machine import facts, one_thread, show_facts
from bench.table import text

PARTS = ("compile", "networks", "scale", "growth", "ops")
USUAL = PARTS[:-1]
"""What runs if nothing is named."""


def main(argv=None):
    """Run the parts that were asked for; the exit status."""
    args = make_parser().parse_args(argv)
    parts = args.only or USUAL
    report = {"machine": facts()}
    show_facts()
    with one_thread():
        if "compile" in parts or "networks" in parts:
            chosen = networks.chosen(args.networks, full_size=args.long)
            compiled = [compile_time.compile_case(*case) for case in chosen]
            if "compile" in parts:
                report["compile"] = [
                    {
                        **done.row(),
                        "again": compile_time.again(i, args.networks, args.long),
                    }
                    for i, (done, *_) in enumerate(compiled)
                ]
                report["lines"] = [done.sizes() for done, *_ in compiled]
                show("compile time, seconds by stage", report["compile"])
                show("lines of IR by level, and what came out", report["lines"])
            if "networks" in parts:
                rows, sums = networks.measure_all(
                    compiled, rounds=args.rounds, peers=args.peers
                )
                report["networks"], report["untaken"] = rows, sums
                show("one image, milliseconds, one thread: fastest run, median", rows)
                show("untaken branch: a path against the sum of what it runs", sums)
        if "scale" in parts:
            report["scale"] = scale.rows(scale.LONG if args.long else scale.SIZES)
            show("decisions in a row, each row a process", report["scale"])
        if "growth" in parts:
            sizes = growth.LONG if args.long else growth.SIZES
            report["growth"] = growth.rows(sizes)
            show("long programs, each row a process", report["growth"])
        if "ops" in parts:
            report["ops"] = ops.rows()
            show("single operators, microseconds, one thread", report["ops"])
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def make_parser():
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m bench", description="Speed as ratios, measured side by side."
    )
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="one part (default: all but ops)"
    )
    parser.add_argument(
        "--networks",
        nargs="+",
        choices=networks.NAMES,
        default=networks.NAMES,
        help="example networks (default: all)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=15,
        help="runs of each side on each path, alternating (default %(default)s)",
    )
    parser.add_argument("--long", action="store_true", help="the large sizes too")
    parser.add_argument("--peers", action="store_true", help="torch.compile too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the numbers as JSON")
    return parser


def show(title, rows):
    """Print one table."""
    print(f"\n{title}\n{text(rows)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
