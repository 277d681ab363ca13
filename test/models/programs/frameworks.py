"""What libraries of models put around a network; each network decides on its input."""

import functools
import importlib.metadata
import inspect
import logging
import os
import random
import typing
from collections import OrderedDict
from collections.abc import MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, fields

import torch
from torch import nn
from torch._subclasses import FakeTensor


class Registry(dict):
    """What belongs to each class of models, by its name."""

    def __setitem__(self, model, value):
        super().__setitem__(str(model.__class__), value)

    def get(self, model):
        return super().get(str(model.__class__)) or {}


REGISTRY = Registry()


class Plain(dict):
    pass


SCALES = Plain(up=1.5, down=0.5)


class Registered(nn.Module):
    """Dicts of their own classes, what an object's class is called, a list of the
    model's inside an index, and notes for type checkers."""

    def __init__(self):
        super().__init__()
        REGISTRY[self] = {"a": 2.0, "b": 3.0}
        self.order = [2, 0, 3, 1]

    def forward(self, x):
        parts = torch.jit.annotate(list[torch.Tensor], [])
        parts.append(typing.cast(torch.Tensor, x[:, self.order]))
        x = torch.cat(parts)
        for name in REGISTRY.get(self):
            x = x + REGISTRY.get(self)[name]
        for value in REGISTRY.values():
            x = x * value["a"]
        if x.sum() > 40:
            return x * SCALES["up"] * SCALES.get("left", 2.0) * ("up" in SCALES)
        if type(self).__name__ != "Registered" or self.__class__ is not Registered:
            return x
        return x * len(SCALES) + sum(SCALES.values())


class Made(OrderedDict):
    """Makes what it holds the class of, with or without arguments."""

    def __getitem__(self, key):
        found = super().__getitem__(key)
        cls, options = found if isinstance(found, tuple) else (found, {})
        return cls(**options)


ACTIVATIONS = Made(silu=nn.SiLU, leaky=(nn.LeakyReLU, {"negative_slope": 0.3}))


class Activated(nn.Module):
    """A dict of its own class that asks the base's, and the items of small sets."""

    def forward(self, x):
        for scale in {3, 1, 2}:
            x = ACTIVATIONS["leaky"](x) * scale - 0.2
        for name in set(["silu", "silu"]):
            x = ACTIVATIONS[name](x) + 0.2
        return x if x.sum() > 0 else ACTIVATIONS["leaky"](x)


class Interface(MutableMapping):
    """Functions by name: those of all, and those that one sets for itself."""

    _of_all = {"relu": torch.relu}  # noqa: RUF012

    def __init__(self):
        self._own = {}

    def __getitem__(self, key):
        if key in self._own:
            return self._own[key]
        return self._of_all[key]

    def __setitem__(self, key, value):
        self._own.update({key: value})

    def __delitem__(self, key):
        del self._own[key]

    def __iter__(self):
        return iter({**self._of_all, **self._own})

    def __len__(self):
        return len(self._of_all.keys() | self._own.keys())

    def function(self, name, default):
        return super().get(name, default)


INTERFACE = Interface()
INTERFACE["sigmoid"] = torch.sigmoid


class Interfaces(nn.Module):
    """Mappings, whose methods Python's abstract class has."""

    def forward(self, x):
        y = INTERFACE.get("relu")(x - 1)
        if "gelu" in INTERFACE or "relu" not in INTERFACE:
            y = y + 100
        y = INTERFACE.function("gelu", torch.tanh)(y)
        return INTERFACE["sigmoid"](y) if x.sum() > 0 else y


COLLECTED = ContextVar("collected", default=None)


