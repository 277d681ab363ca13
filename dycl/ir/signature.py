"""The parameters of a function of the module, and Python's rules for binding them.

    dycl.params           all parameters, in the order of the block's arguments
    dycl.positional_only  how many of them, from the front, have no keyword
    dycl.keyword_only     those that are given by keyword only
    dycl.vararg, dycl.kwarg   the names behind `*` and `**`, if there are such
    dycl.defaults         the defaults that are known; `#dycl.leaf<n>` is the value of
                          the n-th parameter (computed where the function was defined)
    dycl.wrapped_params   the parameters that `inspect.signature` has of a decorated one

The inliner binds SSA values, the interpreter Python's: `bind` is the same for both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute

T = TypeVar("T")
WRAPPED = "dycl.wrapped_params"


@dataclass(frozen=True)
class Default:
    """A parameter that was not given: its default is to be used."""

    name: str


@dataclass(frozen=True)
class Rest(Generic[T]):
    """What `*args` gets."""

    items: tuple[T, ...]


@dataclass(frozen=True)
class Keywords(Generic[T]):
    """What `**kwargs` gets."""

    entries: dict[str, T]


@dataclass(frozen=True)
class Signature:
    """The parameters of one function."""

    names: tuple[str, ...]
    positional_only: int = 0
    keyword_only: tuple[str, ...] = ()
    vararg: str = ""
    kwarg: str = ""
    defaults: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])

    @property
    def positional(self) -> tuple[str, ...]:
        """Parameters that may be given by position."""
        others = {*self.keyword_only, self.vararg, self.kwarg}
        return tuple(n for n in self.names if n not in others)

    @staticmethod
    def of(attributes: Mapping[str, Attribute], fallback: Sequence[str]) -> "Signature":
        """The signature that a function's attributes say, or one of plain names."""
        names = attributes.get("dycl.params")
        defaults = attributes.get("dycl.defaults")
        front = attributes.get("dycl.positional_only")
        return Signature(
            _strings(names) if names is not None else tuple(fallback),
            front.value.data if isinstance(front, IntegerAttr) else 0,
            _strings(attributes.get("dycl.keyword_only")),
            _string(attributes.get("dycl.vararg")),
            _string(attributes.get("dycl.kwarg")),
            defaults.data if isinstance(defaults, DictionaryAttr) else {},
        )

    def attributes(self) -> dict[str, Attribute]:
        """The attributes that say this; `of` reads them."""
        result: dict[str, Attribute] = {
            "dycl.params": ArrayAttr(StringAttr(n) for n in self.names)
        }
        if self.positional_only:
            result["dycl.positional_only"] = IntegerAttr(self.positional_only, i64)
        if self.keyword_only:
            names = ArrayAttr(StringAttr(n) for n in self.keyword_only)
            result["dycl.keyword_only"] = names
        if self.vararg:
            result["dycl.vararg"] = StringAttr(self.vararg)
        if self.kwarg:
            result["dycl.kwarg"] = StringAttr(self.kwarg)
        if self.defaults:
            result["dycl.defaults"] = DictionaryAttr(dict(self.defaults))
        return result


Bound = T | Default | Rest[T] | Keywords[T]


def bind(
    function: str, signature: Signature, args: Sequence[T], kwargs: Mapping[str, T]
) -> "list[Bound[T]]":
    """What each parameter gets, in the order of the names.

    Raises TypeError, in Python's words, when the arguments do not fit.
    """
    positional = signature.positional
    if len(args) > len(positional) and not signature.vararg:
        raise TypeError(_too_many(function, signature, len(args)))
    bound: dict[str, Bound[T]] = dict(zip(positional, args, strict=False))
    others: dict[str, T] = {}
    by_keyword = {*positional[signature.positional_only :], *signature.keyword_only}
    for name, value in kwargs.items():
        if name not in by_keyword:
            if not signature.kwarg:
                raise TypeError(_unexpected(function, signature, name))
            others[name] = value
        elif name in bound:
            raise TypeError(f"{function}() got multiple values for argument '{name}'")
        else:
            bound[name] = value
    if signature.vararg:
        bound[signature.vararg] = Rest(tuple(args[len(positional) :]))
    if signature.kwarg:
        bound[signature.kwarg] = Keywords(others)
    for kind, names in (
        ("positional", positional),
        ("keyword-only", signature.keyword_only),
    ):
        missing = [n for n in names if n not in {*bound, *signature.defaults}]
        if missing:
            raise TypeError(_missing(function, kind, missing))
    return [bound[n] if n in bound else Default(n) for n in signature.names]


def _too_many(function: str, signature: Signature, given: int) -> str:
    takes = len(signature.positional)
    least = sum(n not in signature.defaults for n in signature.positional)
    count = str(takes) if least == takes else f"from {least} to {takes}"
    return (
        f"{function}() takes {count} positional argument{'s' * (count != '1')} "
        f"but {given} {'was' if given == 1 else 'were'} given"
    )


def _unexpected(function: str, signature: Signature, name: str) -> str:
    if name in signature.names[: signature.positional_only]:
        return (
            f"{function}() got some positional-only arguments passed as keyword "
            f"arguments: '{name}'"
        )
    return f"{function}() got an unexpected keyword argument '{name}'"


def _missing(function: str, kind: str, names: Sequence[str]) -> str:
    quoted = [f"'{n}'" for n in names]
    shown = " and ".join(quoted)
    if len(quoted) > 2:
        shown = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    return (
        f"{function}() missing {len(names)} required {kind} "
        f"argument{'s' * (len(names) != 1)}: {shown}"
    )


def _strings(names: Attribute | None) -> tuple[str, ...]:
    if not isinstance(names, ArrayAttr):
        return ()
    return tuple(n.data for n in cast("ArrayAttr[StringAttr]", names))


def _string(name: Attribute | None) -> str:
    return name.data if isinstance(name, StringAttr) else ""
