"""Numbers of a run in a trace: where they come to stand, and that nothing reads them.

A number that only a run knows is traced with samples. Two traces that are alike but for
the samples show where the number stands. If the op was taken apart on the way, that is
not enough: what took it apart may have asked something of both samples that it would
not have found of a third. So it is traced again with numbers that refuse to answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, cast

from dycl.analysis.tensors.number_ranges import BECOMES
from dycl.analysis.tracing.graph import Converted, Input, Node, Trace, Untraceable

OPEN_NUMBER = (
    "a number that depends on the input is used here in a way that has no lowering"
)
SOME_RAISE = (
    "a number that depends on the input is used here where torch does not take every "
    "number"
)
INDEXED = ("torch.aten.select.int", "torch.aten.narrow")
"""Ops by a number that is an index, which a run compares with the size."""
_QUESTIONS = (
    *("bool", "eq", "ne", "lt", "le", "gt", "ge", "int", "float", "trunc", "round"),
    *(
        "floor",
        "ceil",
        "neg",
        "pos",
        "abs",
        "add",
        "radd",
        "sub",
        "rsub",
        "mul",
        "rmul",
    ),
    *("truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "divmod"),
    *("rdivmod", "pow", "rpow", "and", "rand", "or", "ror", "xor", "rxor", "invert"),
    *("lshift", "rlshift", "rshift", "rrshift", "index"),
)
"""The methods, less their underlines, by which code reads or computes with a number."""


def merged(first: Trace, second: Trace, pairs: Mapping[int, tuple[Any, Any]]) -> Trace:
    """The first trace with `Input` where each open number stands.

    `pairs` are the samples of both traces, by the leaf they stand for. Untraceable: the
    traces differ otherwise, or a number stands nowhere.
    """
    if len(first.nodes) != len(second.nodes):
        raise Untraceable(OPEN_NUMBER)
    used: set[int] = set()

    def merge(a: object, b: object) -> object:
        if isinstance(a, tuple) and isinstance(b, tuple):
            ones, others = cast("Any", a), cast("Any", b)
            if len(ones) != len(others):
                raise Untraceable(OPEN_NUMBER)
            return tuple(merge(x, y) for x, y in zip(ones, others, strict=True))
        if type(a) is type(b) and a == b:
            return a
        for position, pair in pairs.items():
            if (type(a), a, type(b), b) == (type(pair[0]), pair[0], type(b), pair[1]):
                used.add(position)
                return Input(position)
            if (type(a), type(b), type(pair[0])) == (float, float, int) and (
                (a, b) == pair
            ):
                used.add(position)
                return Input(position, as_float=True)
        raise Untraceable(OPEN_NUMBER)

    nodes: list[Node] = []
    for one, other in zip(first.nodes, second.nodes, strict=True):
        if replace(one, operands=()) != replace(other, operands=()):
            raise Untraceable(OPEN_NUMBER)
        operands = cast("tuple[object, ...]", merge(one.operands, other.operands))
        nodes.append(replace(one, operands=operands))
    alike = (first.results, first.checks) == (second.results, second.checks)
    if used != set(pairs) or not alike:
        raise Untraceable(OPEN_NUMBER)
    return Trace(tuple(nodes), first.results, first.checks)


def are_indices(trace: Trace, numbers: Mapping[int, Any]) -> bool:
    """Whether open numbers, by leaf, are indices that a run looks at, and no more."""

    def has_number(operand: object) -> bool:
        if isinstance(operand, tuple):
            return any(map(has_number, cast("tuple[object, ...]", operand)))
        return isinstance(operand, Input) and operand.leaf in numbers

    return all(n.op in INDEXED or not has_number(n.operands) for n in trace.nodes)


def unread_numbers(
    samples: tuple[dict[int, Any], dict[int, Any]], found: Trace
) -> list[dict[int, Any]]:
    """Numbers to trace with once more, by leaf: whatever is equal to one is taken for
    it, and torch leaves out an argument that is its default.

    Such as nothing else is, which may be no index; those of the second sample; floats
    for ints, if torch makes floats of all of them.
    """
    first, second = samples
    rare = {
        leaf: _RARE[count % len(_RARE)] if type(number) is int else second[leaf]
        for count, (leaf, number) in enumerate(first.items())
    }
    taken = {x for node in found.nodes for x in _inputs(node.operands)}
    floats = {x.leaf for x in taken if x.as_float}
    if not floats or any(x.leaf in floats and not x.as_float for x in taken):
        return [rare, second]
    given = {leaf: float(n) if leaf in floats else n for leaf, n in rare.items()}
    return [given]


def _inputs(operand: object) -> list[Input]:
    if isinstance(operand, tuple):
        return [
            x for item in cast("tuple[object, ...]", operand) for x in _inputs(item)
        ]
    return [operand] if isinstance(operand, Input) else []


_RARE = (101, 103, 107, 109, 113, 127)
"""Ints that an int8 may be."""


def silent(number: Any) -> Any:
    """The number for torch's C++; Python code that asks what it is gets Untraceable.

    A bool has two values, and both are traced.
    """
    kind = _SILENT.get(type(number))
    return number if kind is None else kind(number)


def silenced(
    table: Mapping[Any, Callable[..., Any]], samples: Mapping[int, Any]
) -> dict[Any, Callable[..., Any]]:
    """The table of decompositions, if the samples are `silent` of one that gives its
    functions such numbers, which have come through C++ as plain ones."""
    known = {
        (kind, made.__pos__(number))
        for number in samples.values()
        for made, unread in _SILENT.items()
        if type(number) is unread
        for kind in (made, float)  # C++ makes floats of ints.
    }
    if not known:
        return dict(table)
    kinds = {kind for kind, _ in known}

    def one(value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(one, value))
        if type(value) not in kinds:  # One of torch's symbols has no hash.
            return value
        return silent(value) if (type(value), value) in known else value

    def called(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        named = {name: one(value) for name, value in named.items()}
        return function(*map(one, args), **named)

    return {op: partial(called, function) for op, function in table.items()}


def conversions(graph: Any, samples: Mapping[int, Any]) -> tuple[Converted, ...]:
    """The numbers that ops of an fx graph make elements of; they stand for samples."""
    found: list[Converted] = []
    for node in graph.graph.nodes:
        name = getattr(getattr(node.target, "_schema", None), "name", "")
        becomes = BECOMES.get(name.removeprefix("aten::").removesuffix("_"))
        if becomes is None or not hasattr(node.meta.get("val"), "dtype"):
            continue
        dtype = str(node.meta["val"].dtype).removeprefix("torch.")
        arguments = [argument.name for argument in node.target._schema.arguments]
        given = {**dict(zip(arguments, node.args, strict=False)), **node.kwargs}
        found += [
            Converted(leaf, dtype, how)
            for argument, how in becomes.items()
            for leaf, number in samples.items()
            if (type(given.get(argument)), given.get(argument))
            == (type(number), number)
        ]
    return tuple(dict.fromkeys(found))


def _no_answer(number: object, *others: object) -> Any:
    """What a tensor is computed with is given to the tensor."""
    if any(hasattr(other, "untyped_storage") for other in others):
        return NotImplemented
    return _refuse()


def _refuse() -> NoReturn:
    raise Untraceable(OPEN_NUMBER)


_METHODS = {f"__{name}__": _no_answer for name in _QUESTIONS}
_SILENT: dict[Any, Any] = {
    kind: type(f"Silent_{kind.__name__}", (kind,), _METHODS) for kind in (int, float)
}
