"""What libraries of models put around a network; each network decides on its input."""

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


PROGRAMS = [Registered, Restores]
