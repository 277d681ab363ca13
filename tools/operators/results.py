"""What was found of each operator, kept line by line, and the page made of it."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import torch

from tools.commits import commit
from tools.operators.samples import FORMS, operators

_OUTCOMES = ("same", "refused", "wrong", "died", "late")
_BRIEF = re.compile(
    r"/\S*?/calls_\d+\.py:\d+|'[^']*'|`[^`]*`|[\[(][^\])]*[\])]|\b\d+\b"
)
"""What differs between refusals of one kind: names, shapes, numbers."""


class Results:
    """Lines of JSON in files: an operator, a form, a dtype, and its calls."""

    def __init__(self, files, keeps):
        """Append to the first file; `keeps`: what the files hold counts, too."""
        self.found = {}
        self.count = Counter()
        self.files = [Path(file) for file in files]
        for file in self.files if keeps else self.files[:0]:
            for line in file.read_text().splitlines() if file.exists() else ():
                self._note(json.loads(line))
        if self.files and not keeps:
            self.files[0].write_text("")

    def holds(self, name, form, dtype):
        """Whether an operator is known already."""
        return (name, form, dtype) in self.found

    def add(self, name, form, dtype, calls, seconds):
        """Keep the (call, outcome, words) of an operator."""
        line = {"operator": name, "form": form, "dtype": dtype, "calls": calls}
        line |= {"seconds": round(seconds, 1), "commit": commit()}
        self._note(line)
        if self.files:
            with self.files[0].open("a") as file:
                file.write(json.dumps(line) + "\n")

    def _note(self, line):
        self.found[line["operator"], line["form"], line["dtype"]] = line
        self.count.update(outcome for _, outcome, _ in line["calls"])


def page(results):
    """The page: counts by dtype and form, then all that is not the same, by cause."""
    rows, causes, operators = defaultdict(Counter), defaultdict(set), defaultdict(set)
    for (name, form, dtype), line in results.found.items():
        for call, outcome, words in line["calls"]:
            rows[dtype, form][outcome] += 1
            operators[dtype, form].add(name)
            if outcome != "same":
                cause = _BRIEF.sub("...", words) if outcome == "refused" else call
                causes[outcome, cause].add(f"{name} ({dtype})")
    text = [_HEAD.format(torch=torch.__version__, commits=_commits(results)), _TABLE]
    for (dtype, form), count in rows.items():
        total = sum(count.values())
        counts = " | ".join(f"{count[one]:,}" for one in _OUTCOMES)
        share = f"{100 * (count['same'] + count['wrong']) / total:.1f} %"
        known = len(operators[dtype, form])
        asked = f"{known} of {_all_of(dtype, form)}"
        text.append(f"| {dtype} | {form} | {asked} | {counts} | {share} |")
    for outcome, title in _SECTIONS.items():
        found = [(c, names) for (o, c), names in causes.items() if o == outcome]
        if found:
            text += ["", f"## {title}", ""]
            found.sort(key=lambda one: (-len(one[1]), one[0]))
            text += [f"* {c or 'no words'}: {_some(names)}" for c, names in found]
    return "\n".join(text) + "\n"


_SECTIONS = {
    "wrong": "Wrong",
    "died": "The process died",
    "late": "Took too long",
    "refused": "Refused",
}
_HEAD = (
    "# Operators of torch, on torch's own samples\n\n"
    "`python -m tools.operators` wrote this page: each operator of `op_db` in torch "
    "{torch}, a few of its samples (without those that are random, complex, sparse, "
    "larger than 100,000 elements or raise in eager), in a model of its own, "
    "against eager: shape, dtype and elements. *In place* is `x.clone().NAME_(...)`. "
    "Taken: what is compiled. A `sort` is compared with `stable=True`: without, eager "
    "keeps no order of equal elements ([tensors](explanation/tensors.md)). Of half "
    "floats, an answer is also the same if it is no farther from what eager gives in "
    "doubles than eager's own; of f32, if each element that differs is. `--resume` "
    "goes on where not all are asked yet. Found on {commits}.\n"
)
_TABLE = """\
| dtype | form | operators | same | refused | wrong | died | late | taken |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def _all_of(dtype, form):
    """How many operators there are of a dtype and form."""
    of_dtype = getattr(torch, dtype)
    return sum(
        op.supports_dtype(of_dtype, "cpu") and FORMS[form](op) for op in operators()
    )


def _commits(results):
    """Which commits the results are of, oldest first."""
    found = dict.fromkeys(line["commit"] for line in results.found.values())
    return ", ".join(found) or commit()


def _some(names, most=12):
    first = ", ".join(sorted(names)[:most])
    return first + (f" and {len(names) - most} more" if len(names) > most else "")
