"""Functions and classes as models use them: each decides on its input."""

import enum
import functools
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import torch
from torch import nn

SCALE = 1.5


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)

    def is_open(self, x):
        return self.gate(x).sum() > 0


class Properties(Base):
    limit = 0.25

    @property
    def double(self):
        return 2 * self.limit

    @property
    def head(self):
        return self.fc

    def forward(self, x):
        if x.sum() > self.double:
            return self.head(x)
        return x * self.double


class PropertyThatReturnsEarly(Base):
    @property
    def mode(self):
        for name in ("wide", "deep"):
            if hasattr(self, name):
                return name
        return "flat"

    def forward(self, x):
        y = self.fc(x) if self.mode == "flat" else x
        return y * 2 if self.is_open(y) else y


@torch.jit.script
def halved(x: torch.Tensor, times: int = 1):
    if x.max() > 1:
        return x / 2**times
    return x


@torch.jit.script_if_tracing
def thirds(x: torch.Tensor):
    """Called as it is, as long as nobody traces."""
    return x / 3 if x.min() > 0 else x


class ClassAndStaticMethods(Base):
    factor = 3.0
    halve = staticmethod(halved)

    @classmethod
    def scaled(cls, x, power=1):
        return x * cls.factor**power

    @staticmethod
    def shifted(x, by=1.0):
        return x + by

    def forward(self, x):
        if self.is_open(x):
            return self.scaled(x, 2) + ClassAndStaticMethods.scaled(halved(thirds(x)))
        return self.shifted(x) - self.halve(x, times=2)


class ClassMethodOfSubclass(ClassAndStaticMethods):
    factor = -2.0


class Left(Base):
    def forward(self, x):
        return super().forward(x) * 2


class Right(Base):
    def forward(self, x):
        return self.fc(x) + 1


class Diamond(Left, Right):
    """`super()` in Left means Right here, and Base in a plain Left."""

    def forward(self, x):
        if self.is_open(x):
            return super().forward(x)
        return super(Left, self).forward(x)


class GatedLinear(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        if y.sum() > 0:
            return y
        return y * 0.5


class SuperOfLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GatedLinear(4, 4), GatedLinear(4, 4, bias=False)

    def forward(self, x):
        return self.two(self.one(x))


class GatedSequential(nn.Sequential):
    def forward(self, x):
        if x.mean() > 0:
            return super().forward(x)
        return x


class SuperOfSequential(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = GatedSequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))

    def forward(self, x):
        return self.body(self.body(x))


class ForwardOfAnInstance(Base):
    def __init__(self, pooled=True):
        super().__init__()
        self.forward = self._pooled if pooled else self._flat
        self.fc.forward = lambda x: torch.tanh(x) * SCALE

    def _pooled(self, x):
        return self.fc(x) if self.is_open(x) else x.mean(1, True).expand(1, 4)

    def _flat(self, x):
        return x


class BoundMethodsInALookUp(Base):
    def __init__(self, order=("a", "b")):
        super().__init__()
        self.steps = {"a": self.first, "b": self.second, "c": torch.relu}
        self.order = order

    def first(self, x):
        return self.fc(x)

    def second(self, x):
        return x - 1 if self.is_open(x) else x + 1

    def forward(self, x):
        for name in self.order:
            x = self.steps[name](x)
        return self.steps["c"](x)


class Closures(Base):
    def forward(self, x):
        shift = 1.0

        def step(y):
            return self.fc(y) + shift

        def twice(f, y):
            return f(f(y))

        return twice(step, x) if self.is_open(x) else step(x)


class ClosureSeesLaterValue(Base):
    def forward(self, x):
        scale = 1.0

        def scaled(y):
            return y * scale

        one = scaled(x)
        scale = 3.0
        if self.is_open(x):
            scale = 5.0
        return one + scaled(x)


class NonlocalCounter(Base):
    def forward(self, x):
        count = 0

        def step(y):
            nonlocal count
            count += 1
            return y * count

        for _ in range(3):
            x = step(x)
        if self.is_open(x):
            x = step(x)
        return x, count


class LambdasOfALoop(Base):
    def forward(self, x):
        late, now = [], []
        for i in range(3):
            late.append(lambda y: y * i)  # noqa: B023
            now.append(lambda y, i=i: y * i)
        if self.is_open(x):
            return sum(f(x) for f in late)
        return sum(f(x) for f in now)


class RecursiveInnerFunction(Base):
    def forward(self, x):
        def power(y, n):
            return y if n == 0 else self.fc(power(y, n - 1))

        return power(x, 3) if self.is_open(x) else power(x, 1)


