"""Networks whose inputs are trees, lists and graphs of the user's classes.

`made` of each makes an input of a shape: nested tuples, `()` for a leaf.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

SIZE = 4


class Node:
    """Of a binary tree; it has neither a value nor children where it is None."""

    def __init__(self, value=None, left=None, right=None, word=None):
        self.value, self.left, self.right, self.word = value, left, right, word

    @property
    def is_leaf(self):
        return self.left is None

    def height(self):
        if self.is_leaf:
            return 0
        return 1 + max(self.left.height(), self.right.height())

    def below(self, weight, depth=0):
        if self.left is None:
            return self.value * (weight + depth)
        left = self.left.below(weight * 2, depth + 1)
        return left - self.right.below(weight, depth=depth + 2)

    def levels(self):
        return 1 if self.is_leaf else 2

    def times(self, by=3, word=1):
        return by * word


class Word:
    """Of a tree with any number of children, which lead back to it."""

    __slots__ = ("children", "parent", "text", "value")

    def __init__(self, value, children):
        self.value, self.children, self.text, self.parent = value, children, "", None
        for child in children:
            child.parent = self


@dataclass
class Leaf:
    word: int


@dataclass
class Fork:
    left: Any
    right: Any


class Link(NamedTuple):
    value: torch.Tensor
    rest: Any


class State:
    """Of a graph: where its edges lead, and a weight for each."""

    __slots__ = ("edges", "final", "value", "weights")

    def __init__(self, value, final):
        self.value, self.final = value, final
        self.edges, self.weights = [], []


def vector(seed):
    return torch.linspace(-1, 1, SIZE) * (seed % 5 - 2) + 0.1 * seed


def binary(shape, seed=1):
    """Two children for each pair: more or fewer items are folded to the right."""
    if not shape:
        return Node(vector(seed), word=None if seed % 3 == 0 else seed % 7)
    left = binary(shape[0], 2 * seed)
    return Node(None, left, binary(shape[1:], 2 * seed + 1), word=seed % 7)


class Binary(nn.Module):
    """A binary Tree-LSTM."""

    made = staticmethod(binary)

    def __init__(self):
        super().__init__()
        self.leaf, self.gates = nn.Linear(SIZE, 2 * SIZE), nn.Linear(8, 20)

    def node(self, node):
        if node.left is None:
            c, o = self.leaf(node.value).chunk(2)
            return torch.sigmoid(o) * torch.tanh(c), c
        lh, lc = self.node(node.left)
        rh, rc = self.node(node.right)
        i, fl, fr, o, u = self.gates(torch.cat([lh, rh])).chunk(5)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(fl) * lc + torch.sigmoid(fr) * rc
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, root):
        return self.node(root)


class Autoencoder(nn.Module):
    """A recursive one: what it encodes two children as, it decodes, and compares."""

    made = staticmethod(binary)

    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Linear(8, SIZE), nn.Linear(SIZE, 8)

    def encode(self, node):
        if node.left is None:
            return node.value, torch.zeros(())
        left, a = self.encode(node.left)
        right, b = self.encode(node.right)
        both = torch.cat([left, right])
        code = torch.tanh(self.down(both))
        return code, a + b + ((self.up(code) - both) ** 2).sum()

    def forward(self, root):
        code, error = self.encode(root)
        return code, error


class Words(nn.Module):
    """Numbers that may be missing; nodes that may be missing are handed on."""

    made = staticmethod(binary)

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, SIZE)

    def total(self, node, depth):
        if node is None:
            return torch.zeros(SIZE)
        word = node.word
        if word is None:
            x = torch.full((SIZE,), -1.0)
        else:
            x = self.table(torch.tensor(word)) * (word + depth)
        if depth >= 2 and x.sum() > 0:
            return x
        return x + self.total(node.left, depth + 1) - self.total(node.right, depth + 1)

    def forward(self, root):
        return self.total(root, 0)


def words(shape, seed=1):
    children = [words(item, 3 * seed + i) for i, item in enumerate(shape)]
    return Word(vector(seed), children)


class ChildSum(nn.Module):
    """A child-sum Tree-LSTM; children lead back to their parents, which it ignores."""

    made = staticmethod(words)

    def __init__(self):
        super().__init__()
        self.ioux, self.iouh = nn.Linear(SIZE, 12), nn.Linear(SIZE, 12, bias=False)
        self.fx, self.fh = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE, bias=False)

    def node(self, node):
        h_sum, fc = torch.zeros(SIZE), torch.zeros(SIZE)
        for child in node.children:
            h, c = self.node(child)
            h_sum = h_sum + h
            fc = fc + torch.sigmoid(self.fx(node.value) + self.fh(h)) * c
        i, o, u = (self.ioux(node.value) + self.iouh(h_sum)).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u) + fc
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, root):
        h, _ = self.node(root)
        return h


class Stacked(ChildSum):
    """What the recursion gives for each child, in a list."""

    def node(self, node):
        rows = [self.node(child)[0] for child in node.children]
        if len(rows) == 0:
            return torch.tanh(self.fx(node.value)), len(rows)
        return torch.tanh(torch.stack(rows).sum(0) + self.fh(node.value)), len(rows)

    def forward(self, root):
        return self.node(root)


class Summed(ChildSum):
    """Sums and the like over what the recursion gives, whether there are any or not."""

    def node(self, node):
        total = sum(self.node(child) for child in node.children)
        return torch.tanh(self.fx(node.value) + total)

    def height(self, node):
        if not node.children:
            return 1
        return 1 + max(self.height(child) for child in node.children)

    def count(self, node):
        return 1 + sum(self.count(child) for child in node.children)

    def forward(self, root):
        return self.node(root), self.height(root), self.count(root)


class Pairs(ChildSum):
    """States that are pairs, in a list, and turned around."""

    def node(self, node):
        x = self.fx(node.value)
        states = [self.node(child) for child in node.children]
        if not states:
            return torch.tanh(x), torch.sigmoid(x)
        hs, cs = zip(*states, strict=True)
        cell = torch.stack(cs).max(0)[0]
        return torch.tanh(self.fh(torch.stack(hs).sum(0)) + x), cell

    def forward(self, root):
        return self.node(root)


class Joined(ChildSum):
    """What is longer the more leaves there are."""

    def node(self, node):
        if not node.children:
            return torch.tanh(self.fx(node.value))
        parts = [self.node(child) for child in node.children]
        return torch.cat(parts) + node.value.sum()

    def forward(self, root):
        return self.node(root).sum()


class Gathered(ChildSum):
    """States in two lists, which a loop goes over together; rows joined to a list."""

    def node(self, node):
        hs, cs = [], []
        for child in node.children:
            h, c, _ = self.node(child)
            hs.append(h)
            cs.append(c)
        h_sum = torch.stack(hs).sum(0) if hs else torch.zeros(SIZE)
        i, o, u = (self.ioux(node.value) + self.iouh(h_sum)).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u)
        for hk, ck in zip(hs, cs, strict=False):
            c = c + torch.sigmoid(self.fx(node.value) + self.fh(hk)) * ck
        return torch.sigmoid(o) * torch.tanh(c), c, node.value

    def rows(self, node):
        here = torch.tanh(self.fx(node.value)).unsqueeze(0)
        return torch.cat([here] + [self.rows(child) for child in node.children])

    def width(self, node):
        return 1 + max(0, 0, *[self.width(child) for child in node.children])

    def forward(self, root):
        return self.node(root)[0], self.rows(root), self.width(root)


class Largest(nn.Module):
    """The largest of the children, the first of them, and how many there are."""

    made = staticmethod(words)

    def node(self, node):
        if len(node.children) == 0:
            return node.value
        x = node.children[0].value
        for child in node.children:
            x = torch.maximum(x, self.node(child))
        return torch.tanh(x) * len(node.children)

    def forward(self, root):
        return self.node(root)


def classes(shape, seed=1):
    if not shape:
        return Leaf(seed % 7)
    return Fork(classes(shape[0], 2 * seed), classes(shape[1:], 2 * seed + 1))


class Classes(nn.Module):
    """Nodes of two classes."""

    made = staticmethod(classes)

    def __init__(self):
        super().__init__()
        self.table, self.fc = nn.Embedding(7, SIZE), nn.Linear(8, SIZE)

    def node(self, node):
        if isinstance(node, Leaf):
            return self.table.weight[node.word]
        both = torch.cat([self.node(node.left), self.node(node.right)])
        return torch.tanh(self.fc(both))

    def forward(self, root):
        return self.node(root)


def links(shape, seed=1):
    """A list with an item for each of the shape."""
    result = None
    for number, _ in enumerate(shape):
        result = Link(vector(seed + number), result)
    return result


class Folded(nn.Module):
    """A list, by recursion up to its end."""

    made = staticmethod(links)

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)

    def fold(self, link):
        if link is None:
            return torch.zeros(SIZE)
        return torch.tanh(self.fc(link.value) + self.fold(link.rest))

    def forward(self, link):
        return self.fold(link)


class Walked(Folded):
    """The same list by a loop, and how long it is."""

    def forward(self, link):
        h, count = torch.zeros(SIZE), 0
        while link is not None:
            h = torch.tanh(self.fc(link.value) + h)
            link, count = link.rest, count + 1
        return h, count


def graph(shape, seed=1):
    """States in a ring; each has an edge to the next, and one to the first."""
    states = [State(vector(seed + i), i == len(shape)) for i in range(len(shape) + 1)]
    for number, state in enumerate(states):
        state.edges = [states[(number + 1) % len(states)], states[0]]
        state.weights = [1.5, 0.5 * number]
    return states[0]


class Graph(nn.Module):
    """A walk along the edges of a graph that has rings, of at most six steps."""

    made = staticmethod(graph)

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)

    def forward(self, state):
        h, steps = torch.zeros(SIZE), 0
        while steps < 6 and not state.final:
            h = torch.tanh(self.fc(h) + state.value)
            total = 0.0
            for weight in state.weights:
                total = total + weight
            h = h * total
            state = state.edges[0] if h.sum() > 0 else state.edges[1]
            steps = steps + 1
        return h + state.value


@dataclass
class Named:
    value: torch.Tensor
    name: str | None
    count: int | None
    children: list[Any]


def named(shape):
    children = [named(one) for one in shape]
    depth = 1 + max((one.value[0] for one in children), default=0)
    place = int(depth) + len(shape)
    names, counts = (None, "x", "y", ""), (None, 3, 0)
    value = torch.ones(SIZE) * depth
    return Named(value, names[place % 4], counts[place % 3], children)


class Names(nn.Module):
    """None equals no text and no number, and is false; nothing raises."""

    made = staticmethod(named)

    def forward(self, node):
        h = node.value * 2
        if node.name == "x":
            h = h + 1
        if node.name not in ("y", ""):
            h = h * 3
        if node.count != 3:
            h = h + 10
        if node.count:
            h = h - 7
        if not node.name:
            h = h + 100
        for child in node.children:
            if child.name == node.name:
                h = h + 0.25
            h = h + self.forward(child)
        return h


class Methods(nn.Module):
    """A property, methods with arguments, and a method that calls a property."""

    made = staticmethod(binary)

    def node(self, node):
        if node.is_leaf:
            return node.value
        children = self.node(node.left) - 0.5 * self.node(node.right)
        return torch.tanh(children) * (node.levels() + node.times(word=2))

    def forward(self, root):
        return self.node(root), root.levels()


class Heights(nn.Module):
    """Methods that call themselves: one with a number that changes, one with a sum."""

    made = staticmethod(binary)

    def forward(self, root):
        return root.below(0.5) * root.height()


class Shape:
    """The base of two classes, with what they have in common."""

    weight = 0.5
    """Of all nodes that have none of their own."""

    def area(self):
        raise NotImplementedError

    @property
    def sides(self):
        return 0


class Square(Shape):
    def __init__(self, value):
        self.value = value

    def area(self):
        return self.value * self.value


class Group(Shape):
    def __init__(self, *parts):
        self.parts = parts

    def area(self):
        return torch.full((SIZE,), -1.0) * len(self.parts)

    @property
    def sides(self):
        return len(self.parts)


class Lonely:
    """No Shape, and without an area."""

    def __init__(self, value):
        self.value = value


def drawn(shape, seed=1):
    if not shape:
        return Square(vector(seed))
    made = Group(*(drawn(item, 3 * seed + i) for i, item in enumerate(shape)))
    if seed % 2 == 0:
        made.weight = 0.25 * seed
    return made


class Areas(nn.Module):
    """Which of several methods is called, the node says; `isinstance` of a base."""

    made = staticmethod(drawn)

    def total(self, node):
        total = node.area() * node.weight
        if isinstance(node, Group):
            for part in node.parts:
                total = total + self.total(part) * part.sides
        return total

    def forward(self, root):
        assert isinstance(root, Shape)
        assert not isinstance(root, Lonely)
        return torch.tanh(self.total(root)) + root.sides, root.sides


PROGRAMS = (
    *(Methods, Names, Areas, Heights, Stacked, Summed, Pairs, Joined, Gathered),
    *(Binary, Autoencoder, Words, ChildSum, Largest, Classes, Folded, Walked, Graph),
)
