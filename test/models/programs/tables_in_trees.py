"""Networks over nodes that hold dicts: what is in them comes with the data.

`made` of each makes an input of a shape: nested tuples, `()` for a leaf.
"""

from dataclasses import dataclass, field

import torch
from torch import nn

SIZE = 4
WORDS = ("left", "right", "", "größer", "x y")


def vector(seed):
    return torch.linspace(-1, 1, SIZE) * (seed % 5 - 2) + 0.1 * seed


class Node:
    def __init__(self, value, children):
        self.value = value
        self.children = children

    def size(self):
        found = 1
        for child in self.children.values():
            found = found + child.size()
        return found


def by_words(shape, seed=1):
    children = {
        WORDS[(seed + number) % 5]: by_words(inner, 2 * seed + number)
        for number, inner in enumerate(shape)
    }
    return Node(vector(seed), children)


@dataclass
class Numbered:
    word: int
    after: dict[int, "Numbered"] | None = None


def by_numbers(shape, seed=1):
    if not shape and seed % 2:
        return Numbered(seed % 7)
    after = {
        seed % 3 - number: by_numbers(inner, 2 * seed + number)
        for number, inner in enumerate(shape)
    }
    return Numbered(seed % 7, after)


@dataclass
class Graded:
    """Numbers, tensors, lists of nodes and None by names."""

    marks: dict[str, float] = field(default_factory=dict)
    parts: dict[str, torch.Tensor] = field(default_factory=dict)
    groups: dict[str, list["Graded"]] = field(default_factory=dict)
    last: dict[str, "Graded | None"] = field(default_factory=dict)


def graded(shape, seed=1):
    made = [graded(inner, 2 * seed + n) for n, inner in enumerate(shape)]
    return Graded(
        {WORDS[n]: (seed + n) % 4 - 1.5 for n in range(seed % 4)},
        {WORDS[n]: vector(seed + n) for n in range(len(shape))},
        {WORDS[n % 2]: made[n:] for n in range(len(shape))},
        {"left": made[0] if made and seed % 3 else None} if seed % 2 else {},
    )


class Items(nn.Module):
    """`for name, child in node.children.items()`, with a layer for each name."""

    made = staticmethod(by_words)

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)
        self.table = nn.Embedding(3, SIZE)

    def forward(self, node):
        h = self.fc(node.value)
        for name, child in node.children.items():
            if name == "left":
                h = h + self(child)
            elif name in ("right", "größer"):
                h = h * self(child)
            else:
                h = h - self.table(torch.tensor(len(node.children) % 3)) - self(child)
        return torch.tanh(h)


class Asked(nn.Module):
    """Truth, `in`, `[]` and `get` of names that the program or the data knows."""

    made = staticmethod(by_words)

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)

    def walk(self, node, name):
        if not node.children:
            return self.fc(node.value)
        if name in node.children:
            return torch.tanh(self.walk(node.children[name], name) + node.value)
        child = node.children.get("right")
        if child is not None:
            return torch.sigmoid(self.walk(child, "left"))
        first, *_ = node.children
        return -self.walk(node.children[first], first)

    def forward(self, node):
        h = self.walk(node, "left")
        if "" in node.children and "left" not in node.children.keys():  # noqa: SIM118
            h = h + node.children[""].value
        return h, len(node.children), node.size()


class Numbers(nn.Module):
    """Ints as keys; None in the place of a dict."""

    made = staticmethod(by_numbers)

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, SIZE)

    def forward(self, node):
        h = self.table(torch.tensor(node.word))
        if node.after is None:
            return h
        for key in node.after:
            h = h * 0.5 + (key + 1) * self(node.after[key])
        if node.after:
            h = h + max(node.after) + sum(node.after.keys())
        return h / (1 + len(node.after)) + int(1 in node.after)


class Values(nn.Module):
    """Floats, tensors, lists and None by names."""

    made = staticmethod(graded)

    def forward(self, node):
        h = torch.zeros(SIZE)
        for name, mark in node.marks.items():
            h = h + mark
            if name in node.parts:
                h = h * node.parts[name]
        if len(node.parts) > 1:
            h = h + torch.stack(list(node.parts.values())).mean(0)
        for others in node.groups.values():
            for other in others:
                h = torch.tanh(h + self(other))
        last = node.last.get("left")
        if last is not None:
            h = h - self(last)
        elif "left" in node.last:
            h = h + 1
        total = 0.25
        for place, mark in enumerate(node.marks.values()):
            total = total + place * mark
        return h * total + node.marks.get("right", 0.5)


PROGRAMS = (Items, Asked, Numbers, Values)
