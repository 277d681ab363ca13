"""What a loop goes over by number: lists and tensors as long as the input decides.

A loop over `zip(v, w)` counts, and item k is the tuple of `v[k]` and `w[k]`.
`enumerate`, `reversed`, `zip`, `iter` and `list` of them are gone over in the same way.
With one of them, `zip` takes ranges, and lists and tuples of known items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.iterators import ITERATORS, is_used_up_once
from dycl.ir import (
    BinaryOp,
    CallOp,
    ConstantOp,
    ListOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.torch import IntT
from dycl.ir.values import GlobalRef, to_attr

IsCounted = Callable[[SSAValue], bool]
"""Whether a value is a list or tensor that is to be gone over by number."""
Put = Callable[[Operation], SSAValue]
"""Puts an op where code is made; gives its result."""

_COPIES = ("builtins.iter", "builtins.list", "builtins.tuple")


@dataclass(frozen=True)
class Counted:
    """A list, or what a function makes of it; item k is known where k is."""

    how: str
    """"" (its own items), "reversed", "enumerate", "zip", "map" or "range"."""
    value: SSAValue | None = None
    """The list or tensor, where a range ends, or the function of `map`."""
    parts: "tuple[Counted, ...]" = ()
    """What `enumerate`, `zip` and `map` are given."""
    start: int = 0
    """Where `enumerate` and a range begin."""
    stop: int = 0
    """Where a range ends that is known."""

    @property
    def lists(self) -> "Iterator[Counted]":
        """The lists and tensors at the bottom."""
        if self.parts:
            for part in self.parts:
                yield from part.lists
        elif self.how != "range":
            yield self

    def length(self, put: Put) -> SSAValue:
        """How many items there are, an int; below zero for an empty range."""
        if self.how == "range":
            if self.value is None:
                return put(ConstantOp(to_attr(self.stop - self.start), IntT))
            return _added(self.value, -self.start, put)
        lengths = [part.length(put) for part in self.parts]
        if not lengths:
            return _built_in("len", [cast(SSAValue, self.value)], put)
        return lengths[0] if len(lengths) == 1 else _built_in("min", lengths, put)

    def item(self, counter: SSAValue, put: Put) -> SSAValue:
        """The item of a number, which is below the length."""
        match self.how:
            case "range":
                return _added(counter, self.start, put)
            case "enumerate":
                number = _added(counter, self.start, put)
                return put(TupleOp([number, self.parts[0].item(counter, put)]))
            case "zip":
                return put(TupleOp([part.item(counter, put) for part in self.parts]))
            case "map":
                parts = [part.item(counter, put) for part in self.parts]
                return put(CallOp(cast(SSAValue, self.value), parts))
            case "reversed":
                last = put(ConstantOp(to_attr(-1), IntT))
                counter = put(BinaryOp("sub", last, counter, IntT))
            case _:
                pass
        return put(SubscriptOp(cast(SSAValue, self.value), counter))


def counted(iterable: SSAValue, is_counted: IsCounted) -> Counted | None:
    """How a loop goes over something by number; None: that is not what it is."""
    found = _found(iterable, is_counted)
    if found is None or not any(
        is_counted(cast(SSAValue, one.value)) for one in found.lists
    ):
        return None
    return found


def _found(iterable: SSAValue, is_counted: IsCounted) -> Counted | None:
    if is_counted(iterable):
        return Counted("", iterable)
    call = iterable.owner
    if not isinstance(call, CallOp) or not call.positional:
        return None
    if call.keyword_names and not _is_lenient(call):
        return None
    name, (first, *others) = constant_name(call.callee), call.positional
    if name in ITERATORS and not is_used_up_once(iterable):
        return None  # somebody else has gone over it by then, or some of it
    if name in _COPIES and not others:
        return _found(first, is_counted)
    if name == "builtins.reversed" and not others and is_counted(first):
        return Counted("reversed", first)
    if name == "builtins.enumerate" and len(others) < 2:
        start = constant_value(others[0]) if others else 0
        inner = _found(first, is_counted)
        if inner is None or not isinstance(start, int):
            return None
        return Counted("enumerate", parts=(inner,), start=start)
    if name not in ("builtins.map", "builtins.zip"):
        return None
    function = first if name == "builtins.map" else None
    given = call.positional if function is None else others
    parts = [_found(v, is_counted) or _beside(v) for v in given]
    known = tuple(part for part in parts if part is not None)
    if len(known) < len(parts) or not parts:
        return None
    return Counted("zip" if function is None else "map", function, known)


def _is_lenient(call: CallOp) -> bool:
    """Whether this is `zip(v, w, strict=False)`, which is `zip(v, w)`."""
    if constant_name(call.callee) != "builtins.zip" or call.is_starred:
        return False
    given = call.keyword_arguments
    return [*given] == ["strict"] and constant_value(given["strict"]) is False


def _beside(value: SSAValue) -> Counted | None:
    """What `zip` may be given beside a list that a run makes."""
    owner, constant = value.owner, constant_value(value)
    if isinstance(constant, range) and constant.step == 1:
        return Counted("range", start=constant.start, stop=constant.stop)
    is_known = isinstance(constant, (list, tuple))
    if isinstance(owner, (ListOp, TupleOp)) or is_known:
        return Counted("", value)
    if not isinstance(owner, CallOp) or owner.keyword_names:
        return None
    if constant_name(owner.callee) != "builtins.range" or len(owner.positional) > 2:
        return None
    *first, stop = list(owner.positional)
    start = constant_value(first[0]) if first else 0
    is_int = stop.type == IntT or type(constant_value(stop)) is int
    return (
        Counted("range", stop, start=start) if is_int and type(start) is int else None
    )


def _built_in(name: str, given: list[SSAValue], put: Put) -> SSAValue:
    function = put(ConstantOp(to_attr(GlobalRef(f"builtins.{name}"))))
    return put(CallOp(function, given))


def _added(counter: SSAValue, start: int, put: Put) -> SSAValue:
    if not start:
        return counter
    offset = put(ConstantOp(to_attr(start), IntT))
    return put(BinaryOp("add", counter, offset, IntT))
