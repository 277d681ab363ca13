"""Arguments with a structure, and keyword arguments, as inputs of a network.

A network takes tensors and numbers in a fixed order. What is around them (tuples,
lists, dicts, records, their keys), and `None`, texts and truths among them, was fixed
when the network was compiled: it is its signature. An argument may be left out that was
the parameter's default, and the default given where it was left out. The data of the
signature, in JSON's terms, is for each argument one of

    {"leaf": "x"}                           a tensor or number, and its input's name
    {"tree": "root", ...}                   a tree's root: see `dycl.runtime.trees`
    {"constant": None}                      None, a text, a truth
    {"tuple": [...]}   {"list": [...]}      items in order
    {"dict": [[key, value], ...]}           entries in order
    {"record": "net.Batch", "kind": "dataclass", "fields": {name: value, ...}}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NoReturn, Union, cast

from dycl.runtime.inputs import InputError
from dycl.runtime.records import make_record

Structure = Mapping[str, Any]
Held = dict[str, Union[list[Any], dict[Any, Any]]]
"""The caller's lists and dicts, by how the user reaches each."""


class Signature:
    """The arguments that a network takes, by name, and which of them by position."""

    def __init__(
        self,
        arguments: Mapping[str, Structure],
        positional: Sequence[str],
        count: int,
        defaults: Mapping[str, object],
    ):
        """`positional` are the parameters of `forward` that may be given by position;
        the first `count` arguments were when it was compiled. `defaults` are those of
        the parameters that are plain data."""
        self.arguments = dict(arguments)
        self._positional = tuple(positional)
        self.count = count
        self._defaults = dict(defaults)

    @staticmethod
    def of(data: Mapping[str, Any] | None) -> Signature | None:
        """From `data`."""
        if data is None:
            return None
        arguments = dict(data["arguments"])
        return Signature(arguments, data["positional"], data["count"], data["defaults"])

    @property
    def data(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "arguments": [
                [name, argument] for name, argument in self.arguments.items()
            ],
            "positional": list(self._positional),
            "count": self.count,
            "defaults": self._defaults,
        }

    def inputs(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[object, ...]:
        """The tensors and numbers of a call, in order. InputError: as `take`."""
        return self.take(args, kwargs)[0]

    def take(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[tuple[object, ...], Held]:
        """The tensors and numbers of a call, in order, and its lists and dicts.

        InputError: an argument is missing, or has another structure.
        """
        given = dict(zip(self._positional, args))
        if len(args) > len(self._positional):
            raise InputError(
                f"the network takes at most {len(self._positional)} arguments by "
                f"position, but {len(args)} were given"
            )
        for name, value in kwargs.items():
            if name in given:
                raise InputError(f"the input `{name}` was given twice")
            given[name] = value
        for name, value in given.items():
            if name not in self.arguments and not self._is_default(name, value):
                raise InputError(
                    f"the network was compiled without the input `{name}`; it takes "
                    f"{', '.join(self.arguments)}"
                )
        result: list[object] = []
        held: Held = {}
        for name, structure in self.arguments.items():
            if name in given:
                _take(structure, given[name], name, result, held)
            elif not self._is_default(name, structure.get("constant", ...)):
                raise InputError(f"the input `{name}` is missing")
        return tuple(result), held

    def without(self, inputs: Collection[str]) -> Signature:
        """The same for calls that lack some inputs. TypeError: an argument has such an
        input and others."""
        kept: dict[str, Structure] = {}
        count = self.count
        for place, (name, argument) in enumerate(self.arguments.items()):
            names = [leaf.get("leaf", leaf.get("tree")) for leaf in leaves_of(argument)]
            lacking = [inner for inner in names if inner in inputs]
            if not lacking:
                kept[name] = argument
                continue
            if len(lacking) < len(names):
                raise TypeError(f"the argument `{name}` is more than `{lacking[0]}`")
            count -= place < self.count
        positional = [
            n for n in self._positional if n in kept or n not in self.arguments
        ]
        return Signature(kept, positional, count, self._defaults)

    def _is_default(self, name: str, value: object) -> bool:
        default = self._defaults.get(name, ...)
        return default is not ... and type(default) is type(value) and default == value

    def call(
        self, inputs: Sequence[object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """The arguments, by position and by name, that have these inputs."""
        rest = iter(inputs)
        values = {
            name: _build(argument, rest) for name, argument in self.arguments.items()
        }
        first = list(values)[: self.count]
        by_name = {n: v for n, v in values.items() if n not in first}
        return tuple(values[name] for name in first), by_name


def parts(
    structure: Structure, name: str
) -> list[tuple[str, Structure, Callable[[Any], Any]]]:
    """What is in a structure that the user reaches as `name`: for each part how the
    user reaches it, its structure, and what gets it out of a value."""
    if (items := items_of(structure)) is not None:
        return [(f"{name}[{i}]", one, itemgetter(i)) for i, one in enumerate(items)]
    if "dict" in structure:
        entries = structure["dict"]
        return [(f"{name}[{key!r}]", one, itemgetter(key)) for key, one in entries]
    fields: Structure = structure.get("fields", {})
    return [
        (f"{name}.{field}", one, attrgetter(field)) for field, one in fields.items()
    ]


def leaves_of(structure: Structure) -> Iterator[Structure]:
    """The inputs in a structure, in order: leaves and trees."""
    if "leaf" in structure or "tree" in structure:
        yield structure
    elif "constant" not in structure:
        for _, inner, _ in parts(structure, ""):
            yield from leaves_of(inner)


def items_of(structure: Structure) -> Sequence[Any] | None:
    """The items of a tuple's or list's structure; None: it is of something else."""
    return structure.get("tuple", structure.get("list"))


def _take(
    structure: Structure, value: Any, name: str, found: list[object], held: Held
) -> None:
    """Add the inputs in a value, and its lists and dicts. `name`: how the user reaches
    it."""
    if "leaf" in structure or "tree" in structure:
        found.append(value)
        return
    if "constant" in structure:
        constant = structure["constant"]
        if type(value) is not type(constant) or value != constant:
            _refuse(name, value, repr(constant))
        return
    if (items := items_of(structure)) is not None:
        kind = tuple if "tuple" in structure else list
        if type(value) is not kind or len(value) != len(items):
            _refuse(name, value, f"a {kind.__name__} of {_items(items)}")
    elif "dict" in structure:
        keys = [key for key, _ in structure["dict"]]
        if not isinstance(value, dict) or list(cast(Any, value)) != keys:
            _refuse(name, value, f"a dict with the keys {keys}, in this order")
    elif _class_name(value) != structure["record"]:
        _refuse(name, value, f"a {structure['record']}")
    if isinstance(value, (list, dict)):
        held[name] = cast("list[Any] | dict[Any, Any]", value)
    for inner, one, get in parts(structure, name):
        _take(one, get(value), inner, found, held)


def _build(structure: Structure, rest: Iterator[object]) -> object:
    if "leaf" in structure or "tree" in structure:
        return next(rest)
    if "constant" in structure:
        return structure["constant"]
    if (items := items_of(structure)) is not None:
        built = [_build(inner, rest) for inner in items]
        return tuple(built) if "tuple" in structure else built
    if "dict" in structure:
        return {key: _build(inner, rest) for key, inner in structure["dict"]}
    fields: dict[str, Structure] = structure["fields"]
    values = [_build(inner, rest) for inner in fields.values()]
    kind: str = structure["kind"]
    return make_record(structure["record"], kind, tuple(fields), values)


def _refuse(name: str, value: Any, wanted: str) -> NoReturn:
    raise InputError(
        f"the input `{name}` is {_shown(value)}; the network was compiled for {wanted}"
    )


def _shown(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if type(value) in (tuple, list):
        return f"a {type(value).__name__} of {_items(value)}"
    if type(value) is dict:
        return f"a dict with the keys {list(cast('dict[object, object]', value))}"
    return f"a {type(value).__name__}"


def _items(items: Sequence[object]) -> str:
    return f"{len(items)} item{'' if len(items) == 1 else 's'}"


def _class_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
