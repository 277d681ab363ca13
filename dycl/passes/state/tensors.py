"""Buffers that a run writes to: each write sets the attribute that holds the buffer.

Before                               After
------                               -----
%0 = dycl.invoke %buffer "add_"(%x)  %a = dycl.invoke %mean "add_"(%x)
%y = dycl.binary add %buffer, %w     %y = dycl.binary add %a, %w
dycl.return %y                       %s = dycl.tuple(%a)
                                     %r = dycl.tuple(%y, %s)
                                     dycl.return %r

`self.running.mul_(0.9)` becomes `self.running = self.running.mul_(0.9)`, which is the
same; and what uses the buffer reads the attribute at that place. So do modules of torch
that hold it, as calls of functions (`leaf_calls`). `weight.data = v` sets it, too.
A write to a part,
`self.cache[:, k] = v`, is followed by `self.cache = self.cache`: what that is by then
is known when the write is followed, in `dycl-expand-modules`.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_before, insert_constant, insert_value, replace
from dycl.ir.torch import VTensorType
from dycl.ir.value_names import value_name
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef, from_attr, to_attr
from dycl.ir.walking import walk
from dycl.passes.state.attributes import Key
from dycl.passes.state.leaf_calls import functions_of


def name_writes(entry: FuncOp, environment: Environment) -> None:
    """Make reads and writes of attributes of the buffers that are written to.

    Left alone, and refused later: a tensor that several attributes hold, and one that
    belongs to a module of torch, whose `forward` reads it by itself.
    """
    constants: dict[str, list[ConstantOp]] = {}
    for op in walk(entry):
        if isinstance(op, ConstantOp) and op.result.uses:
            value = from_attr(op.value)
            if isinstance(value, ParamRef):
                constants.setdefault(value.path, []).append(op)
    _set_data(entry, environment)
    written = {
        path
        for path, ops in constants.items()
        if any(map(_may_write, [use for op in ops for use in op.result.uses]))
    }
    _name_items(entry, written, constants)
    for path, ops in constants.items():
        uses = [use for op in ops for use in op.result.uses]
        holders = environment.holders(path)
        parts = _writes_to_parts(uses)
        written = parts or any(map(_writes, uses))
        if not written or not holders or environment.is_shared(path):
            continue
        if _is_read_by_name(holders[0], entry, environment):
            again = [u for op in _constants_of(entry, path) for u in op.result.uses]
            _name(again, holders[0])
            for op in parts:
                _set_again(op, holders[0])


def _constants_of(entry: FuncOp, path: str) -> list[ConstantOp]:
    ops = [op for op in walk(entry) if isinstance(op, ConstantOp)]
    known = [(op, from_attr(op.value)) for op in ops]
    return [op for op, v in known if isinstance(v, ParamRef) and v.path == path]


def _is_read_by_name(key: Key, entry: FuncOp, environment: Environment) -> bool:
    """Whether all that reads an attribute says so, as it is then, or is made to."""
    if environment.members(key[0]).get("__leaf__") == _NO_FORWARD:
        return True
    calls = [op for op in walk(entry) if isinstance(op, CallOp)]
    functions = functions_of(key[0], calls, environment)
    for op, (name, values) in (functions or {}).items():
        callee = insert_constant(op, GlobalRef(name))
        given = [insert_constant(op, value) for value in values]
        replace(op, CallOp(callee, [*op.positional, *given]))
    return functions is not None


def _set_data(entry: FuncOp, environment: Environment) -> None:
    """`self.weight.data = v` sets `self.weight`, where nothing else is that tensor.

    What the tensor's earlier views share stays what it is, as in eager; which refuses a
    value of another dtype.
    """
    for op in walk(entry):
        if not isinstance(op, SetattrOp) or op.attribute.data != "data":
            continue
        known, found = constant_value(op.operand), op.value.type
        if not isinstance(known, ParamRef) or environment.is_shared(known.path):
            continue
        holders = environment.holders(known.path)
        is_same = isinstance(found, VTensorType) and found.dtype == known.dtype
        if holders and is_same and _is_read_by_name(holders[0], entry, environment):
            owner, name = holders[0]
            for constant in _constants_of(entry, known.path):
                uses = [u for u in constant.result.uses if u.operation is not op]
                _name(uses, holders[0])
            replace(op, SetattrOp(_object(op, (owner, name)), name, op.value))


def _name_items(
    entry: FuncOp, written: set[str], constants: dict[str, list[ConstantOp]]
) -> None:
    """Before each use of a list of such buffers, make it of the buffers.

    A constant list holds the tensors themselves: what they are by then is what is read.
    """
    for op in walk(entry):
        if not isinstance(op, ConstantOp) or not op.result.uses:
            continue
        value = from_attr(op.value)
        if isinstance(value, (list, tuple, dict)) and written & set(_paths(value)):
            for use in list(op.result.uses):
                copy = _made_again(value, use.operation, constants)
                use.operation.operands[use.index] = copy


def _paths(value: object) -> Iterator[str]:
    """The parameters and buffers in a constant."""
    if isinstance(value, ParamRef):
        yield value.path
    elif isinstance(value, (list, tuple, dict)):
        whole = cast("list[object] | dict[object, object]", value)
        for item in whole.values() if isinstance(whole, dict) else whole:
            yield from _paths(item)


def _made_again(
    value: object, anchor: Operation, constants: dict[str, list[ConstantOp]]
) -> SSAValue:
    """An op before `anchor` that makes the value of one that is not a constant."""

    def parts(values: Iterable[object]) -> list[SSAValue]:
        return [_made_again(item, anchor, constants) for item in values]

    new: ConstantOp | DictOp | ListOp | TupleOp
    match value:
        case list():
            new = ListOp(parts(cast("list[object]", value)))
        case tuple() if set(_paths(cast(object, value))):
            new = TupleOp(parts(cast("tuple[object, ...]", value)))
        case dict():
            pairs = cast("dict[object, object]", value).items()
            new = DictOp(parts(item for pair in pairs for item in pair))
        case _:
            new = ConstantOp(to_attr(value))
            if isinstance(value, ParamRef):
                constants.setdefault(value.path, []).append(new)
    return insert_value(anchor, new)


def _may_write(use: Use) -> bool:
    """Whether a tensor is written to there, or by a part or view that is made there."""
    return _writes(use) or _stores(use) or _gives_view(use)


def _stores(use: Use) -> bool:
    return isinstance(use.operation, StoreSubscriptOp) and use.index == 0


_NO_FORWARD = "torch.nn.modules.module.Module"
"""Torch's class of a module that has no `forward`, only methods of its own."""
_VIEWS = (
    *("chunk", "detach", "diagonal", "expand", "flatten", "movedim", "narrow"),
    *("permute", "reshape", "select", "split", "squeeze", "swapaxes", "t"),
    *("transpose", "unbind", "unflatten", "unsqueeze", "view", "view_as"),
)
"""Functions and methods of torch that may give a view."""
_VIEW_ATTRIBUTES = ("T", "data", "mT")