class Collects(nn.Module):
    """A context variable is set for one call, and reset in any case."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def inner(self, x):
        for layer in self.layers:
            x = layer(x)
            collected = COLLECTED.get()
            if collected is not None:
                collected["hidden"].append(x)
        return x.view(2, 2).argmax()

    def forward(self, x):
        collected = {"hidden": []}
        token = COLLECTED.set(collected)
        try:
            y = self.inner(x)
        finally:
            COLLECTED.reset(token)
        if COLLECTED.get() is not None:
            return y
        if x.sum() > 0:
            return y, collected["hidden"]
        return y


def collecting(key):
    """A hook that puts what a layer gives where a context variable says."""

    def hook(module, args, output):
        collected = COLLECTED.get()
        if collected is None or key not in collected:
            return
        selected = collected.get("_selected")
        if len(collected[key]) == 0:
            collected[key].append(args[0])
        found = len(collected[key])
        wanted = selected is None or found in selected
        collected[key].append(output if wanted else None)

    return hook


class CollectsByHooks(nn.Module):
    """What the hooks of layers find in a dict that is there for one call."""

    def __init__(self, selected):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.selected = selected
        for layer in self.layers:
            layer.register_forward_hook(collecting("hidden"))
            layer.register_forward_hook(collecting("unasked"))

    def inner(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def forward(self, x):
        asked = {"out_hidden": True, "out_unasked": False}
        collected = {k.replace("out_", ""): [] for k, v in asked.items() if v}
        if self.selected is not None:
            collected["_selected"] = self.selected
        token = COLLECTED.set(collected)
        try:
            y = self.inner(x)
        finally:
            COLLECTED.reset(token)
        collected.pop("_selected", None)
        for key in collected:
            collected[key] = collected[key][:-1]
            collected[key].append(y * 2)
        if COLLECTED.get() is None and y.sum() > 0:
            return tuple(collected["hidden"])
        return y, collected


def adds(module, args, output):
    collected = COLLECTED.get()
    if collected is not None:
        collected.append(output)


class CollectsAList(nn.Module):
    """The list is not empty behind the loop: hooks of torch's layers have it."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        for layer in self.layers:
            layer.register_forward_hook(adds)

    def forward(self, x):
        collected = []
        token = COLLECTED.set(collected)
        for layer in self.layers:
            x = layer(x)
        COLLECTED.reset(token)
        states = tuple(collected)
        return (x, states) if x.sum() > 0 else states


def collects_all():
    return CollectsByHooks(None)


def collects_some():
    return CollectsByHooks((1, 3))


class Config:
    def __init__(self):
        self.is_causal = True
        self.factor = 2.0


class Restores(nn.Module):
    """A decorator of some kind changes the config for one call."""

    def __init__(self):
        super().__init__()
        self.config = Config()
        self.calls = 0

    def inner(self, x):
        if self.config.is_causal:
            return x
        return x * self.config.factor

    def forward(self, x):
        before = self.config.is_causal
        self.config.is_causal = False
        try:
            y = self.inner(x).unflatten(-1, (2, 2))
        finally:
            self.config.is_causal = before
            self.calls += 1
        return y if y.sum() > 0 else self.inner(x)


@dataclass
class Output(OrderedDict):
    """A dataclass, and a dict of those of its fields that are not None."""

    logits: torch.Tensor | None = None
    loss: torch.Tensor | None = None
    hidden: tuple | None = None

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __getitem__(self, key):
        if isinstance(key, str):
            return dict(self.items())[key]
        return self.to_tuple()[key]

    def __setattr__(self, name, value):
        if name in {f.name for f in fields(self)} and value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def to_tuple(self):
        return tuple(self[k] for k in self.keys())


class Outputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def inner(self, x):
        if x.sum() > 0:
            return Output(logits=self.fc(x), hidden=None)
        return Output(self.fc(x) * 2)

    def forward(self, x):
        out = self.inner(x)
        collected = {"hidden": []}
        for i in range(2):
            collected["hidden"].append(x * i)
        for key in collected:
            collected[key] = collected[key][:-1]
            collected[key].append(out.logits)
            out[key] = tuple(collected[key])
        first, *rest = out.to_tuple()
        if not hasattr(out, "pooled") and "loss" not in out and len(out) == 2:
            first = first + out[1][0] + out["logits"] + getattr(out, "pooled", 3.0)
        if isinstance(out, dict) and first.sum() > 12:
            return out
        return first, rest


class MakesOutput(nn.Module):
    def forward(self, x):
        out = Output(x, hidden=(x, x + 1))
        out.hidden = (*out.hidden, x)
        return out if x.sum() > 0 else out.to_tuple()


