"""One name for several things: which of them Python finds decides what is computed."""

import functools
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def is_open(self, x):
        return self.fc(x).sum() > 0


class MethodHidesModule(Base):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def act(self, x):
        return x * 3

    def forward(self, x):
        return self.act(self.fc(x)) if self.is_open(x) else x


class ConstantHidesModule(Base):
    act = None

    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        x = self.fc(x) if self.is_open(x) else x
        return x if self.act is None else self.act(x)


class InheritedMethodHidesModule(MethodHidesModule):
    def __init__(self):
        super().__init__()
        self.act = nn.Sigmoid()

    def forward(self, x):
        return super().forward(x) + self.act(x)


class MethodOfTorchHidesModules(Base):
    """`children` is the method; what it gives includes the list of that name."""

    def __init__(self):
        super().__init__()
        self.children = nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x):
        for child in self.children():
            x = child[0](x) if isinstance(child, nn.ModuleList) else child(x)
        return x if self.is_open(x) else -x


class Scaled(Base):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((4,), 3.0))

    def forward(self, x):
        return self.fc(x) * self.scale if self.is_open(x) else x


def constant_hides_parameter():
    """The class gets an attribute of the parameter's name after the model is made."""

    class Late(Scaled):
        pass

    model = Late()
    Late.scale = 2.0
    return model


class AttributeHidesMethod(Base):
    def __init__(self):
        super().__init__()
        self.act = lambda x: x * 5

    def act(self, x):
        return x

    def forward(self, x):
        return self.act(x) if self.is_open(x) else x


class PropertyHidesAttribute(Base):
    def __init__(self):
        super().__init__()
        self.__dict__["scale"] = 7.0

    @property
    def scale(self):
        return 2.0

    def forward(self, x):
        return x * self.scale if self.is_open(x) else x


class CachedValueHidesProperty(Base):
    def __init__(self):
        super().__init__()
        self.calls = 0
        assert self.scale == 1.0

    @functools.cached_property
    def scale(self):
        self.calls += 1
        return float(self.calls)

    def forward(self, x):
        return x * (self.scale + self.calls) if self.is_open(x) else x


class ConstantHidesProperty(Base):
    @property
    def scale(self):
        return 3.0

    def forward(self, x):
        return x * self.scale if self.is_open(x) else x


class ConstantOfSubclass(ConstantHidesProperty):
    scale = 4.0


class PlainForward:
    def forward(self, x):
        return x * 100


class TorchBeforeMixin(nn.Linear, PlainForward):
    """torch's `forward` comes first in the order of classes."""


class OrderOfClasses(Base):
    def __init__(self):
        super().__init__()
        self.layer = TorchBeforeMixin(4, 4)

    def forward(self, x):
        return self.layer(x) if self.is_open(x) else x


class PrivateNames(Base):
    __scale = 2.0

    def __init__(self):
        super().__init__()
        self.__layer = nn.Linear(4, 4)

    def __double(self, __x, *, by=2):  # noqa: PYI063
        def __helper(y):
            return y * by + 0 * __x

        return __helper(__x)

    def forward(self, x):
        __y = self.__layer(x)
        return self.__double(__y, by=3) if self.is_open(x) else __y * self.__scale


class PrivateNamesOfBoth(PrivateNames):
    """Each class has a private attribute of its own."""

    __scale = 10.0

    def forward(self, x):
        return super().forward(x) + self.__scale


class Setter(Base):
    def __init__(self):
        super().__init__()
        self._scale = 1.0

    @property
    def scale(self):
        return self._scale * 2

    @scale.setter
    def scale(self, value):
        self._scale = value + 1

    def forward(self, x):
        if self.is_open(x):
            self.scale = 5.0
        self.scale -= 1
        return x * self.scale


class SetterByName(Setter):
    def forward(self, x):
        setattr(self, "scale", 5.0)  # noqa: B010
        return x * self.scale if self.is_open(x) else x


class Doubled(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) if x.sum() > 0 else x

    def _conv_forward(self, x, weight, bias):
        return super()._conv_forward(x, weight * 2, bias)


class ChangedMethodOfTorch(Base):
    """What torch's `forward` calls is the user's."""

    def __init__(self):
        super().__init__()
        self.conv = Doubled(1, 1, 1)

    def forward(self, x):
        return self.conv(x[None, None])[0, 0] if self.is_open(x) else x