def _writes_to_parts(uses: list[Use]) -> list[Operation]:
    """The ops that write to a tensor by subscript, or through a view of it."""
    writes: dict[Operation, None] = {}
    waiting = [(use, False) for use in uses]
    seen: set[Operation] = set()
    while waiting:
        use, is_part = waiting.pop()
        op = use.operation
        if _stores(use) or (is_part and _writes(use)):
            writes[op] = None
        view = _gives_view(use)
        if (view or _writes(use)) and op not in seen:
            seen.add(op)
            later = [u for result in op.results for u in result.uses]
            waiting += [(u, is_part or view) for u in later]
    return list(writes)


def _gives_view(use: Use) -> bool:
    """Whether what an op gives may be a part of this operand."""
    op = use.operation
    match op:
        case SubscriptOp() | UnpackOp():
            return use.index == 0
        case GetattrOp():
            return op.attribute.data in _VIEW_ATTRIBUTES
        case InvokeOp():
            return use.index == 0 and op.method.data in _VIEWS
        case CallOp():
            name = constant_name(op.callee)
            return use.index == 1 and name.removeprefix("torch.") in _VIEWS
        case _:
            return False


def _set_again(op: Operation, key: Key) -> None:
    """Behind a write to a part: the attribute is what it is."""
    after = op.next_op
    assert after is not None  # a write is not the last op of its block
    owner = _object(after, key)
    read = GetattrOp(owner, key[1])
    write = SetattrOp(owner, key[1], read.result)
    read.result.name_hint = value_name(key[1])
    insert_before(after, read, write, source=op)


def _writes(use: Use) -> bool:
    """Whether an op writes to this operand and gives it back."""
    op = use.operation
    match op:
        case InplaceOp():
            return use.index == 0
        case InvokeOp():
            return use.index == 0 and _is_in_place(op.method.data)
        case CallOp():
            return use.index == 1 and _is_in_place(constant_name(op.callee))
        case _:
            return False


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _name(uses: list[Use], key: Key) -> None:
    for use in uses:
        op = use.operation
        read = GetattrOp(_object(op, key), key[1])
        insert_value(op, read)
        read.result.name_hint = value_name(key[1])
        writes = _writes(use)
        op.operands[use.index] = read.result
        if writes:
            after = op.next_op
            assert after is not None  # a value op is not the last of its block
            write = SetattrOp(_object(after, key), key[1], op.results[0])
            insert_before(after, write, source=op)


def _object(anchor: Operation, key: Key) -> SSAValue:
    return insert_value(anchor, ConstantOp(to_attr(ObjectRef(key[0]))))
