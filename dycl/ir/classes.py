"""A metaclass of our ops, attributes and types: asking for the class is cheap.

xDSL's bases are abstract classes, so Python asks `ABCMeta` for each `isinstance` and
each `case` that does not hold, and passes ask some ten million times. No class here has
virtual subclasses (`ABCMeta.register`), so the answer of `type` is the same.
"""

from abc import ABCMeta


class ByType(ABCMeta):
    """An abstract class whose `isinstance` is that of a plain one."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__
