"""Methods and copies of lists whose length the data decides."""

import torch
from torch import nn


def numbers(x):
    found = []
    while x.sum() < 3:
        x = x.abs() + 0.4
        found.append(int(x.argmax()))
    return found, x


class Copies(nn.Module):
    """`[*l, x]`, sums, `list`, `copy` and slices are lists of their own."""

    def forward(self, x):
        found, x = numbers(x)
        more, other = [*found, 7], list(found)
        other.append(8)
        third = found.copy()
        third += [9]
        tail, rows = found[1:], [x, *[x + i for i in found]]
        found.append(5)
        both = [3, 4] + found  # noqa: RUF005
        both[0], both[-1] = both[-1], both[0]
        for n in list(found):
            found.append(n + 1)
        return found, more, other, third, tail, found[:-1], both, torch.cat(rows)


class Stores(nn.Module):
    """Items set in a loop, under two names, and from the end."""

    def forward(self, x):
        found, x = numbers(x)
        same = found
        for i in range(len(found)):
            same[i] = found[i] * 2 + i
        found.append(1)
        same[-1] += 2
        rows = [x]
        while x.sum() < 5:
            x = x.abs() + 0.5
            rows.append(x)
        rows[0] = rows[-1] * 2
        return same, rows


class Removed(nn.Module):
    """Items taken from both ends, by place and by value."""

    def forward(self, x):
        found, x = numbers(x)
        found = found + [5, 6, 7, 2]  # noqa: RUF005
        k = int(x.argmax())
        first, one, last = found.pop(0), found.pop(-2), found.pop()
        found.insert(k, 11)
        found.insert(-1, 12)
        found.insert(99, 13)
        del found[-1]
        found.remove(11)
        n = len(found)
        gone = found.pop(k - 4)
        copy = found[:]
        found.clear()
        found.append(n)
        return first, one, last, found, copy, gone


class Stack(nn.Module):
    """A stack and a queue, which the data fills and empties."""

    def forward(self, x):
        stack, queue, y = [x], [(x, 0)], x
        while len(stack) > 0:
            t = stack.pop()
            y = torch.sin(y) + t
            if t.sum() > 0.5 and len(stack) < 4:
                stack.append(t * 0.3)
                stack.append(t * 0.2 - 0.1)
        while queue:
            t, depth = queue.pop(0)
            y = torch.sin(y) + t * depth
            if t.sum() > 0.5 and depth < 3:
                queue.append((t * 0.5, depth + 1))
                queue.insert(0, (t * 0.7 - 0.1, depth + 1))
        return y, queue


class Window(nn.Module):
    """The last three, one of them in a dict."""

    def forward(self, x):
        window, log = [x, x], {"last": []}
        while x.sum() < 3:
            x = x.abs() + 0.3
            window.append(x)
            window = window[-3:]
            log["last"].append(x)
            if len(log["last"]) > 2:
                log["last"].pop(0)
        return window, log


class Suppressed(nn.Module):
    """Boxes by score: one is taken, those beside it are dropped."""

    def forward(self, x):
        order, keep = x[0].argsort()[: int(x.argmax()) + 1].tolist(), []
        while len(order) > 0:
            i = order.pop()
            keep.append(i)
            order = [j for j in order if abs(j - i) > 1]
        return keep


class Folded(nn.Module):
    """`sum`, `any`, `all`, and the other way round; a sum of none is the start."""

    def forward(self, x):
        found, x = numbers(x)
        rows = [x * 0.5 + n for n in found]
        halves = [n / 2 for n in found]
        total = sum(row.sum() for row in rows)
        some = any(n > 2 for n in found), all(n > 0 for n in found), any(found)
        return sum(found), sum(rows, x), total, sum(halves), some, rows[::-1]


def raising(name, change):
    """A network in which a change of a list fails for some inputs."""

    def forward(self, x):
        found, _ = numbers(x)
        change(found)
        return found

    return type(name, (nn.Module,), {"forward": forward})


def store(found):
    found[2] = 1


def delete(found):
    del found[-2]


def in_the_middle(found):
    found.append(1)
    found.pop(2)


class WhileGoneOver(nn.Module):
    """Python would skip items."""

    def forward(self, x):
        found, x = numbers(x)
        for n in found:
            if n > 2:
                found.remove(n)
        return found


class EitherOfTwo(nn.Module):
    def forward(self, x):
        found, x = numbers(x)
        other = list(found)
        if x.sum() > 4:
            other.append(5)
        else:
            other = found
        other.append(6)
        return found, other


PROGRAMS = (
    Copies,
    Stores,
    Removed,
    Stack,
    Window,
    Suppressed,
    Folded,
    raising("PopOfNone", lambda found: found.pop()),
    raising("RemoveOfNone", lambda found: found.remove(3)),
    raising("StoreOutside", store),
    raising("DeleteOutside", delete),
    raising("PopOutside", in_the_middle),
)
REFUSED = {
    WhileGoneOver: ("DY205", "changes a list or dict", "found.remove(n)"),
    EitherOfTwo: ("DY205", "changes a list or dict", "found.append(int("),
}
