"""Dicts and sets whose keys the data decides."""

import bisect
import heapq
from collections import Counter, defaultdict

import torch
from torch import nn


def numbers(x):
    """As many as the data says, with some that are equal."""
    found = []
    while x.sum() < 3:
        x = x.abs() + 0.3
        found.append(int(x.argmax()))
        found.append(int(x.sum()))
    return found


class Counted(nn.Module):
    """Entries in the order in which they came, at a number of keys that is known."""

    def forward(self, x):
        counts = {}
        for key in (x[0].abs() * 2).long().tolist():
            counts[key] = counts.get(key, 0) + 1
        best = max(counts, key=counts.get)
        return counts, best, len(counts), list(counts.items())


class Found(nn.Module):
    """Asked, overwritten, taken out, and gone over while entries are set."""

    def forward(self, x):
        found = numbers(x)
        table = {1: 10}
        for at, key in enumerate(found):
            if key in table:
                table[key] += 1
            else:
                table[key] = at
        for key, value in table.items():
            table[key] = value * 2
        gone = table.pop(3, -1)
        table.setdefault(1, 7)
        table.setdefault(4, 8)
        table.update({2: 5})
        copy = dict(table)
        copy[9] = 9
        return table, gone, sorted(copy), sum(copy.values()), list(copy.keys())[-1]


class Displayed(nn.Module):
    """Two keys of a display that may be equal: then it has one entry, of both."""

    def forward(self, x):
        one, other = int(x[0].abs().sum()) % 2, int(x.abs().max()) % 2
        table = {one: 1, other: 2}
        known = {one: 3, 1: 4}
        return len(table), list(table), sum(table.values()), len(known), list(known)


class OfTexts(nn.Module):
    """`dict` of a Counter of texts, and what a text is one of."""

    def forward(self, x):
        table = dict(Counter(["a", "b", "a"]))
        name = "odd" if int(x[0].abs().sum()) % 2 == 1 else "even"
        kinds = isinstance(name, str), isinstance(name, (int, float, tuple))
        return table, table["a"], kinds, len(numbers(x))


class Missing(nn.Module):
    """`d[k]` and `del d[k]` of a key that is not there."""

    def forward(self, x):
        table = {}
        for at, key in enumerate(numbers(x)):
            table[key] = at
        if x.max() > 1:
            del table[2]
            return table
        return table[0], table


class Grown(nn.Module):
    """A loop over a dict that adds a key raises at the next one."""

    def forward(self, x):
        table = {}
        for key in numbers(x):
            table[key] = 1
        for key in table:
            table[key % 3] = 2
        return table


class Pairs(nn.Module):
    """Tuples as keys; the first of the most frequent."""

    def forward(self, x):
        found = [7, *numbers(x)]
        pairs = {}
        for pair in zip(found, found[1:]):  # noqa: B905, RUF007
            pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            return None
        best = max(pairs, key=pairs.get)
        order = sorted(pairs.items(), key=lambda item: -item[1])
        return best, pairs[best], order[0][0]


class Carried(nn.Module):
    """Each round makes a dict anew, of the one before."""

    def forward(self, x):
        scores = {int(x.argmin()): 1.0}
        while x.sum() < 3:
            x = x.abs() + 0.4
            new = {}
            for key, score in scores.items():
                for step in (0, 1):
                    to = (key + step * int(x.argmax())) % 5
                    new[to] = new.get(to, 0.0) + score * 0.5
            scores = new
        return scores


class Counters(nn.Module):
    def forward(self, x):
        found = numbers(x)
        counts, sums = Counter(found), defaultdict(int)
        for key in found:
            sums[key % 2] += key
        counts.update([1, 1, 8])
        return counts, counts[77], counts.most_common(2), sums


class Visited(nn.Module):
    """Sets: asked, added to, and compared."""

    def forward(self, x):
        seen, now = set(), int(x.argmax())
        steps = [1, 3, 3, 0]
        while now not in seen:
            seen.add(now)
            now = (now * steps[now] + 1) % 4
        both, big = set(numbers(x)), {2, 3}
        big.update(seen)
        both.discard(1)
        return (
            *(len(seen), seen, both | seen, len(both & seen), both - seen),
            *(both ^ big, seen <= big, both == seen, sorted(both), 2 in both),
        )


class Memo(nn.Module):
    """A tensor is computed once for each key."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        memo, out = {}, []
        for key in numbers(x):
            if key not in memo:
                memo[key] = self.fc(x + key)
            out.append(memo[key])
        return torch.stack(out).sum(0) if out else x


class Tallied(nn.Module):
    """Counted by an `if`, at keys that are the data's."""

    def forward(self, x):
        counts = {}
        for number in range(4):
            key = int(x[0, number].nan_to_num())
            if key in counts:
                counts[key] += 1
            else:
                counts[key] = 1
        best = max(counts, key=counts.get)
        return counts, best


class Elected(nn.Module):
    """Counted by an `if`, under names that the data chooses, with weights."""

    def forward(self, x):
        names = ["cat", "dog", "bird"]
        votes = {}
        for number in range(2):
            name = names[int(x[0, number : number + 3].argmax())]
            if name in votes:
                votes[name] = votes[name] + x[0, number]
            else:
                votes[name] = x[0, number]
        return votes, "dog" in votes


class Bisected(nn.Module):
    """Bisection, and the least and greatest."""

    def forward(self, x):
        found = numbers(x)
        order = []
        for number in found:
            bisect.insort(order, number)
        left, right = bisect.bisect_left(order, 2), bisect.bisect(order, 2)
        least = heapq.nsmallest(2, found)
        return order, left, right, least, heapq.nlargest(3, found, key=lambda n: n % 3)


PROGRAMS = (
    *(
        Bisected,
        Counted,
        Displayed,
        OfTexts,
        Found,
        Missing,
        Grown,
        Pairs,
        Carried,
        Counters,
        Visited,
        Memo,
        Tallied,
        Elected,
    ),
)


class TensorKeys(nn.Module):
    """Each tensor is a key of its own, though they are equal."""

    def forward(self, x):
        table = {}
        for part in x[0]:
            table[part] = 1
        return len(table)


class GoneOver(nn.Module):
    """In which order is Python's own affair."""

    def forward(self, x):
        total = 0
        for key in set(numbers(x)):
            total = total * 2 + key
        return total


REFUSED = {
    TensorKeys: ("DY301", "a tensor for a key", "table[part] = 1"),
    GoneOver: ("DY308", "the order of a set", "set(numbers(x))"),
}
