"""Networks whose inputs are nested tuples, lists and dicts, as parsers give them.

`made` of each makes an input of a shape: nested tuples, `()` for a leaf.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

SIZE = 4


def vector(seed):
    return torch.linspace(-1, 1, SIZE) * (seed % 5 - 2) + 0.1 * seed


def folded(shape, leaf, fork, seed=1):
    """Two children for each pair: more or fewer items are folded to the right."""
    if not shape:
        return leaf(seed)
    left = folded(shape[0], leaf, fork, 2 * seed)
    return fork(left, folded(shape[1:], leaf, fork, 2 * seed + 1), seed)


class Composed(nn.Module):
    """`(left, right)` with tensors, as a recursive autoencoder takes them."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2 * SIZE, SIZE)

    @staticmethod
    def made(shape):
        return folded(shape or ((),), vector, lambda left, right, _: (left, right))

    def node(self, tree):
        if isinstance(tree, tuple):
            left, right = tree
            both = torch.cat([self.node(left), self.node(right)])
            return torch.tanh(self.fc(both))
        return tree

    def forward(self, tree):
        return self.node(tree)


class Words(nn.Module):
    """Lists of words and lists, of any length: a mean of what is inside."""

    def __init__(self):
        super().__init__()
        self.table, self.fc = nn.Embedding(7, SIZE), nn.Linear(SIZE, SIZE)

    @staticmethod
    def made(shape, seed=1):
        def one(inner, seed):
            if not inner:
                return seed % 7
            return [one(item, 3 * seed + i) for i, item in enumerate(inner)]

        return [one(item, seed + i) for i, item in enumerate(shape)]

    def node(self, tree):
        if type(tree) is int:
            return self.table(torch.tensor(tree))
        if len(tree) == 0:
            return torch.zeros(SIZE)
        return torch.tanh(self.fc(torch.stack([self.node(t) for t in tree]).mean(0)))

    def depth(self, tree):
        if isinstance(tree, int):
            return 0
        found = 0
        for item in tree:
            found = max(found, self.depth(item))
        return found + 1

    def forward(self, tree):
        return self.node(tree), self.depth(tree)


class Tagged(nn.Module):
    """A text in front says what each tuple is, and which layer is for it."""

    def __init__(self):
        super().__init__()
        names = ("add", "mul")
        self.layers = nn.ModuleDict({n: nn.Linear(2 * SIZE, SIZE) for n in names})

    @staticmethod
    def made(shape):
        def fork(left, right, seed):
            if seed % 5 == 0:
                return "neg", left
            return "mul" if seed % 3 == 0 else "add", left, right

        return folded(shape, lambda seed: ("x", vector(seed)), fork)

    def node(self, tree):
        if tree[0] == "x":
            return tree[1]
        if tree[0] == "neg":
            return -self.node(tree[1])
        both = torch.cat([self.node(tree[1]), self.node(tree[2])])
        return torch.tanh(self.layers[tree[0]](both))

    def forward(self, tree):
        return self.node(tree)


class Matched(Tagged):
    """The same by `match`."""

    def node(self, tree):
        match tree:
            case ("x", x):
                return x
            case ("neg", one):
                return -self.node(one)
            case ("add" | "mul", left, right):
                return self.node(left) * 0.5 - self.node(right)
        raise ValueError("no such operation")


class Kinds(nn.Module):
    """Numbers, truths, texts and None side by side."""

    @staticmethod
    def made(shape):
        leaves = (3, 2.5, True, "x", None, False, "other")
        return folded(
            shape or ((),) * 8,
            lambda seed: leaves[seed % 7],
            lambda left, right, seed: [left, right] if seed % 2 else (left, right),
        )

    def total(self, tree):
        if tree is None:
            return 100.0
        if isinstance(tree, bool):
            return 1000.0 if tree else 2000.0
        if isinstance(tree, int):
            return tree * 2.0
        if isinstance(tree, float):
            return tree * 3.0
        if isinstance(tree, str):
            return 7.0 if tree == "x" else 8.0
        found = 0.5 if isinstance(tree, list) else 0.0
        for item in tree:
            found = found + self.total(item)
        return found * 0.5

    def forward(self, tree):
        return self.total(tree)


