"""Which inputs have rows, as a user says it, and what the runtime has to know of them.

dycl.compile(model, (x,), rows=True)
dycl.compile(model, (x, table), rows={"x": 0})
dycl.compile(model, ({"ids": ids, "mask": mask}, table), rows={"batch": 0})
dycl.compile(model, (dycl.Tree(root),), rows={"root": 0})   # net([root, ...])
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.driver.inputs import Example, parameter_names
from dycl.ir import EffectOp
from dycl.ir.datatypes import NodeType
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.dtypes import dtype_name
from dycl.ir.functions import argument_names, returns_in
from dycl.ir.records import Record
from dycl.ir.returned import leaf_numbers
from dycl.ir.row_marks import KEYS, RECORDS, ROW_RESULTS, rows_of
from dycl.ir.state import STATE
from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import LeafRef, from_attr
from dycl.ir.walking import walk

_CACHED = 1 << 20
"""Bytes of a batch that are still in the cache when the next kernel reads them. Images
of 32x32 with 32 channels, 128 KiB each, take as long in batches of 8 as alone, and 1.3
times as long in batches of 32."""
_CACHED_FAR = 1 << 24
"""The same where each group reads the weights of its convolutions from memory: as much
as these are at least. A VGG of 6 million weights for images of 32x32 takes 1.5 times as
long in batches of 4 as in those of 64."""

_NUMBERS: dict[Attribute, str] = {BoolT: "bool", IntT: "int", FloatT: "float"}


def with_rows(
    model: Any, inputs: Sequence[Any], example: Example, rows: object
) -> Example:
    """The example, with the names of the inputs that have rows.

    An argument with a structure gives rows to all tensors and trees in it.

    TypeError: `rows` is neither a truth nor a dict from names of inputs to 0, or names
    what has no tensor. ValueError: an input has no rows, or not one in the example.
    """
    if rows is None or rows is False:
        return example
    names = example.names
    if example.signature is None:
        names = tuple(parameter_names(model, len(inputs)))[: len(inputs)]
    can_have = [isinstance(kind, (VTensorType, NodeType)) for kind in example.types]
    if rows is True:
        wanted = [n for n, one in zip(names, can_have, strict=True) if one]
    elif isinstance(rows, Mapping):
        wanted = _named(names, can_have, cast("Mapping[object, object]", rows))
    else:
        raise TypeError("rows is True, or a dict such as {'x': 0}")
    if not wanted:
        raise ValueError("no input has rows")
    for name, kind in zip(names, example.types, strict=True):
        if name not in wanted or isinstance(kind, NodeType):
            continue
        sizes = kind.sizes() if isinstance(kind, VTensorType) else None
        if not sizes or sizes[0] != 1:
            raise ValueError(
                f"`{name}` is to have rows: give an example of one row, with a first "
                "size of 1"
            )
    return replace(example, rows=tuple(wanted))


def _named(
    names: Sequence[str], can_have: Sequence[bool], rows: Mapping[object, object]
) -> list[str]:
    """The inputs that have rows: those that are named, and the tensors and trees in
    arguments that are."""
    found: dict[str, None] = {}
    for key, dimension in rows.items():
        inside = [
            (name, is_one)
            for name, is_one in zip(names, can_have, strict=True)
            if name == key
            or (isinstance(key, str) and name.startswith((f"{key}[", f"{key}.")))
        ]
        if not inside:
            raise TypeError(f"rows names `{key}`, which is no input")
        if dimension is None:
            continue
        if dimension != 0 or isinstance(dimension, bool):
            raise ValueError("rows lie in dimension 0 of an input: {'x': 0}")
        kept = [name for name, is_one in inside if is_one or name == key]
        if not kept:
            raise TypeError(f"rows names `{key}`, which holds no tensor")
        found.update(dict.fromkeys(kept))
    return [name for name in names if name in found]


def row_form(entry: FuncOp) -> dict[str, Any] | None:
    """What `dycl.runtime.rows` has to know, as plain data; None: there are no rows.

    `entry` is of the level `hcfg`.
    """
    rows = rows_of(entry)
    if not rows:
        return None
    names = argument_names(entry)
    form: dict[str, Any] = {"inputs": [names.index(name) for name in rows]}
    found = entry.attributes.get(ROW_RESULTS)
    if isinstance(found, DictionaryAttr):
        return form | _grouped(found)
    ways: list[Any] = []
    has_state = STATE in entry.attributes
    for op in returns_in(entry.body.block):
        structure: object = LeafRef(0)
        if op.structure is not None:
            structure = from_attr(op.structure)
        types = [value.type for value in op.values]
        if has_state:  # What comes behind the result is kept, or written to inputs.
            structure, _ = cast("tuple[object, object]", structure)
            types = types[: len({*leaf_numbers(op.name, structure)})]
        way = _way(structure, types)
        if way not in ways:
            ways.append(way)
    if None in ways:
        ways = []
    module = entry.parent_op()
    assert module is not None
    has_effects = any(_is_effect(op) for op in walk(module))
    can_share = not has_state and not has_effects
    kind = {"form": "one by one", "ways": ways, "decisions": [], "most": 1}
    return form | kind | {"few": 0, "shared": 2 * can_share, "threads": 1}


def _grouped(found: DictionaryAttr) -> dict[str, Any]:
    """What `dycl-regroup-rows` has noted."""
    ways = [
        _way(from_attr(way.data["structure"]), list(cast(Any, way.data["types"])))
        for way in cast("ArrayAttr[DictionaryAttr]", found.data["ways"])
    ]
    decisions = [
        [_plain(one) for one in entry]
        for entry in cast("ArrayAttr[ArrayAttr[Attribute]]", found.data["decisions"])
    ]
    form = cast(StringAttr, found.data["form"]).data
    row_bytes = _plain(found.data["row_bytes"])
    room = _CACHED_FAR if "far_weights" in found.data else _CACHED
    most = max(1, room // max(1, cast(int, row_bytes)))
    found_few, shared = _plain(found.data["few"]), _plain(found.data["shared"])
    numbers = {"most": most, "few": found_few, "shared": shared, "threads": 1}
    return {"form": form, "ways": ways, "decisions": decisions, **numbers}


def _is_effect(op: Operation) -> bool:
    """Whether rows have to come to an op in their order."""
    return isinstance(op, EffectOp) and op.function_name not in CHECKS.values()


def _plain(one: Attribute) -> str | int:
    if isinstance(one, StringAttr):
        return one.data
    return cast("IntegerAttr[Any]", one).value.data


def _way(structure: object, types: Sequence[Attribute]) -> dict[str, Any] | None:
    """One way out: what is returned there, and the values of a row in it."""
    values = [_value(kind) for kind in types]
    try:
        built = built_of(structure)
    except TypeError:
        return None
    return None if None in values else {"structure": built, "values": values}


def _value(kind: Attribute) -> Any:
    if kind in _NUMBERS:
        return {"dtype": _NUMBERS[kind], "shape": None}
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    if not isinstance(kind, VTensorType) or sizes is None or DYNAMIC in sizes:
        return None
    return {"dtype": dtype_name(cast(Any, kind.element_type())), "shape": list(sizes)}


def built_of(structure: object) -> Any:
    """A structure with leaves as plain data. TypeError: that has no form for it."""
    match structure:
        case LeafRef(index):
            return {"leaf": index}
        case tuple() | list():
            items = [built_of(item) for item in cast("list[object]", structure)]
            return {type(structure).__name__: items}
        case dict():
            entries = cast("dict[object, object]", structure).items()
            if all(isinstance(key, KEYS) for key, _ in entries):
                return {"dict": [[key, built_of(item)] for key, item in entries]}
        case None | bool() | int() | float() | str():
            return {"constant": structure}
        case Record(kind, items) if kind.kind in RECORDS:
            built = map(built_of, items)
            fields = [[*pair] for pair in zip(kind.fields, built, strict=True)]
            return {"record": {"name": kind.name, "kind": kind.kind, "fields": fields}}
        case _:
            pass
    raise TypeError(f"{structure} is not of the kinds that rows return")
