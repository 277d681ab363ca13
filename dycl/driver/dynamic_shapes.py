"""Which sizes of the inputs a call decides, as a user says it: `dynamic_shapes`.

    n = dycl.Dim("n", min=1, max=512)
    dycl.compile(model, (x, mask), dynamic_shapes={"x": {1: n}, "mask": (None, n)})

The form is that of `torch.export.export`, whose own `Dim`s are taken as well: for each
parameter by name, or for each argument in order, None, a dict of dimensions, or one
entry for each dimension; within the structure that the argument has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod
from typing import Any, ClassVar, cast

from dycl.driver.inputs import Example, parameter_names
from dycl.ir.input_sizes import InputSize
from dycl.ir.torch import DYNAMIC, VTensorType


class Hint(Enum):
    """A dimension without a name: of a size of its own in each call, or fixed."""

    AUTO = "auto"
    DYNAMIC = "dynamic"
    STATIC = "static"


@dataclass(frozen=True)
class Dim:
    """A size that each call decides, within a range; equal names are equal sizes.

    ValueError: no size of two or more is in the range, or it has no name.
    """

    name: str
    min: int = 0
    max: int | None = None
    """The largest size, included; None: there is none."""

    AUTO: ClassVar[Hint] = Hint.AUTO
    DYNAMIC: ClassVar[Hint] = Hint.DYNAMIC
    STATIC: ClassVar[Hint] = Hint.STATIC

    def __post_init__(self) -> None:
        """Refuse what no call could fulfil."""
        if not self.name:
            raise ValueError("a Dim needs a name")
        if self.min < 0:
            raise ValueError(f"the Dim `{self.name}` has a min of {self.min}")
        if self.max is not None and self.max < max(self.min, 2):
            raise ValueError(
                f"the Dim `{self.name}` is {self.min} to {self.max}: its max has to be "
                "two or more, and not below its min; a size of 0 or 1 alone is fixed"
            )


def with_dynamic_shapes(
    model: Any,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any],
    example: Example,
    dynamic_shapes: Any,
) -> Example:
    """The example with types whose sizes are open where `dynamic_shapes` says so.

    TypeError: that is not of the form of the arguments. ValueError: a size of the
    example is out of range, or one name stands for several sizes or ranges.
    """
    names = parameter_names(model, len(inputs))
    arguments = {**dict(zip(names, inputs, strict=False)), **kwargs}
    specs = dict(_by_name(arguments, _by_parameter(arguments, dynamic_shapes)))
    leaf_names = example.names or tuple(names[: len(inputs)])
    found = _Sizes()
    types = [
        found.open(name, type_, specs.get(name))
        for name, type_ in zip(leaf_names, example.types, strict=True)
    ]
    # The names of a decorated `forward`, which its source calls `args_0`, are kept.
    return replace(
        example, types=tuple(types), sizes=found.sizes(), names=tuple(leaf_names)
    )


def with_hints(
    sizes: Sequence[InputSize], hints: Mapping[str, Any] | None
) -> tuple[InputSize, ...]:
    """The sizes with the versions that `hints={"n": [128]}` asks for.

    TypeError: a hint is no int and no list of ints. ValueError: a name is no size, a
    hint is out of its range, or there are too many versions.
    """
    asked = {} if hints is None else {n: _listed(n, h) for n, h in hints.items()}
    known = {size.name: size for size in sizes}
    for name, values in asked.items():
        if name not in known:
            names = ", ".join(known)
            are = f"calls decide {names}" if known else "no size is dynamic"
            raise ValueError(f"hints names `{name}`, which is no dynamic size: {are}")
        low, high = known[name].low, known[name].high
        for value in values:
            if value < low or (high is not None and value > high):
                raise ValueError(
                    f"the hint {name} = {value} is not in "
                    f"{name} = {known[name].range_text}"
                )
    count = prod(len(values) for values in asked.values() if values)
    if count > MOST_VERSIONS:
        raise ValueError(
            f"hints asks for {count} versions of the network, one for each choice of "
            f"sizes; {MOST_VERSIONS} are the most"
        )
    return tuple(replace(s, versions=asked.get(s.name, ())) for s in sizes)


MOST_VERSIONS = 16
"""Each is compiled as a network of its own."""


def _listed(name: str, hint: Any) -> tuple[int, ...]:
    """The sizes that are hinted, each once, in order."""
    values = list(cast("Sequence[Any]", hint)) if _is_list(hint) else [hint]
    for value in values:
        if type(value) is not int:
            raise TypeError(
                f"hints has {value!r} for `{name}`; write sizes, as in "
                f"hints={{{name!r}: [128, 256]}}"
            )
    return tuple(dict.fromkeys(values))


def _is_list(hint: Any) -> bool:
    return isinstance(hint, (list, tuple, range))


class _Sizes:
    """The sizes that have been named so far, and where."""

    def __init__(self) -> None:
        self._dims: dict[str, Dim] = {}
        self._examples: dict[str, int] = {}
        self._places: dict[str, list[tuple[str, int]]] = {}
        self._reckoned: dict[str, str] = {}
        """Names of torch's that are reckoned, `2*n`, and where each came first."""

    def sizes(self) -> tuple[InputSize, ...]:
        """All of them, in the order of the inputs."""
        return tuple(
            InputSize(name, dim.min, dim.max, tuple(self._places[name]))
            for name, dim in self._dims.items()
        )

    def open(self, name: str, found: Any, spec: object) -> Any:
        """The type of the input `name`, with its open dimensions."""
        if spec is None:
            return found
        if not isinstance(found, VTensorType):
            raise TypeError(f"dynamic_shapes says sizes of `{name}`, which is a number")
        sizes = list(found.sizes() or ())
        for dimension, entry in _entries(name, len(sizes), spec):
            dim = _dim(name, dimension, entry, sizes[dimension])
            if dim is None or dim.min == dim.max:
                continue
            if _is_reckoned(entry):
                place = f"{name}.size({dimension})"
                dim = replace(dim, name=self._reckoned.setdefault(dim.name, place))
            self._add(dim, name, dimension, sizes[dimension])
            sizes[dimension] = DYNAMIC
        return VTensorType.of(sizes, found.element_type())

    def _add(self, dim: Dim, name: str, dimension: int, size: int) -> None:
        known = self._dims.setdefault(dim.name, dim)
        if known != dim:
            raise ValueError(
                f"the Dim `{dim.name}` has two ranges: {_range(known)}, {_range(dim)}"
            )
        before = self._examples.setdefault(dim.name, size)
        if before != size:
            raise ValueError(
                f"the Dim `{dim.name}` is {before} and {size} in the example inputs: "
                "where sizes may differ, they need a Dim each"
            )
        self._places.setdefault(dim.name, []).append((name, dimension))