class Parsed(nn.Module):
    """Dicts, as `json.load` gives them; some have no weight or children."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, SIZE)

    @staticmethod
    def made(shape, seed=1):
        made = {"op": "sum" if seed % 2 else "max", "word": seed % 7}
        if seed % 3 == 0:
            made["weight"] = 0.25 * seed
        if shape:
            inner = [Parsed.made(item, 3 * seed + i) for i, item in enumerate(shape)]
            made["args"] = inner
        return made

    def node(self, tree):
        h = self.table.weight[tree["word"]]
        weight = tree.get("weight")
        if weight is not None:
            h = h * weight
        if "args" in tree:
            for inner in tree["args"]:
                y = self.node(inner)
                h = h + y if tree["op"] == "sum" else torch.maximum(h, y)
        return h

    def forward(self, tree):
        return self.node(tree)


@dataclass
class Call:
    """Of an expression: operands are numbers, vectors, calls, or not there."""

    name: str
    left: Any
    right: Any = None

    def calls(self):
        return 1 + sum_of(self.left) + sum_of(self.right)


def sum_of(operand):
    return operand.calls() if isinstance(operand, Call) else 0


class Evaluated(nn.Module):
    """Fields that hold a node, a number or a tensor; a method that calls itself."""

    @staticmethod
    def made(shape):
        def leaf(seed):
            return 0.5 * seed if seed % 3 == 0 else vector(seed)

        def fork(left, right, seed):
            if seed % 5 == 0:
                return Call("neg", left)
            return Call("+" if seed % 2 else "*", left, right)

        return folded(shape or ((),), leaf, fork)

    def value(self, operand):
        if isinstance(operand, float):
            return torch.full((SIZE,), operand)
        if not isinstance(operand, Call):
            return operand
        left = self.value(operand.left)
        if operand.name == "neg":
            return -left
        right = self.value(operand.right)
        return left + right if operand.name in ("+", "-") else left * right * 0.5

    def forward(self, root):
        return torch.tanh(self.value(root)), root.calls()


class Link(NamedTuple):
    value: torch.Tensor
    left: Any
    right: Any


class Taken(nn.Module):
    """Named tuples that are taken apart; children may be missing."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3 * SIZE, SIZE)

    @staticmethod
    def made(shape, seed=1):
        if not shape:
            return Link(vector(seed), None, None)
        right = Taken.made(shape[1:], 2 * seed + 1) if len(shape) > 1 else None
        return Link(vector(seed), Taken.made(shape[0], 2 * seed), right)

    def node(self, link):
        if link is None:
            return torch.zeros(SIZE)
        value, left, right = link
        rows = [value, self.node(left), self.node(right)]
        return torch.tanh(self.fc(torch.cat(rows))) + link[0]

    def forward(self, link):
        return self.node(link)


class Parse(nn.Module):
    """`(label, child, child ...)` with any number of children."""

    def __init__(self):
        super().__init__()
        self.table, self.fc = nn.Embedding(7, SIZE), nn.Linear(2 * SIZE, SIZE)

    @staticmethod
    def made(shape, seed=1):
        inner = (
            Parse.made(item, 3 * seed + i) if item else (seed + i) % 7
            for i, item in enumerate(shape)
        )
        return ("NP" if seed % 2 else "VP", *inner)

    def node(self, tree):
        if isinstance(tree, int):
            return self.table(torch.tensor(tree))
        h = torch.zeros(SIZE)
        for child in tree[1:]:
            h = torch.tanh(self.fc(torch.cat([h, self.node(child)])))
        return -h if tree[0] == "NP" else h

    def forward(self, tree):
        return self.node(tree)


