"""Models as they are written for `torch.export`: decisions are `torch.cond`."""

import torch
from torch import nn


class Gate(nn.Module):
    """Both branches read parameters, a buffer and a constant around them."""

    def __init__(self):
        super().__init__()
        self.low, self.high = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("shift", torch.tensor([0.5, -0.5, 0.25, 0.0]))

    def forward(self, x):
        scale = torch.tensor([1.0, 2.0, 3.0, 4.0])
        y = torch.cond(
            x.sum() > 0,
            lambda x: self.high(x) + self.shift,
            lambda x: torch.relu(self.low(x)) * scale,
            (x,),
        )
        return {"y": y, "shift": self.shift * 2}


class Nested(nn.Module):
    """A decision in each branch of a decision."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def positive(self, x):
        return torch.cond(
            x.max() > 2, lambda x: self.parts[0](x), lambda x: self.parts[1](x), (x,)
        )

    def negative(self, x):
        return torch.cond(
            x.min() < -2, lambda x: self.parts[2](x).exp(), lambda x: x.tanh(), (x,)
        )

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.positive, self.negative, (x,)) + 1


class SeveralResults(nn.Module):
    """Branches with several results, and a nested structure to return."""

    def forward(self, x):
        large, index = torch.cond(
            x.abs().sum() > 4,
            lambda x: (x / 2, x.argmax(-1)),
            lambda x: (x * 2, x.argmin(-1)),
            (x,),
        )
        return [large, (index, None, 3)], {"n": 0.5, "last": [large.sum()]}


class Doubling(nn.Module):
    """A loop that carries an int and two tensors, and reads one around it."""

    def forward(self, x):
        step = x.abs() + 0.5

        def small(count, y, total):
            return y.abs().sum() < 20

        def double(count, y, total):
            return count + 1, y * 2 + step, total + y.sum()

        return torch.while_loop(small, double, (0, x, x.sum()))


class Halting(nn.Module):
    """A decision inside a loop, with parameters in both of its branches."""

    def __init__(self):
        super().__init__()
        self.more, self.less = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        def step(i, y):
            y = torch.cond(
                y.sum() > 0,
                lambda y: torch.tanh(self.more(y)) - 0.5,
                lambda y: torch.tanh(self.less(y)) + 0.5,
                (y,),
            )
            return i + 1, y

        i, y = torch.while_loop(lambda i, y: i < 6, step, (torch.tensor(0), x))
        return y, i


class LoopInBranch(nn.Module):
    """A loop in one branch of a decision."""

    def forward(self, x):
        def shrink(x):
            (y,) = torch.while_loop(
                lambda y: y.abs().max() > 0.5, lambda y: (y / 2,), (x,)
            )
            return y

        return torch.cond(x.sum() > 0, shrink, lambda x: x - 1, (x,))


class InPlace(nn.Module):
    """Updates in place and through views, which the export keeps."""

    def forward(self, x):
        y = x * 1
        y.add_(1)
        first = y[0]
        first.mul_(2)
        weights = torch.tensor([1.0, 2.0, 3.0, 4.0])
        weights += 1
        y = torch.cond(y.mean() > 1, lambda y: y * 2, lambda y: y - 1, (y,))
        return y @ weights


class Layers(nn.Module):
    """Layers that torch.export keeps whole, one of them behind a decision."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 3, 3, padding=1)
        self.norm = nn.BatchNorm1d(3)
        self.mix = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Dropout())
        self.attend = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x.unsqueeze(0))))
        y = self.attend(y, y, y)[0]
        y = torch.cond(y.mean() > 0, self.mix, lambda y: y + 1, (y,))
        return torch.softmax(y.flatten(1), -1)


class NoGradient(nn.Module):
    """`torch.no_grad` becomes a graph of its own."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: self.fc(x), lambda x: x.cos(), (x,))
        with torch.no_grad():
            z = y.sum() + self.fc.weight.sum()
        return y * z


class Numbers(nn.Module):
    """Numbers read from tensors, computed with and returned."""

    def forward(self, x):
        i = x.argmax().item()
        y = torch.cond(i > 1, lambda x: x + 1, lambda x: x - 1, (x,))
        return y * i, i * 2 + 1, (x.sum() + 7).item()


PROGRAMS = [
    Gate,
    Nested,
    SeveralResults,
    Doubling,
    Halting,
    LoopInBranch,
    InPlace,
    Layers,
    NoGradient,
    Numbers,
]
