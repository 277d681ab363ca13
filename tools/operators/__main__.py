"""`python -m tools.operators`: every operator of torch, against eager."""

import argparse
import sys
import time
from collections import Counter
from fnmatch import fnmatch

import torch

import dycl
from tools.fuzz.isolation import isolated
from tools.operators.judge import judge
from tools.operators.samples import operators


def main():
    """Run; the exit status is 1 where an answer is wrong or a process dies."""
    options = _parser().parse_args()
    count, end = Counter(), time.monotonic() + options.seconds
    _warm_up()
    chosen = [
        op for op in operators() if any(fnmatch(op.name, one) for one in options.only)
    ]
    for op in chosen[options.job :: options.jobs]:
        if time.monotonic() > end:
            print(f"out of time before {op.name}")
            break
        for name in options.dtype:
            if op.supports_dtype(getattr(torch, name), "cpu"):
                _one(op, name, count, options)
    print(", ".join(f"{n} {what}" for what, n in count.items()) or "nothing to do")
    return 1 if count["wrong"] or count["died"] else 0


def _one(op, dtype, count, options):
    title = f"{op.name} {op.variant_test_name} {dtype}".replace("  ", " ")
    verdict = isolated(judge, op, getattr(torch, dtype))
    if verdict is None:
        count["died"] += 1
        print(f"{title}: its process died", flush=True)
        return
    count["same"] += verdict.same
    count["refused"] += len(verdict.refused)
    count["wrong"] += len(verdict.wrong)
    for call, how in verdict.wrong.items():
        print(f"{title}: WRONG {call}: {how}", flush=True)
    if options.refused:
        for why in dict.fromkeys(verdict.refused.values()):
            print(f"{title}: refused: {why}", flush=True)


def _warm_up():
    """Import here, once, what every process that is forked needs."""
    dycl.compile(torch.nn.ReLU().eval(), (torch.ones(2),), cache=False)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tools.operators", description=__doc__
    )
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--dtype", nargs="+", default=["float32"], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=1, help="of how many processes")
    parser.add_argument("--job", type=int, default=0, help="which of them this is")
    parser.add_argument("--refused", action="store_true", help="say what is refused")
    return parser


if __name__ == "__main__":
    sys.exit(main())
