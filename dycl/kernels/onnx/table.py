"""The table of ops: op of torch -> the function that writes it in ONNX, and its opset.

Before:  %y = torch.aten.relu %x
After:   y = Relu(x)

A function takes the graph, the op, and the op's operands: a `Value` for a tensor, and
for what is constant a Python value, list or None. It gives the values of the results,
and raises `Unfit` for arguments that ONNX has no form for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Function = Callable[..., "Value | Sequence[Value]"]


class Unfit(Exception):
    """An op that an engine is not given; the text says why."""


@dataclass(frozen=True)
class Value:
    """A tensor in a graph."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    is_number: bool = False
    """Whether it is a Python number that a run passes, of the dtype in which it is."""

    @property
    def is_float(self) -> bool:
        """Whether its elements are floating-point numbers."""
        return self.dtype.startswith("float")


@dataclass(frozen=True)
class Row:
    """How an op of torch is written in ONNX."""

    opset: int
    """The first opset that has all ops that the function writes."""
    write: Function


@dataclass(frozen=True)
class Reader:
    """What an engine reads."""

    opset: int
    """The last opset that it knows."""
    wrong: frozenset[str] = frozenset()
    """Kinds of nodes of which it does not make what eager does, for NaN, infinities or
    the smallest numbers: they are written in other ones, by `careful.py`."""


CAREFUL: dict[str, Callable[..., "Value"]] = {}
"""Kind of a node -> what writes it in others. It is given the graph, the node's inputs,
dtype and shape, and its attributes by name; `careful.py` fills it."""

TABLE: dict[str, Row] = {}
"""Op of torch, without `torch.` -> its row. The files of the topics fill it."""

UNUSED = "unused"
"""The name of a result that is not written, since nobody uses it."""

BASE = 17
"""The opset of a graph whose ops are older."""


def onnx(*names: str, opset: int = BASE) -> Callable[[Function], Function]:
    """A function that writes these ops of torch, in ops of that opset."""

    def register(function: Function) -> Function:
        for name in names:
            assert name not in TABLE, name
            TABLE[f"torch.{name}"] = Row(opset, function)
        return function

    return register


def need(condition: Any, why: str) -> None:
    """Unfit: the condition does not hold."""
    if not condition:
        raise Unfit(why)