def make_step(scale, shift=0.0):
    def step(x):
        return x * scale + shift

    return step


class FunctionsMadeOutside(Base):
    def __init__(self):
        super().__init__()
        self.step, self.act = make_step(2.0), lambda x: torch.relu(x) * SCALE
        self.pair = (lambda x: x + 1, lambda x: x - 1)

    def forward(self, x):
        x = self.act(self.step(x))
        up, down = self.pair
        return up(x) if self.is_open(x) else down(x)


class FunctionMadeInForward(Base):
    def forward(self, x):
        step = make_step(0.5, shift=1.0)
        return step(x) if self.is_open(x) else make_step(x)(x)


class KeywordOnly(Base):
    def mix(self, x, /, y, *, weight=0.5, shift):
        return x * weight + y * (1 - weight) + shift

    def forward(self, x):
        y = self.fc(x)
        if self.is_open(x):
            return self.mix(x, y, shift=1.0)
        return self.mix(x, y=y, shift=0.0, weight=0.25)


class StarArguments(Base):
    def mean(self, *parts, scale=1.0):
        return sum(parts) / len(parts) * scale

    def options(self, x, **options):
        if "shift" in options:
            x = x + options["shift"]
        return x * options.get("scale", 2.0), len(options)

    def both(self, *args, **kwargs):
        return self.options(*args, **kwargs)

    def forward(self, x):
        parts = [x, self.fc(x)]
        if self.is_open(x):
            parts.append(x * 2)
            return self.mean(*parts, x, scale=3.0)
        y, count = self.both(x, **{"shift": 1.0}, scale=self.fc.in_features)
        return y + count + self.mean(*parts, *parts)


class StarOfShape(Base):
    def forward(self, x):
        sizes = x.shape
        y = self.fc(x).view(*sizes[:1], 2, 2)
        if y.sum() > 0:
            return y.permute(*reversed(range(3))).reshape(*sizes)
        return torch.cat([*y], 0).reshape(*sizes)


class PartialFunctions(Base):
    @staticmethod
    def mix(a, b, c=1.0):
        return a - b * c

    def forward(self, x):
        f = functools.partial(self.mix, x, c=2.0)
        g = functools.partial(torch.clamp, min=0.0)
        h = functools.partial(f, c=3.0)
        return f(x) if self.is_open(x) else h(g(x))


class PartialAttribute(Base):
    def __init__(self):
        super().__init__()
        self.act = functools.partial(torch.clamp, min=-0.5)
        self.scaled = functools.partial(self.scale, by=2.0)

    def scale(self, x, by):
        return self.fc(x) * by

    def forward(self, x):
        if self.is_open(x):
            return self.act.func(x, **self.act.keywords) + len(self.act.args)
        return self.scaled(x) * self.scaled.keywords["by"]


def countdown(x, n):
    return x if n == 0 else countdown(x * 2 - n, n - 1)


class BoundedRecursion(Base):
    def forward(self, x):
        return countdown(x, 4) if self.is_open(x) else countdown(x, 2)


class WithoutGradient(Base):
    @torch.no_grad()
    def gated(self, x):
        return self.fc(x) if self.is_open(x) else x

    @torch.inference_mode()
    def forward(self, x):
        return self.gated(x) + 1


def doubled(function):
    @functools.wraps(function)
    def run(self, *args, **kwargs):
        return function(self, *args, **kwargs) * 2

    return run


