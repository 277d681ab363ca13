"""The pages of `bench.speed`: tables in Markdown and plots in SVG."""

from pathlib import Path

from bench.contestant import Entry
from bench.peers import PEERS
from bench.speed_numbers import (
    ANY,
    AS_IT_IS,
    DYCL,
    TRACES,
    by_slice,
    direct_share,
    entries_of,
    losses,
    mean,
    peak_share,
    ratio,
    ratios,
    rivals_of,
    threads_of,
    time_of,
    title_of,
)
from bench.svg import bars

GROUPS = {
    "small": "images of 32x32",
    "large": "images of 256x256",
    "plain": "without decisions",
}


def write(report, out: Path) -> list[Path]:
    """Write the pages into a folder; the files."""
    out.mkdir(parents=True, exist_ok=True)
    page = out / "README.md"
    page.write_text(markdown(report) + "\n", encoding="utf-8")
    written = [page]
    for key, subject in report["subjects"].items():
        file = out / f"{key.replace(' ', '-')}.svg"
        file.write_text(plot(subject), encoding="utf-8")
        written.append(file)
    return written


BLOCKS = {
    "summary": lambda report: [*summary(report), "", *geomeans(report)],
    "losses": lambda report: lost(report),
}
"""What other pages repeat, between `<!-- NAME -->` and `<!-- end -->`."""


def fill(page: Path, report) -> None:
    """Write the blocks of a page anew. ValueError: one has no end."""
    text = page.read_text(encoding="utf-8")
    for name, lines in BLOCKS.items():
        begin = f"<!-- {name} -->\n"
        before, found, rest = text.partition(begin)
        if found:
            end = rest.index("<!-- end -->")
            text = before + begin + "\n".join(lines(report)) + "\n" + rest[end:]
    page.write_text(text, encoding="utf-8")


def markdown(report) -> str:
    """The whole page."""
    lines = ["# Speed, path by path", ""]
    lines += ["Written by `python -m bench.speed`; not to be edited.", ""]
    lines += [f"* {name}: {value}" for name, value in report["machine"].items()]
    lines += ["", *_explained(report), "", *summary(report), ""]
    lines += [*geomeans(report), "", "## Where a peer is faster", "", *lost(report), ""]
    for key, subject in report["subjects"].items():
        lines += [f"## {subject['title']}, {threads_of(subject['threads'])}", ""]
        lines += raced(subject)
        lines += [f"![milliseconds of each path]({key.replace(' ', '-')}.svg)", ""]
        lines += [*table(subject), "", *costs(subject), ""]
        lines += gains(subject)
        if subject.get("remark"):
            lines += [subject["remark"], ""]
    lines += ["## Runs", "", *(f"* `{command}`" for command in _commands(report))]
    return "\n".join(lines).rstrip()


def _commands(report) -> list[str]:
    """By which the subjects were raced last, or all that were typed."""
    found = [subject.get("command") for subject in report["subjects"].values()]
    if None in found:
        return report["command"].split("`, then `")
    return list(dict.fromkeys(found))


def _explained(report) -> list[str]:
    subjects = report["subjects"].values()
    said = []
    if any(subject.get("clock", "wall") == "cpu" for subject in subjects):
        said.append(
            "Times of one thread are what the process used of the processor: the "
            "machine has other work."
        )
    slices = [subject["within"] for subject in subjects if subject.get("within")]
    if slices:
        said.append(
            f"Contestants take turns in slices of {max(slices):.0f} seconds at most, "
            "while that work stands still."
        )
    said.append(
        "Milliseconds of one call, batch 1, f32: the fastest and, in brackets, the "
        "median, of equal numbers of calls of all contestants, in turns on the same "
        "inputs; ratios likewise. "
        "**wrong** stands where the answer is not eager's (by more than 0.1 percent "
        "of its largest value), and such a time counts for nothing. *By hand*: the "
        "model was rewritten with `torch.cond` or `while_loop` for that peer "
        "(`bench/rewrites`); the others take it as it is. *One path*: "
        "an engine is given each path as a network of its own, which does what that "
        "path does, what decisions look at included, and decides nothing; so it "
        "tells an engine's kernels from its control flow, and is no rival where a "
        "network decides. *Eager, folded*: batch norms folded, `inference_mode`, "
        "channels last where that is faster. ONNX Runtime has the weights of branches "
        "inside of them, where it folds and lays them out."
    )
    said.append(
        "*Nominal peak* is a yardstick and no bound: the path's operations as eager "
        "counts them at the measured multiply-add rate, and where a matrix meets a "
        "single row its weights at the bandwidth measured on a memory of the size of "
        "all weights of the path. Winograd's convolutions do fewer operations than are "
        "counted, so that a share over 100 % is no contradiction; the share without "
        "Winograd stands beside it."
    )
    raced = {each.peer for subject in subjects for each in entries_of(subject)}
    said += [
        f"{peer.removesuffix(f', {TRACES}')} is held back: {PEERS[peer].caveat}, so "
        "a lead over it here is no lead over the engine on a processor that has it."
        for peer in PEERS
        if peer in raced and PEERS[peer].caveat
    ]
    return [" ".join(said)]


