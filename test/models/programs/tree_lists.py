"""Recursions over trees that give lists, or are given lists to add to them."""

from dataclasses import dataclass

import torch
from torch import nn

SIZE = 4


class Node:
    def __init__(self, value, word, children):
        self.value, self.word, self.children = value, word, children


class Fork:
    """Of a binary tree: both children are there, or none."""

    def __init__(self, value, word, left=None, right=None):
        self.value, self.word, self.left, self.right = value, word, left, right


def vector(seed):
    return torch.linspace(-1, 1, SIZE) * (seed % 5 - 2) + 0.1 * seed


def nodes(shape, seed=1):
    children = [nodes(item, 3 * seed + i) for i, item in enumerate(shape)]
    return Node(vector(seed), seed % 7, children)


def forks(shape, seed=1):
    """Two children for each pair: more or fewer items are folded to the right."""
    if not shape:
        return Fork(vector(seed), seed % 7)
    left, right = forks(shape[0], 2 * seed), forks(shape[1:], 2 * seed + 1)
    return Fork(vector(seed + 3), seed % 7, left, right)


class OfNodes(nn.Module):
    made = staticmethod(nodes)

    def __init__(self):
        super().__init__()
        self.fc, self.both = nn.Linear(SIZE, SIZE), nn.Linear(2 * SIZE, SIZE)


class OfForks(OfNodes):
    made = staticmethod(forks)


class Inorder(OfForks):
    """`left + [here] + right`, where the end is an empty list."""

    def around(self, node):
        if node is None:
            return []
        here = torch.tanh(self.fc(node.value))
        return self.around(node.left) + [here] + self.around(node.right)  # noqa: RUF005

    def forward(self, root):
        return torch.stack(self.around(root))


class Leaves(OfForks):
    """Lists of numbers, and a list beside a tensor."""

    def words(self, node):
        if node.left is None:
            return [node.word]
        return self.words(node.left) + self.words(node.right)

    def both_of(self, node):
        if node.left is None:
            return self.fc(node.value), [node.value]
        h, left = self.both_of(node.left)
        g, right = self.both_of(node.right)
        return torch.tanh(h - g), left + right

    def forward(self, root):
        h, values = self.both_of(root)
        return h * len(values), self.words(root), torch.cat(values)


class Preorder(OfNodes):
    """A list that what the recursion gives is put behind, in three ways."""

    def extended(self, node):
        out = [self.fc(node.value)]
        for child in node.children:
            out.extend(self.extended(child))
        return out

    def added(self, node):
        out = [node.word]
        for child in node.children:
            out += self.added(child)
        return out

    def listed(self, node):
        below = [x for child in node.children for x in self.listed(child)]
        return [*below, self.fc(node.value)]

    def forward(self, root):
        rows = torch.stack(self.extended(root))
        return rows, self.added(root), torch.stack(self.listed(root))


class Walked(OfNodes):
    """Two lists to add to, a number that counts, and paths that end early."""

    def walk(self, node, rows, depths, depth):
        h = self.fc(node.value)
        if h.sum() > 2:
            return 0
        rows.append(h)
        depths.append(depth)
        count = 1
        for child in node.children:
            count += self.walk(child, rows, depths, depth + 1)
        return count

    def forward(self, root):
        rows, depths = [torch.zeros(SIZE)], []
        count = self.walk(root, rows, depths, 0)
        return torch.stack(rows), depths, count


class Swapped(OfNodes):
    """Lists that change places from call to call."""

    def walk(self, node, even, odd):
        even.append(torch.tanh(self.fc(node.value)))
        for child in node.children:
            self.walk(child, odd, even)

    def forward(self, root):
        even, odd = [], [root.value]
        self.walk(root, even, odd)
        return torch.stack(even), torch.stack(odd)


