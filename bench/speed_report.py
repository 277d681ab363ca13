"""The pages of `bench.speed`: tables in Markdown and plots in SVG."""

import math
from pathlib import Path

from bench.contestant import Entry
from bench.peers import OURS, PEERS
from bench.svg import bars

DYCL = OURS[0]
GROUPS = {"small": "images of 32x32", "large": "images of 256x256"}


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


def entries_of(subject) -> list[Entry]:
    """Those of a subject, as kept in the numbers."""
    return [Entry(**entry) for entry in subject["entries"]]


def markdown(report) -> str:
    """The whole page."""
    lines = ["# Speed, path by path", ""]
    lines += [f"Written by `{report['command']}`; not to be edited.", ""]
    lines += [f"* {name}: {value}" for name, value in report["machine"].items()]
    lines += ["", *_explained(report), "", *summary(report), ""]
    lines += [*geomeans(report), ""]
    for key, subject in report["subjects"].items():
        threads = subject["threads"]
        lines += [f"## {subject['title']}, {_threads(threads)}", ""]
        lines += [f"![milliseconds of each path]({key.replace(' ', '-')}.svg)", ""]
        lines += [*table(subject), "", *costs(subject), ""]
        lines += gains(subject)
        if subject.get("remark"):
            lines += [subject["remark"], ""]
    return "\n".join(lines).rstrip()


def _explained(report) -> list[str]:
    clocks = {subject.get("clock", "wall") for subject in report["subjects"].values()}
    cpu = (
        "The machine was busy with other work: times of one thread are what the "
        "process used of the processor, and what is left of the noise is on all "
        "sides. "
    )
    return [
        (cpu if "cpu" in clocks else "")
        + "Milliseconds of one call, batch 1, f32: the fastest and, in brackets, the "
        "median, of all contestants called in turns on the same inputs. "
        "**wrong** stands where the answer is not eager's (by more than 0.1 percent "
        "of its largest value), and such a time counts for nothing. *By hand*: the "
        "model was rewritten with `torch.cond` or `while_loop` for that peer "
        "(`bench/rewrites`); the others take it as it is. *One path*: "
        "a straight line that was told beforehand which way it will go, and so no "
        "rival. The floor is the path's "
        "nominal operations at the measured multiply-add rate, and where a matrix "
        "meets a single row its weights, as eager reads them, at the bandwidth "
        "measured on a memory of the size of all weights of the path.",
    ]


def gains(subject) -> list[str]:
    """What threads could gain at most while the subject was raced."""
    found = subject.get("gains")
    if not found:
        return []
    said = (
        f"Multiply-adds out of registers, on {subject['threads']} processors at once, "
        f"before the race and after it: {found[0]:.2f}x to {found[-1]:.2f}x of one, "
        f"median {found[len(found) // 2]:.2f}x."
    )
    return [said, ""]


def geomeans(report) -> list[str]:
    """By group of subjects: ours against the best without and with a rewrite."""
    lines = ["| one path's geometric mean | against the best that takes the model as "]
    lines[0] += "it is | against the fastest of all | paths where we are slower |"
    lines.append("| --- | ---: | ---: | ---: |")
    for threads in sorted({s["threads"] for s in report["subjects"].values()}):
        for size, title in GROUPS.items():
            chosen = [
                subject
                for subject in report["subjects"].values()
                if subject["size"] == size and subject["threads"] == threads
            ]
            if not chosen:
                continue
            plain, all_peers = ratios(chosen, by_hand=False), ratios(chosen)
            slower = sum(ratio < 1 for ratio in all_peers)
            cells = [f"{title}, {_threads(threads)}", mean(plain), mean(all_peers)]
            lines.append(
                "| " + " | ".join([*cells, f"{slower} of {len(all_peers)}"]) + " |"
            )
    return lines


def rivals_of(entries: list[Entry], by_hand: bool = True) -> list[str]:
    """The peers to compare with; `by_hand`: those that want a rewrite too."""
    return [
        entry.peer
        for entry in entries
        if entry.peer not in OURS
        and not PEERS[entry.peer].straight
        and (by_hand or not PEERS[entry.peer].by_hand)
    ]


def summary(report) -> list[str]:
    """A row for each subject: what a reader wants who has no time for the tables."""
    heads = ["network", "DyCL, ms", "against the best that takes it as it is"]
    heads += ["against the fastest of all", "of its floor"]
    lines = [_row(heads), _row(["---", *["---:"] * (len(heads) - 1)])]
    for subject in report["subjects"].values():
        entries = entries_of(subject)
        paths = range(len(subject["labels"]))
        ours = [time_of(entries, [DYCL], path) for path in paths]
        if None in ours:
            lines.append(_row([_title(subject), "none", "", "", ""]))
            continue
        rivals, alone = rivals_of(entries), rivals_of(entries, by_hand=False)
        floors = [
            floor / time for floor, time in zip(subject["floors"], ours, strict=True)
        ]
        cells = [_title(subject), _span([time * 1e3 for time in ours], "")]
        cells += [_best(entries, alone, ours), _best(entries, rivals, ours)]
        cells += [_span([100 * share for share in floors], " %", 0)]
        lines.append(_row(cells))
    return lines


