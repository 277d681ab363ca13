"""`python -m tools.operators`: every operator of torch, against eager."""

import argparse
import sys
import time
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import torch

import dycl
from tools.operators.isolation import Limits, judged_together
from tools.operators.page import page
from tools.operators.results import Results
from tools.operators.samples import FORMS, operators

DTYPES = (
    *("float32", "float64", "int64", "int32", "uint8"),
    *("bool", "bfloat16", "float16"),
)


def main():
    """Run; the exit status is 1 where an answer is wrong or late, or a process dies."""
    options = _parser().parse_args()
    results = Results(options.results, options.resume or options.write)
    if options.write:
        path = Path(options.write)
        before = path.read_text() if path.exists() else ""
        path.write_text(page(results, before))
        return 0
    end = time.monotonic() + options.seconds
    torch.set_num_threads(1)
    _warm_up()
    todo = [unit for unit in _units(options) if not results.holds(*_key(*unit))]
    while todo and time.monotonic() < end:
        some, todo = todo[: options.batch], todo[options.batch :]
        _some(some, results, options)
    if todo:
        print(f"out of time before {_title(*todo[0])}")
    count = results.count
    print(", ".join(f"{n} {what}" for what, n in count.items()) or "nothing to do")
    return 1 if count["wrong"] or count["died"] or count["late"] else 0


def _units(options):
    """Operators, forms and dtypes that are asked for: a dtype after the other."""
    chosen = [
        op for op in operators() if any(fnmatch(op.name, one) for one in options.only)
    ]
    for name in options.dtype:
        dtype = getattr(torch, name)
        for op in chosen[options.job :: options.jobs]:
            if not op.supports_dtype(dtype, "cpu"):
                continue
            for form in options.form:
                if FORMS[form](op):
                    yield op, form, dtype


def _key(op, form, dtype):
    name = f"{op.name} {op.variant_test_name}".strip()
    return name, form, str(dtype).removeprefix("torch.")


def _title(op, form, dtype):
    name, form, dtype = _key(op, form, dtype)
    return f"{name} {dtype}" + ("" if form == "function" else f" {form}")


def _some(units, results, options):
    start, limits = time.monotonic(), Limits(options.together, options.alone)
    found = judged_together(units, options.most, limits)
    seconds = (time.monotonic() - start) / len(units)
    for unit, calls in zip(units, found, strict=True):
        results.add(*_key(*unit), calls, seconds)
        _say(unit, calls, options)


def _say(unit, calls, options):
    shown = {"wrong", "died", "late", *(("refused",) if options.refused else ())}
    said = Counter()
    for call, outcome, words in calls:
        if outcome in shown:
            said[outcome, words] += 1
            if said[outcome, words] == 1:
                print(f"{_title(*unit)}: {outcome.upper()} {call}: {words}", flush=True)


def _warm_up():
    """Import here, once, what every process that is forked needs."""
    dycl.compile(torch.nn.ReLU().eval(), (torch.ones(2),), cache=False)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tools.operators", description=__doc__
    )
    add = parser.add_argument
    add("--only", nargs="+", default=["*"], metavar="PATTERN")
    add("--dtype", nargs="+", default=list(DTYPES), metavar="NAME")
    add("--form", nargs="+", default=list(FORMS), choices=FORMS)
    add("--batch", type=int, default=10, help="operators in one model")
    add("--most", type=int, default=8, help="samples of an operator and dtype")
    add("--seconds", type=float, default=float("inf"), help="of the run")
    add("--together", type=float, default=120, help="CPU seconds, all calls of one")
    add("--alone", type=float, default=60, help="CPU seconds, a call on its own")
    add("--jobs", type=int, default=1, help="of how many processes")
    add("--job", type=int, default=0, help="which of them this is")
    add("--refused", action="store_true", help="say what is refused")
    add("--results", metavar="FILE", nargs="+", default=[], help="write what is found")
    add("--resume", action="store_true", help="leave out what FILE holds already")
    add("--write", metavar="PAGE", help="only put what FILES hold into the page")
    return parser


if __name__ == "__main__":
    sys.exit(main())
