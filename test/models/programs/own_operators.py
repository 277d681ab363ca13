"""Operators of the user's classes that answer for some operands only."""

import torch
from torch import nn


class Amount:
    """Adds amounts; of anything else it knows nothing, or only from the right."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        if isinstance(other, Amount):
            return Amount(self.value + other.value)
        return NotImplemented

    def __radd__(self, other):
        if isinstance(other, (int, float, torch.Tensor)):
            return Amount(self.value + other * 3)
        return NotImplemented

    def __eq__(self, other):
        if not isinstance(other, Amount):
            return NotImplemented
        return bool((self.value == other.value).all())

    def __lt__(self, other):
        if not isinstance(other, Amount):
            return NotImplemented
        return bool(self.value.sum() < other.value.sum())

    __hash__ = None


class Derived(Amount):
    """Is asked first, since its class is derived from the other's."""

    def __radd__(self, other):
        return Derived(self.value * 7)

    def __gt__(self, other):
        return True


class Unequal(Amount):
    def __eq__(self, other):
        return False

    __hash__ = None


class Eager:
    """Of no class that the other side knows; it always has an answer."""

    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        return Eager(self.value + other.value * 100)

    def __eq__(self, other):
        return True

    __hash__ = None


class Place:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


class Adds(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return (Amount(x) + Amount(x * 2)).value, (Amount(x) + Eager(x)).value
        both = [2 + Amount(x), Amount(x)]
        return sum(both).value, (Amount(x) + Derived(x * 2)).value


class AddsToTensors(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return (x + Amount(x)).value
        return (x.sum() + Amount(x)).value


class Compares(nn.Module):
    def forward(self, x):
        y = x
        if Amount(x) == Amount(x.abs()):
            y = y + 1
        if Amount(x) != Amount(x.abs()):
            y = y + 2
        y = y + (10 if Amount(x) == 3 else 20) + (100 if x.sum() != Amount(x) else 200)
        y = y + (1000 if Amount(x) == Eager(x) else 2000)
        y = y * (2 if Amount(x) == Unequal(x) else 3)
        return y + (0.5 if Eager(x) != Amount(x) else 0.25)


class Orders(nn.Module):
    def forward(self, x):
        y = x
        if Amount(x) < Amount(x.abs()):
            y = y + 1
        if Amount(x) > Amount(-x):
            y = y + 100
        return y + (10 if Amount(x) < Derived(x) else 20)


class BoundMethod(nn.Module):
    """An object that nothing but a method of its own leads to."""

    def forward(self, x):
        add = Amount(x).__add__
        return add(Amount(x * 2)).value if x.sum() > 0 else x


class Indexed(nn.Module):
    def forward(self, x):
        place = Place(2)
        return x * [1, 2, 3][place] if x.sum() > 0 else x


class RaisesTypeError(nn.Module):
    def forward(self, x):
        if x.sum() > 3:
            return (Amount(x) + "text").value
        if x.sum() < -3:
            return x if Amount(x) < 3 else -x
        return x


class Setter:
    """Whose property is given an object."""

    @property
    def twice(self):
        return self.kept

    @twice.setter
    def twice(self, amount):
        self.kept = Amount(amount.value * 2)


class SetsToObject(nn.Module):
    def forward(self, x):
        setter = Setter()
        setter.twice = Amount(x)
        return setter.twice.value if x.sum() > 0 else x


class Doubling:
    """A descriptor of the user's."""

    def __get__(self, instance, owner=None):
        return instance.kept * 2

    def __set__(self, instance, value):
        instance.kept = value + 1


class Described:
    doubled = Doubling()


class SetsDescriptor(nn.Module):
    def forward(self, x):
        described = Described()
        described.doubled = x
        return described.doubled if x.sum() > 0 else x


class SetsOwnDescriptor(nn.Module):
    doubled = Doubling()

    def __init__(self):
        super().__init__()
        self.kept = 1

    def forward(self, x):
        self.doubled = 3
        return self.kept * x if x.sum() > 0 else x


PROGRAMS = [
    *(Adds, AddsToTensors, Compares, Orders, BoundMethod, Indexed, RaisesTypeError),
    SetsToObject,
]
REFUSED = {
    SetsDescriptor: ("DY206", "this sets `doubled`", "described.doubled = x"),
    SetsOwnDescriptor: ("DY206", "this sets `doubled`", "self.doubled = 3"),
}
