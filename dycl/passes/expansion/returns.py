"""What `forward` returns: tensors as operands, all else as an attribute.

Before                       After
------                       -----
%t = dycl.tuple(%x, %three)  dycl.return %x
dycl.return %t                 {structure = #dycl.tuple<[#dycl.leaf<0>, 3 : i64]>}
"""

from collections.abc import Iterator
from typing import Any, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.analysis.tensors.abstract import (
    Unbound,
    Unknown,
    children,
    is_container,
    map_leaves,
)
from dycl.analysis.tensors.structures import Known, Leaf
from dycl.ir import ReturnOp, UnsupportedOp
from dycl.ir.arrays import ArrayConstant
from dycl.ir.library import resolve_global
from dycl.ir.library_objects import as_librarys, size_of_torch
from dycl.ir.records import NAMEDTUPLE, Record, RecordType
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.state import kept_as_text, state_of
from dycl.ir.values import (
    DeviceRef,
    FunctionRef,
    GlobalRef,
    LeafRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    is_torch_size,
    to_attr,
)
from dycl.passes.expansion.jobs import Derived, Job, ValueOf
from dycl.prelude import RETURNED, is_ours

_PLAIN = (bool, int, float, str, type(None))
_RETURN = "return tensors, numbers, strings, None, or tuples, lists and dicts of these"

_OURS = {
    "Complex": ("a complex tensor", "return its `real` and its `imag`"),
    "Packed": ("a packed sequence", "return what `pad_packed_sequence` makes of it"),
    "Sparse": ("a sparse tensor", "return what `to_dense` makes of it"),
}
"""Of the prelude's records: what each is in words, and what to return in its place."""
_OTHERWISE = ("an object of a library", "return the tensors that it holds")

_KEYS = "use keys that are numbers, strings, None, or tuples of these"


def expand_return(op: ReturnOp, job: Job, value_of: ValueOf) -> None:
    """What `forward` returns as an attribute; a refusal in front of what cannot be."""
    if op.structure is not None or len(op.values) != 1:
        return
    values: list[SSAValue] = []
    for key in _keys(job.returned):
        if not isinstance(key, _PLAIN):
            what = "a dict that `forward` returns or keeps has a key that is a "
            refusal = UnsupportedOp("DY301", what + _kind(key), _KEYS)
            insert_before(op, refusal)
            return

    if (ours := _ours_in(job.returned)) is not None:
        what, help_ = _OURS.get(ours.rpartition(".")[2], _OTHERWISE)
        insert_before(op, UnsupportedOp("DY301", f"`forward` returns {what}", help_))
        return

    def one(leaf: object) -> object:
        tensor = (ParamRef, TensorConstant)
        if isinstance(leaf, Known) and not isinstance(leaf.value, tensor):
            if (named := _named(leaf.value)) is not None:
                return named
            if isinstance(leaf.value, ArrayConstant) and leaf.value.shape is None:
                return leaf.value.number
            if is_torch_size(leaf.value):
                return tuple(cast("tuple[int, ...]", leaf.value))
            if not isinstance(leaf.value, _PLAIN):
                raise NotAConstant(f"a {_kind(leaf.value)}")
            return leaf.value
        values.append(value_of(cast(Leaf, leaf), op))
        return LeafRef(len(values) - 1)

    if any(isinstance(leaf, (Unknown, Unbound)) for leaf in job.abstract_leaves):
        return
    try:
        structure: Attribute = to_attr(map_leaves(_with_names(_output(op, job)), one))
    except Derived:
        return
    except NotAConstant as error:
        refusal = UnsupportedOp("DY301", f"`forward` returns {error}", _RETURN)
        insert_before(op, refusal)
        return
    new = ReturnOp(values, structure)
    insert_before(op, new)
    erase(op)


def _output(op: ReturnOp, job: Job) -> object:
    """What is returned, with the class of each `torch.Size` that the caller gets.

    What is kept for the next call is a tuple, which equals it.
    """
    tree = job.returned
    function: Operation | None = op
    while function is not None and not isinstance(function, FuncOp):
        function = function.parent_op()
    if function is None or state_of(function) is None:
        return map_leaves(tree, _of_size, _size)
    output, kept = cast("tuple[object, object]", tree)
    returned = map_leaves(output, _of_size, _size)
    return returned, map_leaves(kept, _of_object, tuple)


def _size(sizes: list[object]) -> Record:
    return size_of_torch(tuple(sizes))


def _of_object(leaf: object) -> object:
    """A module or object that is kept, by its path."""
    if isinstance(leaf, Known) and isinstance(leaf.value, ObjectRef):
        return Known(kept_as_text(leaf.value))
    return leaf


def _of_size(leaf: object) -> object:
    if isinstance(leaf, Known) and is_torch_size(leaf.value):
        return size_of_torch(leaf)
    return leaf


def _named(value: object) -> object:
    """What the caller's process has under the same name: a class, a dtype, a device."""
    match value:
        case DeviceRef():
            return value
        case ObjectRef(path) if path.startswith("class "):
            return GlobalRef(path.removeprefix("class "))
        case GlobalRef(name):
            target = resolve_global(name)
            is_dtype = type(target).__name__ == "dtype"
            return value if is_dtype or isinstance(target, type) else None
        case _:
            return None


def _with_names(tree: object) -> object:
    """The tree with a record for each of torch's named results, as of `x.max(1)`.

    Records of ours that stand for a library's objects are those by then.
    """
    if isinstance(tree, dict):
        items = cast("dict[object, object]", tree).items()
        return {key: _with_names(item) for key, item in items}
    if isinstance(tree, Record):
        record = Record(tree.type, tuple(map(_with_names, tree.items)))
        return as_librarys(record, _is_none)
    if not isinstance(tree, (list, tuple)) or not is_container(tree):
        return tree
    parts = [_with_names(part) for part in children(cast(object, tree))]
    cls = type(cast(object, tree))
    if cls in (list, tuple):
        return cls(parts)
    if cls.__module__ != "torch.return_types":
        return cast(object, tree)
    name = f"{cls.__module__}.{cls.__qualname__}"
    fields = cast("tuple[str, ...]", cast(Any, cls).__match_args__)
    return Record(RecordType(name, NAMEDTUPLE, fields), tuple(parts))


def _is_none(leaf: object) -> bool:
    return isinstance(leaf, Known) and leaf.value is None


def _ours_in(tree: object) -> str | None:
    """The class of a record in it that stands for a library's object; None: none."""
    name = tree.type.name if isinstance(tree, Record) else ""
    if is_ours(name) and name not in RETURNED:
        return name
    parts = map(_ours_in, children(tree)) if is_container(tree) else ()
    return next((part for part in parts if part is not None), None)


def _keys(tree: object) -> Iterator[object]:
    """The keys of all dicts, and what is in those that are tuples."""
    if not is_container(tree):
        return
    if isinstance(tree, dict):
        for key in cast("dict[object, object]", tree):
            yield from _items(key)
    for part in children(tree):
        yield from _keys(part)


def _items(key: object) -> Iterator[object]:
    if isinstance(key, tuple):
        for item in cast("tuple[object, ...]", key):
            yield from _items(item)
    else:
        yield key


def _kind(value: object) -> str:
    """What a value that `forward` cannot return is, in words."""
    match value:
        case ObjectRef():
            return "module or object of the model"
        case FunctionRef() | MethodRef():
            return "function"
        case GlobalRef(name):
            return f"`{name}`"
        case _:
            return "value that no host program can make"