def scaled(by):
    def decorate(function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            return function(*args, **kwargs) * by

        return run

    return decorate


class UsersDecorators(Base):
    @doubled
    def step(self, x, *, shift=1.0):
        return self.fc(x) + shift

    @scaled(by=0.5)
    @doubled
    def forward(self, x):
        return self.step(x, shift=2.0) if self.is_open(x) else self.step(x)


class AttributeByName(Base):
    def __init__(self):
        super().__init__()
        for i in range(3):
            setattr(self, f"layer{i}", nn.Linear(4, 4))

    def forward(self, x):
        for i in range(4):
            layer = getattr(self, f"layer{i}", None)
            if layer is not None:
                x = layer(x)
            if getattr(self, "is_open")(x):  # noqa: B009
                x = x * 0.5
        return getattr(self, "missing", x) if hasattr(self, "fc") else x


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"

    @property
    def gain(self):
        return 2.0 if self is Mode.FAST else 0.5


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@dataclass(frozen=True)
class Config:
    mode: Mode = Mode.FAST
    level: Level = Level.HIGH
    widths: tuple = (1, 2)
    names: dict = field(default_factory=dict)
    LIMIT: ClassVar[float] = 0.25

    @property
    def depth(self):
        return len(self.widths)

    def scaled(self, x, by=1.0):
        return x * by * self.LIMIT


class Shape(NamedTuple):
    rows: int = 2
    cols: int = 2

    def area(self):
        return self.rows * self.cols


CONFIG = Config(widths=(3, 1, 2))
MEAN = torch.tensor([0.1, 0.2, 0.3, 0.4])
SHIFTS = {"a": torch.ones(1, 4), Mode.SLOW: [2.0, None]}
ACT = nn.Sequential(nn.Linear(4, 4), nn.Tanh()).eval()


class Enums(Base):
    gains: ClassVar = {Mode.FAST: 1.5, Mode.SLOW: -1.5}

    def __init__(self, mode=Mode.SLOW):
        super().__init__()
        self.mode, self.level = mode, Level.HIGH

    def forward(self, x):
        y = x * self.gains[self.mode] * self.mode.gain
        if self.mode == Mode.SLOW and self.mode != "slow":
            y = self.fc(y)
        if self.level == 3 and self.level > Level.LOW and self.mode.value == "slow":
            y = y + self.level
        if Mode.FAST == 1 or Level.LOW != 1 or self.mode.name != "SLOW":
            y = y * 0
        return y if self.is_open(x) else y - 1


class DataclassConfig(Base):
    def __init__(self, config=CONFIG):
        super().__init__()
        self.config, self.shape = config, Shape()

    def forward(self, x):
        config = self.config
        for width in config.widths[: config.depth - 1]:
            x = config.scaled(self.fc(x), by=width)
        rows, cols = self.shape
        x = x.view(rows, cols).view(1, self.shape.area()) + self.shape[1]
        if x.sum() > config.LIMIT + 8:
            return x if config.mode is CONFIG.mode else x * 0
        return x * config.level


class GlobalTensorsAndModules(Base):
    def forward(self, x):
        x = x - MEAN
        if self.is_open(x):
            return ACT(x) + SHIFTS["a"]
        return x * SHIFTS[Mode.SLOW][0]


class Stack(nn.Module):
    """A container of the user's own."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, index):
        return self.layers[len(self) - 1 - index]

    def __iter__(self):
        return iter(self.layers)

    def __contains__(self, name):
        return name in ("one", "two")


class UsersContainer(Base):
    def __init__(self):
        super().__init__()
        self.stack = Stack(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.empty = Stack()

    def forward(self, x):
        if self.empty or "three" in self.stack or "one" not in self.stack:
            x = x * 0
        for layer in self.stack:
            x = layer(x)
        if self.is_open(x):
            return self.stack[0](x) * len(self.stack)
        return self.stack[1](x)


class Repeat:
    """A plain object that is called."""

    def __init__(self, count):
        self.count = count

    def __call__(self, f, x):
        for _ in range(self.count):
            x = f(x)
        return x


class ValuesOrFunctions(nn.Module):
    """What is no function is known not to be called."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.ones(4))

    def value(self, given):
        return given() if callable(given) else given

    def forward(self, x):
        y = self.value(x) * self.value(2.0) + self.value(lambda: 3)
        if self.value(None) is None and y.sum() > 0:
            return y + self.value(self.bias)
        return y


class CallableObject(Base):
    def __init__(self):
        super().__init__()
        self.repeat = Repeat(3)

    def forward(self, x):
        return self.repeat(self.fc, x) if self.is_open(x) else -self.fc(x)


PROGRAMS = [
    Properties,
    PropertyThatReturnsEarly,
    ClassAndStaticMethods,
    ClassMethodOfSubclass,
    Diamond,
    SuperOfLinear,
    SuperOfSequential,
    ForwardOfAnInstance,
    BoundMethodsInALookUp,
    Closures,
    ClosureSeesLaterValue,
    NonlocalCounter,
    LambdasOfALoop,
    RecursiveInnerFunction,
    FunctionsMadeOutside,
    FunctionMadeInForward,
    KeywordOnly,
    StarArguments,
    StarOfShape,
    PartialFunctions,
    PartialAttribute,
    BoundedRecursion,
    WithoutGradient,
    UsersDecorators,
    AttributeByName,
    Enums,
    DataclassConfig,
    GlobalTensorsAndModules,
    UsersContainer,
    CallableObject,
    ValuesOrFunctions,
]