class MethodOfInstance(Base):
    """As above, of one module only."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)
        self.conv._conv_forward = lambda x, weight, bias: x * 100

    def forward(self, x):
        return self.conv(x[None, None])[0, 0] if self.is_open(x) else x


class Wrapper(nn.Module):
    """Passes on to another module what it has not got itself."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.scale = 2.0

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)

    def forward(self, x):
        return (self.inner(x) @ self.weight) * self.scale + self.in_features


class PassesOn(Base):
    def __init__(self):
        super().__init__()
        self.wrapped = Wrapper()

    def forward(self, x):
        if self.is_open(x):
            return self.__getattr__("wrap{}".format("ped"))(x)
        return x @ self.wrapped.weight


class Settings:
    depth = 1
    __slots__ = ("rate", "unset")

    def __init__(self):
        self.rate = 2

    def __getattr__(self, name):
        return 10 if name == "unset" else 20


class PlainObject(Base):
    def __init__(self):
        super().__init__()
        self.settings = Settings()

    def forward(self, x):
        settings = self.settings
        if self.is_open(x):
            return x * settings.unset + settings.other
        return x * settings.depth + settings.rate


class Chain:
    def scale(self):
        return 2.0

    @staticmethod
    def shift(x):
        return x + 1


class LongerChain(Chain):
    def scale(self):
        return super().scale() + 1

    @staticmethod
    def shift(x):
        return x - 5

    def both(self, x):
        return super().shift(x) * self.scale()


class SuperOfPlainObject(Base):
    def __init__(self):
        super().__init__()
        self.chain = LongerChain()

    def forward(self, x):
        return self.chain.both(x) if self.is_open(x) else self.chain.shift(x)


class Sizes(NamedTuple):
    wide: float
    tall: float


class Square(Sizes):
    @property
    def tall(self):
        return self.wide


class FieldHiddenByProperty(Base):
    def __init__(self):
        super().__init__()
        self.square = Square(2.0, 5.0)

    def forward(self, x):
        made = Square(x.sum(), 7.0)
        return x * self.square.tall if self.is_open(x) else x * made.tall


class AsksForMethods(Base):
    """What torch's classes have is there, though no one recorded it."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def forward(self, x):
        if hasattr(self.rnn, "flatten_parameters") and not hasattr(self, "absent"):
            x = x + 1
        return self.fc(x) if self.is_open(x) else x


class TableOfModules(Base):
    """torch's own table, by name and in order, nested too."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.act = nn.Tanh()

    def forward(self, x):
        for name, layer in self.layers._modules.items():
            x = layer(x) if name != "2" else layer(x) * 2
        if self._modules["fc"](x).sum() > 0:
            return self._modules["act"](x)
        return x * len(self._modules) + ("act" in self._modules)


class LoopOverDict(Base):
    """A dict of modules that no `ModuleDict` holds."""

    def __init__(self):
        super().__init__()
        self.table = {"fc": self.fc, "act": nn.Tanh()}

    def forward(self, x):
        for name, layer in self.table.items():
            if name != "fc" or self.is_open(x):
                x = layer(x)
        for layer in self.table.values():
            x = x + layer(x)
        return x


class Route(NamedTuple):
    name: str
    above: float
    function: Callable

    def twice(self, x):
        return self.function(x) * 2


class FunctionsInATuple(Base):
    """What a tuple holds is called without it; its methods are given it."""

    def __init__(self):
        super().__init__()
        self.routes = [
            Route("layer", 0.5, self.fc),
            Route("lambda", 0.0, lambda x: -x),
            Route("function", -9.0, torch.tanh),
        ]

    def forward(self, x):
        for route in self.routes:
            if x.sum() > route.above:
                return route.function(x), route.twice(x), route.name
        return x, x, ""


class Descriptor:
    def __get__(self, owner, kind=None):
        return 9.0

    def __set__(self, owner, value):
        raise AttributeError


class HiddenByDescriptor(Base):
    scale = Descriptor()

    def __init__(self):
        super().__init__()
        self.__dict__["scale"] = 1.0

    def forward(self, x):
        return x * self.scale if self.is_open(x) else x


class HidesDescriptor(Base):
    """Without `__set__`, what the object has comes first."""

    class Once:
        def __get__(self, owner, kind=None):
            return 9.0

    scale = Once()

    def __init__(self):
        super().__init__()
        self.__dict__["scale"] = 1.5

    def forward(self, x):
        return x * self.scale if self.is_open(x) else x