class Composed(OfForks):
    """Calls that add to a list inside an expression, as losses at all nodes."""

    def walk(self, node, outs):
        if node.left is None:
            h = torch.relu(self.fc(node.value))
        else:
            sides = (self.walk(node.left, outs), self.walk(node.right, outs))
            h = torch.relu(self.both(torch.cat(sides)))
        outs.append(h.sum().unsqueeze(0))
        return h

    def forward(self, root):
        outs = []
        h = self.walk(root, outs)
        return h, torch.cat(outs)


class Returned(OfNodes):
    """The list that is given is given back, and goes on by both names."""

    def walk(self, node, out):
        out.append(self.fc(node.value))
        for child in node.children:
            out = self.walk(child, out)
        return out

    def forward(self, root):
        out = []
        same = self.walk(root, out)
        out.append(root.value)
        return torch.stack(same), len(same)


class Own(OfNodes):
    """Each call has a list of its own, which those inside of it add to."""

    def walk(self, node, out):
        mine = []
        for child in node.children:
            self.walk(child, mine)
        h = torch.tanh(self.fc(node.value) + len(mine))
        for one in mine:
            h = h + one
        out.append(h)

    def forward(self, root):
        out = []
        self.walk(root, out)
        return out[0]


class Measured(OfForks):
    """A recursion that gives a dict."""

    def measure(self, node):
        h, size, depth = self.fc(node.value), 1, 1
        if node.left is not None:
            left, right = self.measure(node.left), self.measure(node.right)
            h = h + left["h"] - right["h"]
            size = size + left["size"] + right["size"]
            depth = 1 + max(left["depth"], right["depth"])
        return {"h": torch.tanh(h), "size": size, "depth": depth}

    def forward(self, root):
        return self.measure(root)


@dataclass
class State:
    h: torch.Tensor
    size: int


class Recorded(OfNodes):
    """A recursion that gives a record."""

    def state(self, node):
        h, size = self.fc(node.value), 1
        for child in node.children:
            state = self.state(child)
            h, size = h + state.h / size, size + state.size
        return State(torch.tanh(h), size)

    def forward(self, root):
        state = self.state(root)
        return state.h, state.size


class Levels(OfNodes):
    """Level by level: a list of nodes is extended by the children of each."""

    def forward(self, root):
        level, h = [root], torch.zeros(SIZE)
        while level:
            below = []
            for node in level:
                h = h + self.fc(node.value)
                below.extend(node.children)
            h = torch.tanh(h)
            level = below
        return h


class Stack(OfNodes):
    """A stack of nodes instead of a recursion."""

    def forward(self, root):
        stack, h, count = [root], torch.zeros(SIZE), 0
        while stack:
            node = stack.pop()
            h = torch.tanh(h + self.fc(node.value))
            stack += node.children
            count += 1
        return h, count


class InTurn(OfForks):
    """Two functions call one another, with a state that is handed down and back."""

    def even(self, node, h):
        if node is None:
            return h, 0
        h, left = self.odd(node.right, torch.tanh(self.fc(h)))
        h, right = self.odd(node.left, h)
        return h + node.value, left + right + 1

    def odd(self, node, h):
        if node is None:
            return -h, 1
        h, left = self.even(node.left, h * 0.5)
        h, right = self.even(node.right, h)
        if h.max() > 0.5:
            return h, left
        return self.fc(h), right - left

    def forward(self, root):
        return self.even(root, torch.zeros(SIZE))


class Best(OfNodes):
    """The greatest score of all nodes, as a number, and how deep it was found."""

    def search(self, node, best, at, depth):
        score = torch.tanh(self.fc(node.value)).sum().item()
        if score > best:
            best, at = score, depth
        for child in node.children:
            best, at = self.search(child, best, at, depth + 1)
        return best, at

    def forward(self, root):
        best, at = self.search(root, -1e9, -1, 0)
        return self.fc(root.value) * best, at


PROGRAMS = (
    *(Inorder, Leaves, Preorder, Walked, Swapped, Composed, Returned, Own),
    *(Measured, Recorded, Levels, Stack, InTurn, Best),
)
