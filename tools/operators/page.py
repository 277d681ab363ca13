"""The page of results. It keeps what it says of dtypes and forms not asked again."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import torch

from tools.operators.samples import FORMS, operators

_OUTCOMES = ("same", "refused", "wrong", "died", "late")
_BRIEF = re.compile(
    r"/\S*?/calls_\d+\.py:\d+|'[^']*'|`[^`]*`|[\[(][^\])]*[\])]|\b\d+\b"
)
"""What differs between refusals of one kind: names, shapes, numbers."""

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
    "keeps no order of equal elements ([tensors](explanation/tensors.md)); of a median "
    "or mode, any place where it stands will do. Of half "
    "floats, an answer is also the same if it is no farther from what eager gives in "
    "doubles than eager's own; of f32, if each element that differs is. `--resume` "
    "goes on where not all are asked yet; `--write` replaces the lines of the dtypes "
    "and forms that were asked, and leaves the others as they are.\n"
)
_TABLE = """\
| dtype | form | operators | same | refused | wrong | died | late | taken | commit |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"""

_ROW = re.compile(r"\| (\w+) \| (function|in place) \| (.*) \|")
_NAME = r"([^:()]+) \((\w+)( in place)?\)(?:, |$)"
_CAUSE = re.compile(rf"\* (.*): ((?:{_NAME})+)")


@dataclass
class _Page:
    """What a page says."""

    rows: dict[tuple[str, str], str] = field(default_factory=dict)
    """(dtype, form) -> the rest of its row."""
    causes: dict[tuple[str, str], set[tuple[str, str, str]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """(outcome, cause) -> (operator, dtype, form)."""

    @staticmethod
    def of(text):
        """The page that a text is."""
        found, outcome = _Page(), None
        of_title = {title: outcome for outcome, title in _SECTIONS.items()}
        for line in text.splitlines():
            if line.startswith("## "):
                outcome = of_title.get(line[3:])
            elif row := _ROW.fullmatch(line):
                found.rows[row[1], row[2]] = row[3]
            elif outcome and (cause := _CAUSE.fullmatch(line)):
                for name, dtype, form in re.findall(_NAME, cause[2]):
                    one = name, dtype, form.strip() or "function"
                    found.causes[outcome, cause[1]].add(one)
        return found

    def drop(self, asked):
        """Forget what it says of some (dtype, form)."""
        for key in asked:
            self.rows.pop(key, None)
        for names in self.causes.values():
            names -= {one for one in names if one[1:] in asked}

    def __str__(self):
        text = [_HEAD.format(torch=torch.__version__), _TABLE]
        text += [
            f"| {dtype} | {form} | {rest} |"
            for (dtype, form), rest in sorted(self.rows.items(), key=_in_order)
        ]
        for outcome, title in _SECTIONS.items():
            found = [
                (cause, names)
                for (of, cause), names in self.causes.items()
                if of == outcome and names
            ]
            if found:
                text += ["", f"## {title}", ""]
                found.sort(key=lambda one: (-len(one[1]), one[0]))
                text += [f"* {cause}: {_listed(names)}" for cause, names in found]
        return "\n".join(text) + "\n"


def page(results, before=""):
    """The page: counts by dtype and form, then all that is not the same, by cause.

    `before`: what it says now, which stays for what was not asked.
    """
    found, counts = _Page.of(before), defaultdict(Counter)
    known, commits = defaultdict(set), defaultdict(dict)
    found.drop({(dtype, form) for _, form, dtype in results.found})
    for (name, form, dtype), line in results.found.items():
        commits[dtype, form][line["commit"]] = None
        for call, outcome, words in line["calls"]:
            counts[dtype, form][outcome] += 1
            known[dtype, form].add(name)
            if outcome != "same":
                cause = _BRIEF.sub("...", words) if outcome == "refused" else call
                one = name, dtype, form
                found.causes[outcome, cause or "no words"].add(one)
    for (dtype, form), count in counts.items():
        total = sum(count.values())
        share = f"{100 * (count['same'] + count['wrong']) / total:.1f} %"
        found.rows[dtype, form] = " | ".join(
            [
                f"{len(known[dtype, form])} of {_all_of(dtype, form)}",
                *(f"{count[one]:,}" for one in _OUTCOMES),
                *(share, ", ".join(commits[dtype, form])),
            ]
        )
    return str(found)


def _in_order(row):
    (dtype, form), _ = row
    return form, dtype


def _listed(names):
    shown = sorted(
        f"{name} ({dtype})" if form == "function" else f"{name} ({dtype} {form})"
        for name, dtype, form in names
    )
    return ", ".join(shown)


def _all_of(dtype, form):
    """How many operators there are of a dtype and form."""
    of_dtype = getattr(torch, dtype)
    return sum(
        op.supports_dtype(of_dtype, "cpu") and FORMS[form](op) for op in operators()
    )