class SetsReadOnlyProperty(Base):
    @property
    def scale(self):
        return 2.0

    def forward(self, x):
        if self.is_open(x):
            self.scale = 3.0
        return x * self.scale


class SetsBySetattr(Base):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2 if name == "scale" else value)

    def forward(self, x):
        self.scale = 3.0
        return x * self.scale if self.is_open(x) else x


def sets_hidden_parameter():
    class Sets(Scaled):
        def forward(self, x):
            if self.is_open(x):
                self.scale = x[0]
            return x * self.scale

    model = Sets()
    Sets.scale = 2.0
    return model


class ReadsMethodOfTorch(Base):
    def forward(self, x):
        return x + len(self.fc.extra_repr()) if self.is_open(x) else x


class Config:
    """An object that knows its attributes by other names as well."""

    names: ClassVar = {"num_layers": "n_layer", "width": "n_embd"}

    def __init__(self):
        self.n_layer = 2
        self.n_embd = 3.0
        self.count = 1

    def __setattr__(self, key, value):
        if key in super().__getattribute__("names"):
            key = super().__getattribute__("names")[key]
        super().__setattr__(key, value)

    def __getattribute__(self, key):
        if super().__getattribute__("__dict__").get("hidden") is not None:
            raise AttributeError(key)
        if key != "names" and key in super().__getattribute__("names"):
            key = super().__getattribute__("names")[key]
        return super().__getattribute__(key)

    def twice(self):
        return self.num_layers * 2


class NamesBehindNames(Base):
    """`__getattribute__` that asks for another attribute, or for none that is there."""

    def __init__(self):
        super().__init__()
        self.config = Config()

    def forward(self, x):
        given = x
        for _ in range(self.config.num_layers):
            x = x + self.config.width
        if hasattr(self.config, "nothing") or getattr(self.config, "never", None):
            x = x * 100
        if self.is_open(given):
            return x * self.config.twice()
        return x * getattr(self.config, "num_layers", 7)


class SetsThroughHook(Base):
    """`__setattr__` that sets just what it is asked to."""

    def __init__(self):
        super().__init__()
        self.config = Config()

    def forward(self, x):
        if self.is_open(x):
            self.config.count = self.config.count + 1
        return x * self.config.count


class Shouting:
    def __init__(self):
        self.size = 2

    def __getattribute__(self, key):
        value = super().__getattribute__(key)
        return value * 10 if key == "size" else value


class ReadsAnotherValue(Base):
    def __init__(self):
        super().__init__()
        self.config = Shouting()

    def forward(self, x):
        return x * self.config.size if self.is_open(x) else x


PROGRAMS = [
    MethodHidesModule,
    ConstantHidesModule,
    InheritedMethodHidesModule,
    MethodOfTorchHidesModules,
    constant_hides_parameter,
    AttributeHidesMethod,
    PropertyHidesAttribute,
    CachedValueHidesProperty,
    ConstantHidesProperty,
    ConstantOfSubclass,
    OrderOfClasses,
    PrivateNames,
    PrivateNamesOfBoth,
    Setter,
    SetterByName,
    ChangedMethodOfTorch,
    MethodOfInstance,
    PassesOn,
    PlainObject,
    SuperOfPlainObject,
    FieldHiddenByProperty,
    AsksForMethods,
    FunctionsInATuple,
    TableOfModules,
    LoopOverDict,
    HidesDescriptor,
    NamesBehindNames,
    SetsThroughHook,
]
REFUSED = {
    ReadsAnotherValue: (
        "DY206",
        "`__getattribute__`, which gives another value",
        "self.config.size",
    ),
    HiddenByDescriptor: (
        "DY206",
        "the attribute `scale` of the model is a Descriptor of HiddenByDescriptor",
        "self.scale",
    ),
    SetsReadOnlyProperty: (
        "DY206",
        "`scale` is a property without a setter",
        "self.scale = 3.0",
    ),
    SetsBySetattr: ("DY206", "setting `scale` calls `__setattr__`", "self.scale = 3.0"),
    sets_hidden_parameter: (
        "DY206",
        "`scale` is set on the module, and read from its class",
        "self.scale = x[0]",
    ),
    ReadsMethodOfTorch: (
        "DY201",
        "`extra_repr`, which `Linear` has from `Linear`",
        "self.fc.extra_repr()",
    ),
}
"""Code, words of the message, a piece of the line it points at."""