def raced(subject) -> list[str]:
    """When and on which processor, where that was kept."""
    if "raced" not in subject:
        return []
    return [f"Raced on {subject['raced']}, {subject['processor']}.", ""]


def gains(subject) -> list[str]:
    """What threads could gain at most while the subject was raced."""
    found = subject.get("gains")
    if not found:
        return []
    said = (
        f"Multiply-adds out of registers, on {subject['threads']} processors at once, "
        f"beside the race: {found[0]:.2f}x to {found[-1]:.2f}x of one, "
        f"median {found[len(found) // 2]:.2f}x."
    )
    return [said, ""]


def geomeans(report) -> list[str]:
    """By group of subjects: ours against the best of each kind."""
    heads = ["one path's geometric mean"]
    heads += ["against the best that takes the model as it is"]
    heads += ["against the fastest of all", "against the best trace per path"]
    heads += ["paths where we are slower"]
    lines = [_row(heads), _row(["---", *["---:"] * (len(heads) - 1)])]
    for threads in sorted({s["threads"] for s in report["subjects"].values()}):
        for size, title in GROUPS.items():
            chosen = [
                subject
                for subject in report["subjects"].values()
                if subject["size"] == size and subject["threads"] == threads
            ]
            if not chosen:
                continue
            cells = [f"{title}, {threads_of(threads)}"]
            cells += [mean(ratios(chosen, whom)) for whom in (AS_IT_IS, ANY, TRACES)]
            found = losses({"subjects": dict(enumerate(chosen))})
            slow = {(loss.title, loss.label) for loss in found}
            paths = sum(len(subject["labels"]) for subject in chosen)
            lines.append(_row([*cells, f"{len(slow)} of {paths}"]))
    return lines


def lost(report) -> list[str]:
    """Every path and peer, traces included, by the fastest call or by the median."""
    found = losses(report)
    if not found:
        return ["On no path, a trace per path included."]
    lines = ["Its time over ours; under 1 it is faster. Traces per path included.", ""]
    heads = ["network", "path", "peer", "fastest call", "median"]
    lines += [_row(heads), _row(["---", "---", "---", "---:", "---:"])]
    for loss in found:
        numbers = [f"{loss.fastest:.2f}x", f"{loss.median:.2f}x"]
        lines.append(_row([loss.title, loss.label, loss.peer, *numbers]))
    return lines


def summary(report) -> list[str]:
    """A row for each subject: what a reader wants who has no time for the tables."""
    heads = ["network", "DyCL, ms", "against the best that takes it as it is"]
    heads += ["against the fastest of all", "against the best trace per path"]
    heads += ["of nominal peak", "without Winograd", "compile, CPU s", "raced"]
    lines = [_row(heads), _row(["---", *["---:"] * (len(heads) - 1)])]
    for subject in report["subjects"].values():
        entries = entries_of(subject)
        paths = range(len(subject["labels"]))
        ours = [time_of(entries, [DYCL], path) for path in paths]
        if None in ours:
            lines.append(_row([title_of(subject), "none", *[""] * (len(heads) - 2)]))
            continue
        cells = [title_of(subject), _span([time * 1e3 for time in ours], "")]
        cells += [_best(subject, whom, ours) for whom in (AS_IT_IS, ANY, TRACES)]
        cells += [_shares(subject, peak_share), _shares(subject, direct_share)]
        cells += [f"{each.compile:.1f}" for each in entries if each.peer == DYCL]
        cells += [subject.get("raced", "-")]
        lines.append(_row(cells))
    return lines


def _shares(subject, share) -> str:
    found = [share(subject, path) for path in range(len(subject["labels"]))]
    return "-" if None in found else _span([100 * each for each in found], " %", 0)


def _span(values: list[float], unit: str, digits: int = 2) -> str:
    """The least and the most, or the one."""
    ends = dict.fromkeys(f"{v:.{digits}f}{unit}" for v in (min(values), max(values)))
    return " to ".join(ends)


