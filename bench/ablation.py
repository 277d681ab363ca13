"""`python -m bench.ablation`: what each optimisation is worth, each off in turn.

python -m bench.ablation                                the subjects of 32x32 images
python -m bench.ablation --subjects 3-sd-resnet --rounds 3 --keep

All forms of one network are compiled in one process and called in turns on the inputs
of `bench.subjects`, one thread; each answer is first compared with eager's.
Numbers are kept in `build/bench/ablation.json`; the page is `docs/speed/ablation.md`.
"""

import argparse
import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import torch

import dycl
from bench import subjects
from bench.machine import facts, one_thread
from bench.peers.keep import cpu_seconds
from bench.speed import BUILD, QUICK
from dycl.checking.values import largest_relative
from dycl.schedules import tiles

FORMS = {
    "everything on": {},
    "no hoisting": {"without": ("dycl-hoist-computation-free",)},
    "no sharing": {"without": ("dycl-share-kernels",)},
    "no common subexpressions": {"without": ("dycl-share-subexpressions",)},
    "no literals in kernels": {"without": ("dycl-embed-literals",)},
    "no weight preparation": {"without": ("dycl-mark-weights",)},
    "no batch norm in weights": {"without": ("dycl-fold-batch-norm",)},
    "no blocks between kernels": {"without": ("dycl-assign-layouts",)},
    "no blocks within kernels": {"without": ("cpu-propagate-blocks",)},
    "no nests": {"without": ("cpu-generate-nests",)},
    "no strips": {
        "instead": (tiles, "_strip", lambda rows, *_: rows),
    },
    "no Winograd": {"without": ("cpu-winograd",)},
    "no cut products": {"without": ("cpu-split-products",)},
    "no row programs": {"without": ("cpu-row-programs",)},
    "no fused loops": {"without": ("cpu-fuse-elementwise",)},
    "no arena": {"without": ("dycl-plan-memory",)},
    "Python host": {"host": "python"},
}
"""What is off -> the options that say so; a pass is what `dycl compile -d` names.

"instead": a module, the name of a function there, and what takes its place: what no
option turns off.
"""


def main(argv=None):
    """Measure, keep the numbers, write the page; the exit status."""
    parser = argparse.ArgumentParser("python -m bench.ablation")
    names = list(subjects.recipes())
    parser.add_argument("--subjects", nargs="+", choices=names, default=QUICK)
    parser.add_argument("--rounds", type=int, default=15)
    help_ = "add to the last numbers, less those of forms that are gone"
    parser.add_argument("--keep", action="store_true", help=help_)
    parser.add_argument("--build", type=Path, default=BUILD, help="for scratch files")
    parser.add_argument("--out", type=Path, default=Path("docs") / "speed")
    options = parser.parse_args(argv)
    typed = sys.argv[1:] if argv is None else argv
    command = " ".join([".venv/bin/python -m bench.ablation", *typed])
    report = {"machine": facts(), "command": command, "subjects": {}}
    kept = options.build / "ablation.json"
    if options.keep and kept.exists():
        report = json.loads(kept.read_text(encoding="utf-8"))
    for name in options.subjects:
        file = options.build / "subjects" / f"{name}.pt"
        if not file.exists():
            subjects.save(subjects.make(name), file)
        print(name, flush=True)
        with one_thread(), torch.no_grad():
            found = measure(subjects.load(file), options.rounds)
        report["subjects"][name] = {
            "title": subjects.recipes()[name].title,
            "forms": found,
        }
        kept.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    options.out.mkdir(parents=True, exist_ok=True)
    page = options.out / "ablation.md"
    page.write_text(markdown(report) + "\n", encoding="utf-8")
    print(page)
    return 0


def measure(subject, rounds):
    """Form -> what it is and how long each path takes; the forms in turns."""
    found, nets = {}, {}
    for form, options in FORMS.items():
        begun = cpu_seconds()
        try:
            net = compiled(subject, dict(options))
        except Exception as error:
            found[form] = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            continue
        seconds = cpu_seconds() - begun
        answers = zip(subject.inputs, subject.answers, strict=True)
        error = max(largest_relative(net(*given), answer) for given, answer in answers)
        print(f"    {form}: {seconds:.1f} s of CPU, off by {error:.0e}", flush=True)
        nets[form] = net
        found[form] = {
            "error": "" if error < 1e-3 else f"wrong by {error:.0e}",
            "kernels": len(net.library.specs),
            "compile": seconds,
            "times": [[] for _ in subject.inputs],
            "host": net.host,
        }
    order = list(nets)
    for number in range(rounds):
        turn = number % len(order)
        for path, inputs in enumerate(subject.inputs):
            for form in [*order[turn:], *order[:turn]]:
                found[form]["times"][path].append(_timed(nets[form], inputs))
    return found


def compiled(subject, options):
    """A form of a subject. No kernel comes from the cache, which knows options only."""
    instead = options.pop("instead", None)
    with mock.patch.object(*instead) if instead else nullcontext():
        return dycl.compile(subject.model, subject.inputs[0], cache=False, **options)


def _timed(net, inputs):
    """CPU seconds of the second of two calls: the first finds another's caches."""
    net(*inputs)
    begun = time.process_time()
    net(*inputs)
    return time.process_time() - begun


def markdown(report):
    """The page."""
    lines = ["# What each optimisation is worth", ""]
    lines += [f"Written by `{report['command']}`; not to be edited.", ""]
    lines += [f"* {name}: {value}" for name, value in report["machine"].items()]
    lines += [
        "",
        "Each is left out in turn; all forms of a network are called in turns in one "
        "process on one thread, timed by the CPU time of the process. *Slower*: over "
        "that of everything on, fastest calls, geometric mean over the paths shown in "
        "[the race](README.md). Seconds to compile are of CPU, too.",
        "",
    ]
    for subject in report["subjects"].values():
        lines += [f"## {subject['title']}", ""]
        lines += [
            "| form | options | ms, dearest path | slower | kernels | compile s |"
        ]
        lines += ["| --- | --- | ---: | ---: | ---: | ---: |"]
        full = subject["forms"]["everything on"]
        for form, found in subject["forms"].items():
            if form not in FORMS:  # of an older run, which --keep adds to
                continue
            cells = [form, _flag(FORMS[form])]
            if found["error"]:
                cells += [found["error"].replace("|", "/"), "", "", ""]
            else:
                cells += [f"{min(found['times'][-1]) * 1e3:.2f}"]
                cells += [f"{slower(found, full):.2f}x", str(found["kernels"])]
                cells += [f"{found['compile']:.1f}"]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip()


def slower(found, full):
    """The geometric mean over the paths of the fastest calls' ratio."""
    product = 1.0
    for ours, theirs in zip(found["times"], full["times"], strict=True):
        product *= min(ours) / min(theirs)
    return product ** (1 / len(full["times"]))


def _flag(options):
    if "instead" in options:
        module, name, _ = options["instead"]
        return f"`{name}` of `{module.__name__}`"
    if "host" in options:
        return f"`--host {options['host']}`"
    return " ".join(f"`-d {name}`" for name in options.get("without", ()))


if __name__ == "__main__":
    sys.exit(main())
