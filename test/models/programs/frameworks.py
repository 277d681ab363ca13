"""What libraries of models put around a network; each network decides on its input."""

from collections.abc import MutableMapping
from contextvars import ContextVar

import torch
from torch import nn


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
    """Dicts of their own classes, and what an object's class is called."""

    def __init__(self):
        super().__init__()
        REGISTRY[self] = {"a": 2.0, "b": 3.0}

    def forward(self, x):
        for name in REGISTRY.get(self):
            x = x + REGISTRY.get(self)[name]
        for value in REGISTRY.values():
            x = x * value["a"]
        if x.sum() > 40:
            return x * SCALES["up"] * SCALES.get("left", 2.0) * ("up" in SCALES)
        if type(self).__name__ != "Registered" or self.__class__ is not Registered:
            return x
        return x * len(SCALES) + sum(SCALES.values())


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


PROGRAMS = [Registered, Interfaces, Collects, Restores]