def keywords(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Inspects(nn.Module):
    """A library asks which parameters a function has."""

    def chunk(self, x, y):
        return x - y

    @keywords
    def wrapped(self, x, scale=2.0):
        return x * scale

    def forward(self, x):
        count = len(inspect.signature(self.chunk).parameters)
        if count != 2:
            raise ValueError(f"{count} parameters")
        y = self.chunk(x, 1.0)
        if "scale" in inspect.signature(self.wrapped).parameters:
            y = self.wrapped(y, scale=3.0)
        return y if y.sum() > 0 else x


def both_masks(*functions):
    if not all(callable(one) for one in functions):
        raise RuntimeError(f"no functions: {functions}")

    def mask(q, k):
        found = q.new_ones((), dtype=torch.bool)
        for one in functions:
            found = found & one(q, k)
        return found

    return mask


def causal(q, k):
    return k <= q


def same_sequence(index):
    def mask(q, k):
        return index[q] == index[k]

    return mask


class Positions(nn.Module):
    """Which mask is made, known positions decide; something changes them later."""

    def forward(self, x):
        positions = torch.arange(4) + 0
        steps = torch.diff(positions, prepend=positions[:1] - 1)
        index = (steps != 1).cumsum(-1)
        mask = causal
        if isinstance(index, FakeTensor) or hasattr(index, "fake_mode"):
            return x
        if not (index[-1:] == 0).all():
            mask = both_masks(mask, same_sequence(index))
        allowed = both_masks(mask)(positions[:, None], positions[None, :])
        y = x @ torch.where(allowed, 1.0, 0.0)
        positions.add_(1)
        return y * positions if y.sum() > 0 else y


LOGGER = logging.getLogger("dycl.test.frameworks")


class Notices(nn.Module):
    """What is said once in a process; compiling says nothing."""

    def forward(self, x):
        if x.dim() == 2:
            LOGGER.warning_once("two dimensions")
        return x if x.sum() > 0 else -x


@functools.lru_cache
def is_at_least(package, least, *, strictly=False):
    """What is installed: nothing that could be compiled."""
    text = importlib.metadata.version(package).partition("+")[0]
    found = tuple(int(part) for part in text.split(".")[:2])
    least = tuple(int(part) for part in least.split("."))
    return found > least if strictly else found >= least


@functools.cache
def drawn(name):
    return random.Random().random()


@functools.cache
def sides(name):
    return (2, name)


class Versions(nn.Module):
    """Memoised functions of constants; one gives the same in one process only."""

    def forward(self, x):
        if is_at_least("torch", "1.2") and not is_at_least(
            "torch", "99.0", strictly=True
        ):
            x = x * drawn("seed")
        count, name = sides("up")
        return x if x.sum() > 0 else -x * count * len(name)


class Configured(nn.Module):
    """Variables of the process's environment, as they are when it is compiled."""

    def forward(self, x):
        if os.environ.get("DYCL_TEST_FORCED", "0") == "1" or os.getenv(
            "DYCL_TEST_NONE"
        ):
            x = x * 3
        return x if x.sum() > 0 else -x


ANNOUNCED: list[str] = []


@functools.cache
def announce(text):
    ANNOUNCED.append(text)
    return True


@functools.cache
def scales(count):
    return [1.0] * count


@functools.cache
def fails(name):
    raise LookupError(name)


@functools.lru_cache(maxsize=0)
def forgets(name):
    return name == "a"


class Hidden(nn.Module):
    """What is not for its result, may be changed, fails, or is not kept."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        if self.kind == "announce":
            announce("here")
        elif self.kind == "scales":
            x = x * scales(2)[0]
        elif self.kind == "fails":
            x = x * fails("a")
        else:
            x = x * forgets("a")
        return x if x.sum() > 0 else -x


PROGRAMS = [
    Activated,
    Versions,
    Configured,
    Registered,
    Interfaces,
    Collects,
    CollectsAList,
    collects_all,
    collects_some,
    Restores,
    Outputs,
    MakesOutput,
    Inspects,
    Positions,
]
