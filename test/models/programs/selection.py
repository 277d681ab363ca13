"""Networks that choose modules, tensors and numbers by a key that the data gives."""

from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F


class Chooser(nn.Module):
    """`number` is the largest of four scores of the input: 0 to 3."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(4, 4)

    def number(self, x):
        return int(self.scores(x).argmax())


class Experts(Chooser):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)) for _ in range(4)
        )

    def forward(self, x):
        i = self.scores(x).argmax().item()
        return self.experts[i](x) + x


class ByTensor(Experts):
    def forward(self, x):
        return self.experts[self.scores(x).argmax()](x)


class FromTheEnd(Experts):
    def forward(self, x):
        return self.experts[-1 - self.number(x)](x), self.experts[self.number(x) - 2](x)


class TwoParts(Experts):
    """One element, used several times."""

    def forward(self, x):
        expert = self.experts[self.number(x)]
        hidden = expert[0](x)
        return expert[2](expert[1](hidden)) * len(expert)


class Block(nn.Module):
    def __init__(self, width, scale):
        super().__init__()
        self.inner, self.outer = nn.Linear(4, width, bias=False), nn.Linear(width, 4)
        self.scale = scale

    def forward(self, x):
        h = self.inner(x)
        if h.sum() > 0:
            return x * self.scale
        return self.outer(h)


class Blocks(Chooser):
    """Elements with a `forward`, attributes and decisions of their own."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)  # all blocks see sums of both signs
        self.scores = nn.Linear(4, 4)
        self.blocks = nn.Sequential(*(Block(2 + i, i + 0.5) for i in range(3)))

    def forward(self, x):
        block = self.blocks[self.number(x) % 3]
        return block(x) + block.scale


class OfFunctions(Chooser):
    def __init__(self):
        super().__init__()
        self.acts = [torch.tanh, F.relu, torch.sigmoid, F.gelu]
        self.names = ("sin", "cos", "tanh", "relu")

    def forward(self, x):
        i = self.number(x)
        return self.acts[i](x), getattr(torch, self.names[i])(x)


class Heads(Chooser):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({str(k): nn.Linear(4, 3) for k in range(2)})
        self.rest = nn.ModuleDict({f"head_{k}": nn.Linear(4, 3) for k in range(2, 4)})

    def forward(self, x):
        k = self.number(x)
        if str(k) in self.heads:
            return self.heads[str(k)](x).sum()
        return self.rest[f"head_{k}"](x).sum()


class Tables(Chooser):
    def __init__(self):
        super().__init__()
        self.by_number = {0: 1.5, 2: -2.0}
        self.by_name = {"low": 0.25, "high": 4.0}
        self.order = [3, 1, 0, 2]
        self.levels = ("low", "high", "high", "low")

    def forward(self, x):
        k = self.number(x)
        scale = self.by_number.get(k, 0.5) * self.by_name[self.levels[k]]
        if k in self.by_number:
            scale = scale + self.by_number[k]
        return x * scale, self.order[k]


class NamedBlocks(Chooser):
    def __init__(self):
        super().__init__()
        self.block0, self.block1 = nn.Linear(4, 4), nn.Linear(4, 4)
        self.block3 = nn.Linear(4, 4)

    def forward(self, x):
        k = self.number(x)
        if k == 2:
            return x
        return getattr(self, f"block{k}")(x)


class Outputs(Chooser):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))

    def forward(self, x):
        outputs, scores = [], []
        h = x
        for step in self.steps:
            h = step(h)
            outputs.append(h)
            scores.append(h.max())
        best = torch.stack(scores).argmax()
        return outputs[best], (x, h, h + x, h - x)[self.number(x)]


class Weights(Chooser):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList(torch.randn(4, 4) for _ in range(4))

    def forward(self, x):
        return x @ self.weights[self.number(x)]


class Stages(Chooser):
    """A loop over the modules of the chosen stage."""

    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList(
            nn.ModuleList(nn.Linear(4, 4) for _ in range(n)) for n in range(4)
        )

    def forward(self, x):
        for layer in self.stages[self.number(x)]:
            x = torch.relu(layer(x))
        return x


class InALoop(Chooser):
    """The chosen module of each iteration."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        steps = 0
        while steps < 4 and x.abs().sum() > 0.8:
            x = torch.tanh(self.experts[steps % 3](x)) * 0.9
            steps += 1
        return x, steps


class Rows(Chooser):
    """A loop over a tensor: each row chooses for itself."""

    def __init__(self):
        super().__init__()
        self.scales = (0.5, -1.0, 2.0, 3.0)

    def forward(self, x):
        rows = torch.cat([x, self.scores(x)])
        return [row * self.scales[int(row.argmax())] for row in rows]


class Widths(Chooser):
    """A part of the weight, as wide as the data says; the rest runs for each width."""

    def forward(self, x):
        width = (1, 2, 4, 4)[self.number(x)]
        y = F.linear(x[:, :width], self.scores.weight[:width, :width])
        return torch.relu(y) if width < 4 else y, width


class Kinds(Chooser):
    """What kind of module is chosen is known in each branch."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Block(2, 0.5), nn.Linear(4, 4), nn.Tanh()])

    def forward(self, x):
        part = self.parts[self.number(x) % 3]
        if isinstance(part, Block):
            return x * part.scale
        return part(x)


class Labels(Chooser):
    """Texts are returned, composed and used as keys."""

    labels = ("cat", "dog", "cow", "cat")

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({name: nn.Linear(4, 2) for name in self.labels})

    def forward(self, x):
        label = self.labels[self.number(x)]
        out = {"label": label, "all": [label, len(label)]}
        return out, self.heads[label](x), label.upper(), f"a {label}"


