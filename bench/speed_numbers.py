"""What the pages of `bench.speed` say, as numbers: who is compared, and by how much."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from bench.contestant import Entry
from bench.peers import DIRECT, OURS, PEERS

DYCL = OURS[0]

AS_IT_IS, ANY, TRACES = "as it is", "of all", "trace per path"
"""Whom DyCL is compared with: peers that take the model as it is; those for which it
was rewritten by hand, too; networks of one path each, known beforehand."""


class Loss(NamedTuple):
    """A path on which a peer is faster, by its fastest call or by the median."""

    title: str
    label: str
    peer: str
    fastest: float
    median: float


def entries_of(subject) -> list[Entry]:
    """Those of a subject, as kept in the numbers."""
    return [Entry(**entry) for entry in subject["entries"]]


def rivals_of(subject, whom: str = ANY) -> list[str]:
    """The peers to compare with that were raced. A network that decides nothing is its
    own trace: there, traces count among all peers."""
    found = []
    for entry in entries_of(subject):
        peer = PEERS[entry.peer]
        if entry.peer in OURS:
            continue
        if whom == TRACES:
            fits = peer.straight
        elif peer.straight or peer.by_hand:
            fits = whom == ANY and (peer.by_hand or subject.get("plain", False))
        else:
            fits = True
        if fits:
            found.append(entry.peer)
    return found


def time_of(
    entries: list[Entry], peers: list[str], path: int, median: bool = False
) -> float | None:
    """The best right answer of some peers, seconds; None: there is none."""
    times = [
        entry.median(path) if median else entry.best(path)
        for entry in entries
        if entry.peer in peers and entry.right(path) and entry.times[path]
    ]
    return min(times, default=None)


def ratio(subject, whom: str, path: int, median: bool = False) -> float | None:
    """The best peer's time over ours; None: there is not both."""
    entries = entries_of(subject)
    ours = time_of(entries, [DYCL], path, median)
    best = time_of(entries, rivals_of(subject, whom), path, median)
    return None if ours is None or best is None else best / ours


def ratios(chosen, whom: str = ANY) -> list[float]:
    """Of each path of some subjects, by the fastest calls."""
    found = [
        ratio(subject, whom, path)
        for subject in chosen
        for path in range(len(subject["labels"]))
    ]
    return [each for each in found if each is not None]


def by_slice(subject, whom: str, path: int) -> list[float]:
    """The ratio of the fastest calls of each slice, where it was raced in several."""
    entries, peers = entries_of(subject), rivals_of(subject, whom)
    numbers = {
        number
        for entry in entries
        if entry.peer == DYCL and path < len(entry.slices)
        for number in entry.slices[path]
    }
    found = []
    for number in sorted(numbers) if len(numbers) > 1 else []:
        parts = [part for entry in entries if (part := _part(entry, path, number))]
        ours, best = time_of(parts, [DYCL], path), time_of(parts, peers, path)
        if ours is not None and best is not None:
            found.append(best / ours)
    return found


def _part(entry: Entry, path: int, number: int) -> Entry | None:
    """An entry with only the calls of one path in one slice."""
    if not entry.right(path) or path >= len(entry.slices):
        return None
    pairs = zip(entry.times[path], entry.slices[path], strict=True)
    times: list[list[float]] = [[] for _ in entry.times]
    times[path] = [seconds for seconds, place in pairs if place == number]
    return Entry(entry.peer, errors=entry.errors, times=times)


def losses(report) -> list[Loss]:
    """Where any peer is faster, traces told beforehand included; the largest first."""
    found = [loss for subject in report["subjects"].values() for loss in _of(subject)]
    return sorted(found, key=lambda loss: min(loss.fastest, loss.median))


def _of(subject) -> Iterator[Loss]:
    entries = entries_of(subject)
    peers = dict.fromkeys([*rivals_of(subject), *rivals_of(subject, TRACES)])
    for path, label in enumerate(subject["labels"]):
        for peer in peers:
            both = []
            for median in (False, True):
                ours = time_of(entries, [DYCL], path, median)
                theirs = time_of(entries, [peer], path, median)
                if ours is not None and theirs is not None:
                    both.append(theirs / ours)
            if both and min(both) < 1:
                yield Loss(title_of(subject), label, peer, *both)


def peak_share(subject, path: int, name: str = DYCL) -> float | None:
    """Nominal operations a second, as a share of the rate that was measured."""
    ours = time_of(entries_of(subject), [name], path)
    return None if ours is None else subject["floors"][path] / ours


def direct_share(subject, path: int) -> float | None:
    """The same without Winograd, where that was raced."""
    return peak_share(subject, path, DIRECT)


def title_of(subject) -> str:
    """A subject's title, with its threads where they are several."""
    count = subject["threads"]
    return subject["title"] + (f", {threads_of(count)}" if count > 1 else "")


def threads_of(count: int) -> str:
    """In words."""
    return "one thread" if count == 1 else f"{count} threads"


def mean(values: list[float]) -> str:
    """The geometric mean as a factor."""
    if not values:
        return "-"
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}x"
