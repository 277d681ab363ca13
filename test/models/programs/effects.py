"""Networks that raise, print, log and warn, as people write them.

All take `x`, 1x4 float32. What is written holds numbers that both eager and compiled
compute alike to the last bit.
"""

import logging
import sys
import warnings

import torch
from torch import nn

log = logging.getLogger(__name__)


class TooSmall(ValueError):
    """An exception of the user's, with a text that it makes itself."""

    def __init__(self, value, limit):
        super().__init__(f"{value:.2f} is below {limit}")
        self.value = value


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)


class Asserts(Base):
    def forward(self, x):
        assert x.ndim == 2, "this is decided now"
        assert x.max() < 3.0, f"{x.max().item():.2f} is too large"
        y = self.a(x)
        assert x.min() > -3.0
        return y + 1


class Raises(Base):
    def forward(self, x):
        if x.max() > 3.0:
            raise ValueError("too large", x.max().item(), 3)
        y = self.a(x)
        if x.min() < -3.0:
            raise TooSmall(x.min().item(), -3)
        if x[0, 0] > 2.0:
            raise NotImplementedError
        if x[0, 0] < -2.0:
            raise RuntimeError(f"first is {x[0, 0].item():.3f}") from None
        return y


class RaisesInCalls(Base):
    def checked(self, x, name, limit=2.0):
        if x.abs().max() > limit:
            raise ValueError(f"{name}: {x.abs().max().item():.2f} > {limit}")
        return x

    def kind(self, x):
        if x[0, 0] > 0.5:
            return 2
        if x[0, 0] < -0.5:
            return 3
        raise KeyError("neither")

    def forward(self, x):
        y = self.checked(x, "input")
        k = self.kind(x)
        z = self.checked(x[:, :2], "start", limit=1.5)
        return self.b(y) * k, z


class BothSidesRaise(Base):
    def forward(self, x):
        if x.sum() > 0:
            if x.max() > 1.0:
                raise ValueError("large")
            else:  # noqa: RET506
                raise TypeError("small")
        return self.a(x)


class RaisesInLoop(Base):
    def forward(self, x):
        steps = 0
        while x.max() < 4.0:
            if x.min() < -4.0:
                raise OverflowError(f"after {steps} steps")
            x = x * 2
            steps += 1
            assert steps < 4, steps
        return x, steps


class Prints(Base):
    def forward(self, x):
        print("start", x.dtype, x.device, x.shape[1], True, None)
        y = self.a(x)
        print(f"max {x.max().item():.3f} of", (4, [x.min().item()]), {"k": 1})
        z = self.b(y)
        if x.sum() > 0:
            print("positive", end="; ")
            z = z * 2
        else:
            print("negative", x[0, 0].item() > 1, sep=" / ", file=sys.stderr)
        print()
        shape = x.shape
        print(
            f"end {shape} {shape[1]}", shape, tuple(y.size()), x.shape[:1], flush=True
        )
        return z


class PrintsInLoops(Base):
    def trace(self, name, value):
        print("%s:" % name, value, value * 2, -value)  # noqa: UP031
        return value

    def forward(self, x):
        for i in range(2):
            print("unrolled", i)
            x = self.a(x) if i else self.b(x)
        steps = 0
        while x.sum() < 1 and steps < 3:
            x = x + 0.5
            steps += 1
            if self.trace("steps", steps) > 2:
                print("enough")
                break
        return x, str(steps) + " steps"


class Logs(Base):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("of.the.model")

    def forward(self, x):
        log.info("start")
        if x.max() > 1.0:
            log.warning("max is %.2f of %d", x.max().item(), x.shape[1])
            self.log.error(f"large: {x.max().item():.1f}")
        y = self.a(x)
        self.log.debug("not shown")
        logging.getLogger().critical("root")
        log.log(logging.INFO, "level %s", "given")
        log.info("%s of %s, %s", x.shape, x.dtype, [x.shape[0], None])
        log.log(logging.INFO, "%s", x.size())
        return y


class Warns(Base):
    def forward(self, x):
        if x.max() > 1.0:
            warnings.warn("large input")  # noqa: B028
        y = self.a(x)
        if x.min() < -1.0:
            warnings.warn(f"min is {x.min().item():.2f}", RuntimeWarning, stacklevel=2)
        return y


class KeepsOrder(Base):
    """What is written waits for nothing, but for what was written before."""

    def forward(self, x):
        y = self.a(x)
        large = y.max().item() * 0 + x.max().item()
        late = self.b(y + large).sum().item() * 0 + x.min().item()
        print("late", late)
        print("early", x.max().item())
        n = int(x.max().item())
        print("before")
        m = 6 // n
        print("after", m)
        if m > 3:
            print("in between")
            raise ValueError("at last")
        return y * m


class TextByPath(Base):
    def forward(self, x):
        kind = "large" if x.max() > 1.0 else "small"
        print(kind, "input")
        label = kind + "!"
        if x.sum() > 0:
            label = f"[{label}] {x.max().item():.1f}"
        return self.a(x), label


class DecidedEffects(Base):
    """What no run reaches is gone; what all runs reach stays."""

    def forward(self, x, verbose=False):
        assert isinstance(x, torch.Tensor)
        if self.training:
            print("training")
        if verbose:
            raise RuntimeError(str(x))
        if x.shape[0] != 1:
            raise ValueError(f"bad shape {x}")
        print("once")
        return self.a(x)


PROGRAMS = [
    Asserts,
    Raises,
    RaisesInCalls,
    BothSidesRaise,
    RaisesInLoop,
    Prints,
    PrintsInLoops,
    Logs,
    Warns,
    KeepsOrder,
    TextByPath,
    DecidedEffects,
]
