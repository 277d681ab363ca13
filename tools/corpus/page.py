"""Results as text: a summary of a run, and the page `docs/coverage.md`."""

from collections import Counter
from pathlib import Path

MOST = 25
"""So many causes are listed for each library."""
_HEAD = """# Other people's programs

What `python -m tools.corpus` made of programs that were not written for DyCL, against
eager on three inputs each, and on more where a decision had gone one way only. Written
by `python -m tools.corpus --page docs/coverage.md --results FILE...`; how to run it is
in `tools/corpus/__init__.py`. *Dynamic*: eager reads a number, a truth or
a size out of a tensor. Programs that fail in eager, or are random, do not count.
"""


def summary(results):
    """One line for all, one for dynamic and static programs each."""
    return "\n".join(
        "{}: {} of {} = {} ({})".format(*row) for row in _rates(results) if row[2]
    )


def _rates(results):
    for title, some in _kinds(results):
        verdicts = Counter(r.verdict for r in some)
        counted = sum(r.counts for r in some)
        rate = f"{verdicts['same'] / counted:.1%}" if counted else "none"
        told = ", ".join(f"{n} {what}" for what, n in verdicts.most_common())
        yield title, verdicts["same"], counted, rate, told


def _kinds(results):
    yield "all", results
    yield "dynamic", [r for r in results if r.dynamic]
    yield "static", [r for r in results if not r.dynamic]


def write_page(path, results, notes=()):
    """The page of all results; `notes` say how each file of them came about."""
    libraries = dict.fromkeys(r.library for r in results)
    parts = [_HEAD, *notes]
    for library in libraries:
        some = [r for r in results if r.library == library]
        parts += [f"## {library}", _table(some), *_causes(some)]
    Path(path).write_text("\n\n".join(part.strip() for part in parts) + "\n")


def _table(results):
    lines = [
        "| programs | equal | of | rate | all verdicts |",
        "| --- | --: | --: | --: | --- |",
    ]
    lines += ["| {} | {} | {} | {} | {} |".format(*row) for row in _rates(results)]
    both = sum(r.both for r in results), sum(r.decisions for r in results)
    if both[1]:
        lines.append("")
        lines.append(
            "Of {1} decisions that were seen, {0} went both ways.".format(*both)
        )
    return "\n".join(lines)


def _causes(results):
    """What is refused or wrong, the most frequent first, with a program of each."""
    found = {}
    for r in results:
        if r.counts and r.verdict != "same":
            what = r.verdict if r.verdict != "refused" else r.code
            found.setdefault((what, r.cause), []).append(r)
    if not found:
        return
    rows = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    lines = ["| programs | | first cause | for example |", "| --: | --- | --- | --- |"]
    for (what, cause), some in rows[:MOST]:
        cells = [str(len(some)), what, cause, f"`{some[0].name}`"]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    yield "\n".join(lines)
    if len(rows) > MOST:
        yield f"And {len(rows) - MOST} causes of fewer programs."
