"""Programs whose control goes every way that a graph tree has to follow."""

import torch
from torch import nn


class Nested(nn.Module):
    """Loops in loops, left by break, continue and return."""

    def forward(self, x):
        n = 0
        while n < 5 and x.min() > -9:
            n += 1
            if x.sum() > 30:
                return x - 1, n
            y = x
            k = 0
            while y.max() < 4:
                k = k + 2
                y = y * 2 + 1
                if y.min() < -8:
                    break
                if k > 5:
                    return y, k
            x = x + y
            if x.max() > 9:
                continue
            x = x * 0.5
        return x, n


class Swaps(nn.Module):
    """Values that a loop hands on in a circle, and others that stay."""

    def forward(self, a, b, c):
        n = 0
        kept = a
        while a.sum() + b.sum() < 12 and n < 7:
            a, b, c = b, c, a + 1
            if n == 2:
                kept = b
            n += 1
        return a, b, c, kept, n


class Counts(nn.Module):
    """Numbers that kernels take, ints and floats, and what is made of them."""

    def forward(self, x):
        total, n = 0.0, 1
        while total < 6:
            total = total + abs(x.sum().item()) / n + 0.5
            n = n * 2 if total > 2 else n + 1
            x = x * n + total
        share = n // 3 + n % 3
        return x * share, total, n, -n, total > 7


class Experts(nn.Module):
    """One of three, by an index that the data decides."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for _ in range(2):
            x = self.experts[int(x.argmax())](x[:3].repeat(2)[:4])
        return x


class Raises(nn.Module):
    """Errors on some paths, a text on another one."""

    def forward(self, x):
        if x.sum() > 10:
            raise ValueError(f"too much: {x.max().item()}")
        y = x * 2
        if x.max() < 0:
            print("all below", x.max().item())
            y = y - 1
        assert y.min() > -50, "far too low"
        return y


class Chooses(nn.Module):
    """Tensors chosen without a computation, tests joined by `and` and `or`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("zero", torch.zeros(4))

    def forward(self, x):
        low, high = x.min() < 0, x.max() > 1
        y = x if low and not high else self.zero
        if (low or high) and x.sum() < 3:
            y, x = x, y
        return (y if high else x + 1), x


class Grows(nn.Module):
    """An int that leaves 64 bits, a division by zero."""

    def forward(self, x):
        n, steps = 3, 0
        while x.sum() > 0:
            n = n * n + 1
            x = x - 1
            steps += 1
        return x, n % 1000, 100 // (steps - 2)


class Many(nn.Module):
    """A path as long as the data says."""

    def forward(self, x):
        n = 0
        while x.sum() > 0:
            if n % 3 == 1:
                x = x - 0.5
            x = x - 0.25
            n += 1
        return n


class Early(nn.Module):
    """Functions that return early, called one in another."""

    def inner(self, x, sign):
        if x.sum() > sign:
            return x + sign
        if x.min() > 0:
            return x * 2
        while x.max() < 2:
            x = x + 1.5
            if x.sum() > 5:
                return -x
        return x

    def outer(self, x):
        y = self.inner(x, 3)
        if y.max() > 4:
            return y, 1
        return self.inner(y, 9), 2

    def forward(self, x):
        y, which = self.outer(x)
        return y + which, {"which": which, "sum": y.sum()}


class Flags(nn.Module):
    """A bool that is carried, tests of it, and a loop that counts down."""

    def forward(self, x, n: int, rate: float):
        done = False
        while not done:
            x = x * rate
            n = n - 1
            if n < 0:
                done = True
            elif x.max() > 8:
                x = x - 8
                done = bool(x.sum() > 0)
        return x, n, done


class Dispatches(nn.Module):
    """Experts of which some return, and what follows the others."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        i = int(x.argmax())
        if i == 0:
            return self.experts[0](x), i
        if i == 1:
            y = self.experts[1](x)
        elif i == 2:
            return self.experts[2](x).relu(), i
        else:
            y = x * 2
        score = y.max().item()
        if score > 3:
            return y, i
        if score > 1:
            return self.experts[0](y), i
        if score > 0:
            return self.experts[1](y), i
        return self.experts[2](y), i


class Routes(nn.Module):
    """A chain of `elif`, arms of any length, and one inside another."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        i = int(x.argmax())
        k = 0
        if i == 0:
            y = self.experts[0](x)
        elif i == 1:
            y = self.experts[1](x).relu()
            while y.sum() < 4:
                y = y * 2 + 1
                k += 1
        elif x.min() < -1:
            y = x
        elif x[3] > 2:
            y = self.experts[2](x) if x[1] < 0 else x - 1
        else:
            y = self.experts[2](x) * 3
            k = 7
        return y + x, k, i