def _best(subject, whom: str, ours: list[float]) -> str:
    """How much slower the best of some peers is on each path, and which it is."""
    entries, peers = entries_of(subject), rivals_of(subject, whom)
    factors, names = [], []
    for path, own in enumerate(ours):
        times = {peer: time_of(entries, [peer], path) for peer in peers}
        right = {peer: time for peer, time in times.items() if time is not None}
        if not right:
            return "-"
        best = min(right, key=lambda peer, right=right: right[peer])
        factors.append(right[best] / own)
        names.append(best.removesuffix(f", {TRACES}"))
    said = f"{_span(factors, 'x')} ({', '.join(dict.fromkeys(names))})"
    return f"**{said}**" if min(factors) < 1 else said


def table(subject) -> list[str]:
    """A row for each contestant, a column for each path."""
    entries = entries_of(subject)
    paths = range(len(subject["labels"]))
    heads = ["contestant", "rewrite", *subject["labels"]]
    lines = [_row(heads), _row(["---", "---", *["---:"] * len(subject["labels"])])]
    for entry in entries:
        hand = "by hand" if PEERS[entry.peer].by_hand else ""
        hand = "one path" if PEERS[entry.peer].straight else hand
        cells = [cell(entry, path) for path in paths]
        if not any(entry.times):
            cells = ["none", *[""] * (len(cells) - 1)]
        lines.append(_row([entry.peer, hand, *cells]))
    floors = [f"{floor * 1e3:.2f}" for floor in subject["floors"]]
    lines.append(_row(["at nominal peak", "", *floors]))
    for whom in (AS_IT_IS, ANY, TRACES):
        cells = [_against(subject, whom, path) for path in paths]
        lines.append(_row([f"DyCL against the best {whom}", "", *cells]))
    spans = [by_slice(subject, ANY, path) for path in paths]
    if any(spans):
        cells = [_span(each, "x") if each else "-" for each in spans]
        lines.append(_row(["the same of all, slice by slice", "", *cells]))
    for title, share in (
        ("DyCL, of nominal peak", peak_share),
        ("without Winograd", direct_share),
    ):
        found = [share(subject, path) for path in paths]
        cells = ["-" if each is None else f"{100 * each:.0f} %" for each in found]
        if any(each is not None for each in found):
            lines.append(_row([title, "", *cells]))
    return lines


def cell(entry: Entry, path: int) -> str:
    """One time with whether the answer is right."""
    if path >= len(entry.errors):
        return ""
    if isinstance(entry.errors[path], str):
        return "**fails**"
    if not entry.times[path]:
        return "-" if entry.right(path) else "**wrong**"
    times = f"{entry.best(path) * 1e3:.2f} ({entry.median(path) * 1e3:.2f})"
    return times if entry.right(path) else f"**wrong** {times}"


def _against(subject, whom: str, path: int) -> str:
    fastest = ratio(subject, whom, path)
    medians = ratio(subject, whom, path, median=True)
    if fastest is None or medians is None:
        return "-"
    said = f"{fastest:.2f}x ({medians:.2f}x)"
    return f"**slower: {said}**" if min(fastest, medians) < 1 else said


def costs(subject) -> list[str]:
    """Versions, compile seconds, memory; what failed, and why."""
    lines = ["| contestant | version | compile, CPU s | peak MiB | note |"]
    lines.append("| --- | --- | ---: | ---: | --- |")
    for entry in entries_of(subject):
        memory = f"{entry.peak:.0f}" if entry.peak else "-"
        numbers = [f"{entry.compile:.1f}", memory] if entry.version else ["", ""]
        note = note_of(entry).replace("|", "/").replace("<", "&lt;")
        lines.append(_row([entry.peer, entry.version, *numbers, note]))
    return lines


def note_of(entry: Entry) -> str:
    """How right it is and by which setting, or why there is nothing."""
    errors = [error for error in entry.errors if isinstance(error, str)]
    numbers = [error for error in entry.errors if not isinstance(error, str)]
    note = entry.error or (errors[0] if errors else "")
    if not note and numbers:
        note = f"largest difference {max(numbers):.0e}"
    if entry.setting:
        note += f"; {entry.setting}"
    if entry.version and PEERS[entry.peer].caveat:
        note += f"; {PEERS[entry.peer].caveat}"
    if entry.host == "python" and entry.peer == DYCL:
        note += "; Python host"
    if entry.plain:
        note += f"; {len(entry.plain)} contractions in plain loops"
    return note


def plot(subject) -> str:
    """Bars for each path; wrong answers are left out."""
    groups = []
    for path, label in enumerate(subject["labels"]):
        found = [
            (entry.peer, entry.best(path) * 1e3)
            for entry in entries_of(subject)
            if entry.right(path) and entry.times[path]
        ]
        groups.append((label, found, subject["floors"][path] * 1e3))
    title = f"{subject['title']}: ms of one call, {threads_of(subject['threads'])}"
    return bars(title, groups, list(PEERS))


def _row(cells) -> str:
    return "| " + " | ".join(cells) + " |"
