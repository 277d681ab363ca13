"""A Tree-LSTM over the parse of a sentence that skims what matters little.

Input: word ids 1x7 int64; result: logits 1x5. The tree is nested tuples, known when the
network is built; a node first looks at the mean of its words and decides whether to
read its children one by one. Tai et al., ACL 2015 (binary Tree-LSTM).
"""

import torch
from torch import nn

PARSE = ((0, 1), ((2, (3, 4)), (5, 6)))
"""Word positions; a pair is a node."""


def words_of(tree):
    """The positions below a node, from left to right."""
    if isinstance(tree, int):
        return [tree]
    left, right = tree
    return words_of(left) + words_of(right)


class BinaryTreeLSTM(nn.Module):
    """The state of a node from the states of its two children."""

    def __init__(self, dim):
        super().__init__()
        self.leaf = nn.Linear(dim, 2 * dim)
        self.gates = nn.Linear(2 * dim, 5 * dim)

    def read_word(self, word):
        output, update = self.leaf(word).chunk(2, dim=-1)
        cell = torch.tanh(update)
        return torch.sigmoid(output) * torch.tanh(cell), cell

    def compose(self, left, right):
        (left_hidden, left_cell), (right_hidden, right_cell) = left, right
        gates = self.gates(torch.cat([left_hidden, right_hidden], dim=-1))
        write, keep_left, keep_right, output, update = gates.chunk(5, dim=-1)
        cell = (
            torch.sigmoid(write) * torch.tanh(update)
            + torch.sigmoid(keep_left) * left_cell
            + torch.sigmoid(keep_right) * right_cell
        )
        return torch.sigmoid(output) * torch.tanh(cell), cell


class SkimmingTreeLSTM(nn.Module):
    """Embedding, the tree from its leaves to its root, a classifier."""

    def __init__(self, tree=PARSE, vocabulary=30, dim=8, classes=5):
        super().__init__()
        self.tree = tree
        self.embed = nn.Embedding(vocabulary, dim)
        self.cell = BinaryTreeLSTM(dim)
        self.skim = nn.Linear(dim, 1)
        self.classifier = nn.Linear(dim, classes)

    def encode(self, tree, words):
        if isinstance(tree, int):
            return self.cell.read_word(words[:, tree])
        summary = words[:, words_of(tree)].mean(dim=1)
        if self.skim(summary).item() > 0:
            return self.cell.read_word(summary)
        left, right = [self.encode(child, words) for child in tree]
        return self.cell.compose(left, right)

    def forward(self, ids):
        hidden, _ = self.encode(self.tree, self.embed(ids))
        return self.classifier(hidden)


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return SkimmingTreeLSTM().eval()


def example_inputs(seed=0):
    """Return seven random words."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(30, (1, 7), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(200)])]