def _title(subject) -> str:
    threads = subject["threads"]
    return subject["title"] + (f", {_threads(threads)}" if threads > 1 else "")


def _span(values: list[float], unit: str, digits: int = 2) -> str:
    """The least and the most, or the one."""
    ends = dict.fromkeys(f"{v:.{digits}f}{unit}" for v in (min(values), max(values)))
    return " to ".join(ends)


def _best(entries: list[Entry], peers: list[str], ours: list[float]) -> str:
    """How much slower the best of some peers is on each path, and which it is."""
    factors, names = [], []
    for path, own in enumerate(ours):
        times = {peer: time_of(entries, [peer], path) for peer in peers}
        right = {peer: time for peer, time in times.items() if time is not None}
        if not right:
            return "-"
        best = min(right, key=lambda peer, right=right: right[peer])
        factors.append(right[best] / own)
        names.append(best)
    return f"{_span(factors, 'x')} ({', '.join(dict.fromkeys(names))})"


def ratios(chosen, by_hand: bool = True) -> list[float]:
    """Of each path of some subjects: the best peer's time over ours."""
    found = []
    for subject in chosen:
        entries = entries_of(subject)
        for path in range(len(subject["labels"])):
            ours = time_of(entries, [DYCL], path)
            best = time_of(entries, rivals_of(entries, by_hand), path)
            if ours is not None and best is not None:
                found.append(best / ours)
    return found


def time_of(entries: list[Entry], peers: list[str], path: int) -> float | None:
    """The fastest right answer of some peers, seconds; None: there is none."""
    times = [
        entry.best(path)
        for entry in entries
        if entry.peer in peers and entry.right(path) and entry.times[path]
    ]
    return min(times, default=None)


def mean(values: list[float]) -> str:
    """The geometric mean as a factor."""
    if not values:
        return "-"
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}x"


def table(subject) -> list[str]:
    """A row for each contestant, a column for each path."""
    entries = entries_of(subject)
    heads = ["contestant", "rewrite", *subject["labels"]]
    lines = [_row(heads), _row(["---", "---", *["---:"] * len(subject["labels"])])]
    for entry in entries:
        hand = "by hand" if PEERS[entry.peer].by_hand else ""
        hand = "one path" if PEERS[entry.peer].straight else hand
        cells = [cell(entry, path) for path in range(len(subject["labels"]))]
        if not any(entry.times):
            cells = ["none", *[""] * (len(cells) - 1)]
        lines.append(_row([entry.peer, hand, *cells]))
    floors = [f"{floor * 1e3:.2f}" for floor in subject["floors"]]
    lines.append(_row(["floor", "", *floors]))
    for title, by_hand in (("as it is", False), ("of all", True)):
        paths = range(len(subject["labels"]))
        cells = [_against(entries, path, by_hand) for path in paths]
        lines.append(_row([f"DyCL against the best {title}", "", *cells]))
    shares = []
    for path, floor in enumerate(subject["floors"]):
        ours = time_of(entries, [DYCL], path)
        shares.append("-" if ours is None else f"{100 * floor / ours:.0f} %")
    lines.append(_row(["DyCL, of its floor", "", *shares]))
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


def _against(entries: list[Entry], path: int, by_hand: bool) -> str:
    peers = rivals_of(entries, by_hand)
    ours, best = time_of(entries, [DYCL], path), time_of(entries, peers, path)
    if ours is None or best is None:
        return "-"
    bold = "**" if best < ours else ""
    return f"{bold}{best / ours:.2f}x{bold}"


def costs(subject) -> list[str]:
    """Versions, compile seconds, memory; what failed, and why."""
    lines = ["| contestant | version | compile, CPU s | peak MiB | note |"]
    lines.append("| --- | --- | ---: | ---: | --- |")
    for entry in entries_of(subject):
        errors = [error for error in entry.errors if isinstance(error, str)]
        numbers = [error for error in entry.errors if not isinstance(error, str)]
        note = entry.error or (errors[0] if errors else "")
        if not note and numbers:
            note = f"largest difference {max(numbers):.0e}"
        if entry.host == "python" and entry.peer == DYCL:
            note += "; Python host"
        if entry.plain:
            note += f"; {len(entry.plain)} contractions in plain loops"
        numbers = ["", ""]
        if entry.version:
            memory = f"{entry.peak:.0f}" if entry.peak else "-"
            numbers = [f"{entry.compile:.1f}", memory]
        note = note.replace("|", "/").replace("<", "&lt;")
        lines.append(_row([entry.peer, entry.version, *numbers, note]))
    return lines


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
    title = f"{subject['title']}: ms of one call, {_threads(subject['threads'])}"
    return bars(title, groups, list(PEERS))


def _threads(count: int) -> str:
    return "one thread" if count == 1 else f"{count} threads"


def _row(cells) -> str:
    return "| " + " | ".join(cells) + " |"