def _range(dim: Dim) -> str:
    return f"{dim.min} or more" if dim.max is None else f"{dim.min} to {dim.max}"


def _by_parameter(arguments: Mapping[str, Any], given: Any) -> dict[str, Any]:
    """What is said of each argument. TypeError: it is said in another form."""
    if isinstance(given, Mapping):
        for name in cast("Mapping[str, Any]", given):
            if name not in arguments:
                raise TypeError(
                    f"dynamic_shapes names `{name}`, which is no input; there "
                    f"{'is' if len(arguments) == 1 else 'are'} {', '.join(arguments)}"
                )
        return dict(cast("Mapping[str, Any]", given))
    if isinstance(given, (tuple, list)):
        listed = cast("Sequence[Any]", given)
        if len(listed) != len(arguments):
            raise TypeError(
                f"dynamic_shapes has {len(listed)} entries for {len(arguments)} inputs"
            )
        return dict(zip(arguments, listed, strict=True))
    raise TypeError(
        "dynamic_shapes is a dict by the names of parameters, or a tuple in their "
        f"order, not a {type(given).__name__}"
    )


def _by_name(
    values: Mapping[str, Any], specs: Mapping[str, Any]
) -> Iterator[tuple[str, object]]:
    """What is said of each tensor, by how the user reaches it."""
    for name, spec in specs.items():
        yield from _below(name, values[name], spec)