class Notes(Chooser):
    def forward(self, x):
        return {0: "small", 1: "loud", 2: None, 3: 4.5}[self.number(x)], x + 1


class Compared(Chooser):
    def forward(self, x):
        label = ("cat", "dog", "cow", "cat")[self.number(x)]
        if label == "dog":
            return x * 2
        return x + 1 if label != "cat" else x


class LastLabel(Chooser):
    """A loop hands a text on."""

    def forward(self, x):
        label = "none"
        while x.sum() < 3:
            label = ["low", "high", "flat", "steep"][self.number(x)]
            x = x.abs() + 0.5
        return label, x


class EitherModule(Chooser):
    """An `if` chooses the module, later code calls it."""

    def __init__(self):
        super().__init__()
        self.small, self.large = Block(2, 0.5), Block(6, 2.0)

    def forward(self, x):
        block = self.large if x.sum() > 0 else self.small
        y = self.scores(x)
        return block(y)


class Tokens(nn.Module):
    """A machine of states; its tokens are 0 to 2."""

    NEXT: ClassVar = {
        ("a", 1): "b",
        ("a", 2): "c",
        ("b", 1): "b",
        ("b", 2): "c",
        ("c", 1): "b",
    }

    def tokens(self, x):
        return (x.flatten()[:2].abs() * 2).long().clamp(max=2).tolist()


class Transitions(Tokens):
    def forward(self, x):
        state, steps, left = "a", 0, []
        for token in self.tokens(x):
            after = self.NEXT.get((state, token))
            if after is None:
                break
            state = after
            steps += 1
            left.append(state)
        return state, steps, left


class ByTuple(Tokens):
    def forward(self, x):
        first, second = self.tokens(x)
        return self.NEXT.get(("abc"[first], second), "none"), x


class Restarts(Tokens):
    """Both parts of a key are open, then one."""

    def forward(self, x):
        state, known = "a", 0
        for token in self.tokens(x):
            known += (state, token) in self.NEXT
            known += 10 * (("a", token) not in self.NEXT)
            if (state, token) in self.NEXT:
                state = self.NEXT[state, token]
            else:
                state = self.NEXT.get((state, 1), "c")
        return state, known


class OfLists(Tokens):
    """A table of lists: of what kind an item is says what the next lookup gives."""

    TABLE: ClassVar = [[0, 1, 2], [1, 1, 0], [2, 0, 0]]
    COSTS: ClassVar = {0: {0: 0.5, 1: 1.0}, 1: {0: 2.0, 1: -1.0}, 2: {0: 0.0, 1: 3.0}}

    def forward(self, x):
        state, cost = 0, 0.0
        for token in self.tokens(x):
            state = self.TABLE[state][token]
            cost += self.COSTS[state].get(token, 7.0)
        return state, cost


class OfTables(Tokens):
    """Modules under tuples."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)
        self.layers = {("a", 1): self.one, ("a", 2): self.two, ("b", 1): self.two}

    def forward(self, x):
        state = "a"
        for token in self.tokens(x):
            if (state, token) in self.layers:
                x = self.layers[state, token](x)
                state = "b" if token == 2 else "a"
        return x, state


class Missing(Tokens):
    def forward(self, x):
        state = "a"
        for token in self.tokens(x):
            state = self.NEXT[state, token]
        return state


class OutOfRange(Chooser):
    """Each lookup fails for some inputs."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.named = nn.ModuleDict({f"m{k}": nn.Linear(4, 4) for k in range(3)})
        self.scales = {0: 1.0, 1: 2.0}
        self.block1 = nn.Linear(4, 4)


def module_list(self, x):
    return self.steps[self.number(x)](x)


def module_list_from_the_end(self, x):
    return self.steps[-1 - self.number(x)](x)


def module_dict(self, x):
    return self.named[f"m{self.number(x)}"](x)


def numbers(self, x):
    return (5, 6)[self.number(x) - 3], x


def tensors(self, x):
    return [x, x + 1, x + 2][self.number(x)]


def tensors_in_an_order(self, x):
    return (x, x + 1, x + 2)[self.number(x)]


def unused(self, x):
    self.steps[self.number(x)]
    return x


def scales(self, x):
    return x * self.scales[self.number(x)]


def letters(self, x):
    return {"a": x, "b": x + 1, "c": x + 2}["abc"[self.number(x)]]


def labels(self, x):
    return ["a", "b", "c"][self.number(x)], {0: None, 1: "x", 2: 3}[self.number(x)]


def attribute(self, x):
    return getattr(self, f"block{self.number(x)}")(x)


def failing(function):
    """A model whose `forward` is the function."""
    return type(function.__name__, (OutOfRange,), {"forward": function})()


RAISING = [
    *(module_list, module_list_from_the_end, module_dict, numbers, tensors, unused),
    *(tensors_in_an_order, scales, letters, labels, attribute),
]

PROGRAMS = [
    Experts,
    ByTensor,
    FromTheEnd,
    TwoParts,
    Blocks,
    OfFunctions,
    Heads,
    Tables,
    NamedBlocks,
    Outputs,
    Weights,
    Stages,
    InALoop,
    EitherModule,
    Rows,
    Widths,
    Kinds,
    Labels,
    Notes,
    Compared,
    LastLabel,
    ByTuple,
]

MACHINES = [Transitions, Restarts, OfLists, OfTables]
