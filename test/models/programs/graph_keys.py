"""Walks that keep what they know of a node under the node, or under `id(node)`."""

from collections import deque

import torch
from torch import nn

SIZE = 4


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)


class ById(Network):
    def visit(self, node, memo):
        if id(node) in memo:
            return memo[id(node)]
        h = self.fc(node.value)
        for child in node.children:
            h = h + self.visit(child, memo)
        h = torch.tanh(h)
        memo[id(node)] = h
        return h

    def forward(self, root):
        memo = {}
        return self.visit(root, memo), len(memo)


class ByGet(Network):
    """`get` gives None where there is no entry yet; numbers are kept."""

    def depth(self, node, memo):
        known = memo.get(node)
        if known is not None:
            return known
        depth = 1
        for child in node.children:
            depth = max(depth, 1 + self.depth(child, memo))
        memo[node] = depth
        return depth

    def forward(self, root):
        return self.depth(root, {}) * self.fc(root.value)


class InOrder(Network):
    """Keys are gone over as they came, and are the nodes themselves."""

    def visit(self, node, states, sums):
        if node in states:
            return
        h = self.fc(node.value)
        states[node] = h
        for child in node.children:
            self.visit(child, states, sums)
            h = h + sums[child]
        sums[node] = torch.tanh(h)

    def forward(self, root):
        states, sums = {}, {}
        self.visit(root, states, sums)
        h = torch.zeros(SIZE)
        for node, state in states.items():
            h = torch.tanh(h + state) + node.value
        return h, torch.stack(list(sums.values()))


class Sorted(Network):
    """Children first, by a set of those that were seen; then states by place."""

    def sort(self, node, order, seen):
        key = id(node)
        if key not in seen:
            seen.add(key)
            for child in node.children:
                self.sort(child, order, seen)
            order.append(node)

    def forward(self, root):
        order = []
        self.sort(root, order, set())
        places = {node: place for place, node in enumerate(order)}
        states = []
        for node in order:
            h = self.fc(node.value)
            for child in node.children:
                h = h + states[places[child]]
            states.append(torch.tanh(h))
        return states[-1], len(order)


class Counted(Network):
    def count(self, node, seen):
        if id(node) in seen:
            return 0
        seen.add(id(node))
        return 1 + sum(self.count(child, seen) for child in node.children)

    def forward(self, root):
        return self.fc(root.value) * self.count(root, set())


class Breadth(Network):
    def forward(self, root):
        waiting, seen, h = deque([root]), {root}, torch.zeros(SIZE)
        while waiting:
            node = waiting.popleft()
            h = torch.tanh(self.fc(node.value) + h)
            for child in node.children:
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return h


class Postponed(Network):
    """A stack of its own: a node is done when its children are."""

    def forward(self, root):
        stack, states = [(root, False)], {}
        while stack:
            node, is_open = stack.pop()
            if is_open:
                h = self.fc(node.value)
                for child in node.children:
                    h = h + states[child]
                states[node] = torch.tanh(h)
            elif node not in states:
                stack.append((node, True))
                for child in node.children:
                    stack.append((child, False))
        return states[root]


PROGRAMS = (ById, ByGet, InOrder, Sorted, Counted, Breadth, Postponed)