def _below(name: str, value: Any, spec: Any) -> Iterator[tuple[str, object]]:
    if spec is None:
        return
    if hasattr(value, "shape") or isinstance(value, (bool, int, float)):
        yield name, spec
        return
    if type(value) in (tuple, list):
        parts = {f"{name}[{i}]": item for i, item in enumerate(value)}
        keys: list[Any] = list(range(len(value)))
    elif isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        parts = {f"{name}[{key!r}]": item for key, item in mapping.items()}
        keys = list(mapping)
    else:
        keys = list(getattr(value, "_fields", ()) or vars(value))
        parts = {f"{name}.{key}": getattr(value, key) for key in keys}
    if isinstance(spec, (tuple, list)):
        listed = list(cast("Sequence[Any]", spec))
    elif isinstance(spec, Mapping):
        said = cast("Mapping[Any, Any]", spec)
        listed = [said.get(key) for key in keys]
        if unknown := [key for key in said if key not in keys]:
            raise TypeError(f"dynamic_shapes names `{unknown[0]}` in `{name}`")
    else:
        listed = []
    if len(listed) != len(parts):
        raise TypeError(
            f"dynamic_shapes does not have the form of `{name}`, a "
            f"{type(value).__name__} of {len(parts)}"
        )
    for (inner, item), one in zip(parts.items(), listed, strict=True):
        yield from _below(inner, item, one)


def _entries(name: str, rank: int, spec: Any) -> Iterator[tuple[int, Any]]:
    """What is said of each dimension of a tensor."""
    if isinstance(spec, Mapping):
        for dimension, entry in cast("Mapping[Any, Any]", spec).items():
            if type(dimension) is not int or not -rank <= dimension < rank:
                raise TypeError(
                    f"`{name}` has {rank} dimensions; dynamic_shapes says something "
                    f"of dimension {dimension!r}"
                )
            yield dimension % rank, entry
        return
    if not isinstance(spec, (tuple, list)) or len(cast("list[Any]", spec)) != rank:
        raise TypeError(
            f"for `{name}`, dynamic_shapes needs a dict of dimensions, or an entry for "
            f"each of its {rank}, not {spec!r}"
        )
    yield from enumerate(cast("Sequence[Any]", spec))


def _dim(name: str, dimension: int, entry: Any, size: int) -> Dim | None:
    """The size that is said of a dimension; None: that of the example."""
    place = f"`{name}` has size {size} in dimension {dimension}"
    if entry is None or _hint(entry) is Hint.STATIC:
        return None
    if type(entry) is int:
        if entry != size:
            raise ValueError(f"{place}, which dynamic_shapes fixes at {entry}")
        return None
    if _hint(entry) is not None:
        low, high = getattr(entry, "min", None), getattr(entry, "max", None)
        return Dim(f"{name}.size({dimension})", low or 0, _end(high))
    dim = entry if isinstance(entry, Dim) else _of_torch(entry)
    if dim is None:
        raise TypeError(f"for `{name}`, dynamic_shapes has {entry!r}, which is no Dim")
    if size < dim.min or (dim.max is not None and size > dim.max):
        raise ValueError(f"{place}, which is not in `{dim.name}`: {_range(dim)}")
    return dim


def _hint(entry: Any) -> Hint | None:
    """One without a name, ours or torch's."""
    if isinstance(entry, Hint):
        return entry
    if type(entry).__name__ == "_DimHint":
        return Hint[entry.type.name]
    return None


def _of_torch(entry: Any) -> Dim | None:
    """A `torch.export.Dim`; torch is not imported to find out.

    One that is reckoned from another, `2 * n`, is a size of its own, with its range:
    what the ops of the network ask of both is checked in a run.
    """
    if not all(hasattr(entry, known) for known in ("__name__", "min", "max")):
        return None
    return Dim(entry.__name__, int(entry.min), _end(entry.max))


def _is_reckoned(entry: Any) -> bool:
    """Whether one of torch's is made of another."""
    return hasattr(entry, "root") and hasattr(entry, "fn")


def _end(high: Any) -> int | None:
    """A largest size; torch says that there is none by a number that has none."""
    is_number = isinstance(high, int) and high < 2**62
    return int(high) if is_number else None