class Edges(nn.Module):
    """Words, and the edges between them: one step of message passing."""

    def __init__(self):
        super().__init__()
        self.table, self.fc = nn.Embedding(7, SIZE), nn.Linear(SIZE, SIZE)

    @staticmethod
    def made(shape):
        count = len(shape) + 1
        edges = [(i, (2 * i + len(s)) % count) for i, s in enumerate(shape)]
        return {"words": [(3 * i) % 7 for i in range(count)], "edges": edges}

    def forward(self, graph):
        h = self.table(torch.tensor(graph["words"]))
        out = torch.zeros_like(h)
        for source, target in graph["edges"]:
            out[target] = out[target] + torch.tanh(self.fc(h[source]))
        return out.sum(0)


class Named(nn.Module):
    """Texts of the tree: compared, looked up, listed, formatted and returned."""

    def __init__(self):
        super().__init__()
        self.weights = {"ä": 1.5, "": 2.5}

    @staticmethod
    def made(shape, seed=1):
        inner = [Named.made(item, 3 * seed + i) for i, item in enumerate(shape)]
        words = ["x" * (i % 2) + "y" for i in range(seed % 4)]
        return {"name": ("ä", "")[seed % 2], "words": words, "inner": inner}

    def node(self, tree, above):
        total = self.weights[tree["name"]]
        for word in tree["words"]:
            total = total * 2 if word == "xy" else total + 1
        for inner in tree["inner"]:
            if inner["name"] == above:
                total = total + self.node(inner, tree["name"])
        return total

    def forward(self, tree):
        return tree["name"], f"<{tree['name']}>", self.node(tree, tree["name"])


class Pairs(nn.Module):
    """A list as Lisp has it, `(head, tail)`, by a loop that carries the tail."""

    @staticmethod
    def made(shape):
        result = None
        for number in range(len(shape) + sum(map(len, shape))):
            result = number % 5, result
        return result

    def forward(self, pair):
        total, count = 0, 0
        while pair is not None:
            head, tail = pair
            total = total * 3 + head if isinstance(head, int) else total
            pair, count = tail, count + 1
        return total, count


class Asked(nn.Module):
    """Truth of lists and numbers; an item that is read again behind its test."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, SIZE)

    @staticmethod
    def made(shape):
        return [Asked.made(item) if item else i % 3 for i, item in enumerate(shape)]

    def truth(self, tree):
        if isinstance(tree, list):
            if not tree:
                return -1
            found = 0
            for item in tree:
                found = found + self.truth(item)
            return found
        return tree if tree else 7

    def first(self, tree):
        if len(tree) == 0:
            return torch.ones(SIZE)
        if isinstance(tree[0], int) and tree[0] > 0:
            return self.table.weight[tree[0]]
        h = self.first(tree[0]) if not isinstance(tree[0], int) else torch.zeros(SIZE)
        return torch.tanh(h) + len(tree)

    def forward(self, tree):
        return self.truth(tree), self.first(tree)


class Trie:
    """Which tokens may come next."""

    def __init__(self, token, children):
        self.token, self.children = token, children


class Decoded(nn.Module):
    """Greedy decoding along a trie: the best of the children, up to a leaf."""

    def __init__(self):
        super().__init__()
        self.table, self.cell = nn.Embedding(7, SIZE), nn.Linear(2 * SIZE, SIZE)
        self.score = nn.Linear(SIZE, 7)

    @staticmethod
    def made(shape, seed=0):
        inner = [Decoded.made(item, 3 * seed + i + 1) for i, item in enumerate(shape)]
        return Trie(seed % 7, inner)

    def forward(self, node):
        h, tokens = torch.zeros(SIZE), []
        while len(node.children) > 0:
            scores = self.score(h)
            best = node.children[0]
            for child in node.children:
                if scores[child.token] > scores[best.token]:
                    best = child
            node = best
            tokens.append(node.token)
            row = self.table.weight[node.token]
            h = torch.tanh(self.cell(torch.cat([h, row])))
        return h, tokens


PROGRAMS = (
    *(Composed, Words, Tagged, Matched, Kinds, Parsed, Evaluated),
    *(Taken, Parse, Named, Asked, Pairs, Edges, Decoded),
)
