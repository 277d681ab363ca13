"""Methods of modules and weights that change nothing, and the tables of a module.

`self.fc.float()` gives the module itself where its weights are floats already, `eval()`
where nothing in it trains. `self.table.to(x.device, x.dtype)` is the very tensor where
it is on that device and has that dtype, so to keep it in `self.table` sets nothing.
`self._buffers["mean"]` is `self.mean`, read and written, and `register_buffer` sets it:

Before                                            After
------                                            -----
%c = dycl.constant "mean"                         dycl.setattr %norm "mean", %x
%v = dycl.invoke %norm "register_buffer"(%c, %x)    {dycl.registered}
dycl.return %v                                    dycl.return %none
"""

from collections.abc import Iterator, Mapping
from typing import cast

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    GetattrOp,
    InvokeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnsupportedOp,
)
from dycl.ir.changes import REGISTERS, TABLES
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_before, insert_constant
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import DeviceRef, GlobalRef, ObjectRef, ParamRef
from dycl.ir.walking import walk
from dycl.passes.state.no_value import has_none

_DTYPES = {
    "float": "torch.float32",
    "double": "torch.float64",
    "half": "torch.float16",
    "bfloat16": "torch.bfloat16",
}
"""Methods that convert weights -> to which type."""
_MODULE = "torch.nn.modules.module.Module"
_READERS = ("__contains__", "copy", "get", "items", "keys", "values")


def without_change(op: InvokeOp, environment: Environment) -> SSAValue | None:
    """The module, or weight, itself, where a method leaves it as it is; else None."""
    owner, method = constant_value(op.receiver), op.method.data
    if isinstance(owner, ParamRef):
        return op.receiver if _converts_to_itself(owner, op) else None
    if not isinstance(owner, ObjectRef) or op.is_starred:
        return None
    members = environment.members(owner.path)
    classes = cast("list[object]", members.get("__mro__", []))
    if _MODULE not in classes or method in members:
        return None
    if owner.path in environment.made:
        return None  # what it holds is set while the network runs
    if method == "eval":
        done = not op.arguments and _is_evaluated(owner, environment)
    elif method == "train":
        off = [constant_value(v) for v in op.arguments] == [False]
        done = off and _is_evaluated(owner, environment)
    elif method in _DTYPES:
        done = not op.arguments and _is_of(
            owner, GlobalRef(_DTYPES[method]), environment
        )
    elif method == "to":
        done = all(_keeps(v, owner, environment) for v in op.arguments)
    else:
        done = method in ("cpu", "requires_grad_")
    return op.receiver if done else None


def registered(op: InvokeOp, environment: Environment) -> SSAValue | None:
    """`m.register_buffer(name, value)` of a buffer that `m` has, or that nothing else
    sets, is `m.name = value`; else None. It raises where the name is another's."""
    owner = constant_value(op.receiver)
    if op.method.data != REGISTERS or not isinstance(owner, ObjectRef):
        return None
    members, keywords = environment.members(owner.path), op.keyword_arguments
    given = list(op.positional[1:2])
    if "tensor" in keywords:
        given.append(keywords.pop("tensor"))
    name = constant_value(op.positional[0]) if op.positional else MISSING
    if REGISTERS in members or len(given) != 1 or not isinstance(name, str):
        return None
    if len(op.positional) > 3 or not {*keywords} <= {"persistent"}:
        return None
    if _MODULE not in environment.classes(owner) or owner.path in environment.made:
        return None
    if not _is_buffer(members, name) and not (
        has_none((owner.path, name), environment)
        and name.isidentifier()
        and not _is_set(op, name)
    ):
        return None
    value = constant_value(given[0])
    if given[0].type in (BoolT, FloatT, IntT) or (
        value not in (None, MISSING) and not isinstance(value, ParamRef)
    ):
        return None
    write = SetattrOp(op.receiver, name, given[0])
    write.attributes[_REGISTERED] = UnitAttr()
    insert_before(op, write)
    return insert_constant(op, None)


_REGISTERED = "dycl.registered"
"""On a `dycl.setattr`: it stands for `register_buffer`."""


def _is_buffer(members: Mapping[str, object], name: str) -> bool:
    table = members.get("_buffers")
    if not isinstance(table, dict) or name not in table:
        return False
    return members.get(name) == cast("dict[str, object]", table)[name]


def _is_set(op: Operation, name: str) -> bool:
    """Whether something else than `register_buffer` may set attributes of a name."""
    top = op
    while (around := top.parent_op()) is not None:
        top = around
    return any(_may_set(other, name) for other in walk(top))


def _may_set(op: Operation, name: str) -> bool:
    if isinstance(op, CallOp):
        return constant_name(op.callee) == "builtins.setattr"
    is_write = isinstance(op, SetattrOp) and op.attribute.data == name
    return is_write and _REGISTERED not in op.attributes


def _converts_to_itself(weight: ParamRef, op: InvokeOp) -> bool:
    """Whether a method converts a weight to what it is: torch gives the same tensor."""
    own, method = GlobalRef(f"torch.{dtype_name(weight.dtype)}"), op.method.data
    if op.is_starred:
        return False
    if method != "to":
        is_own = method == "cpu" or GlobalRef(_DTYPES.get(method, "")) == own
        return is_own and not op.arguments
    named = op.keyword_arguments
    named.pop("non_blocking", None)
    return all(_is_own(v, own) for v in (*op.positional, *named.values()))


def _is_own(value: SSAValue, own: GlobalRef) -> bool:
    """Whether `weight.to(value)` is the weight, which has the dtype `own`.

    False is what `copy=` is if it is not said; other options are not looked at.
    """
    if isinstance(value.type, VTensorType):
        dtype = value.type.element_type()
        return dtype is not None and GlobalRef(f"torch.{dtype_name(dtype)}") == own
    match constant_value(value):
        case DeviceRef(device) | str(device):
            return device == "cpu"
        case GlobalRef() as dtype:
            return dtype == own
        case None | False:
            return True
        case _:
            return False


def _keeps(value: SSAValue, module: ObjectRef, environment: Environment) -> bool:
    """Whether `module.to(value)` changes nothing."""
    if isinstance(value.type, VTensorType):
        dtype = value.type.element_type()
        if dtype is None:
            return False
        return _is_of(module, GlobalRef(f"torch.{dtype_name(dtype)}"), environment)
    match constant_value(value):
        case DeviceRef(device) | str(device):
            return device == "cpu"
        case GlobalRef(name) as dtype:
            return name.startswith("torch.") and _is_of(module, dtype, environment)
        case None | bool():
            return True  # `non_blocking=`
        case _:
            return False


def _is_of(module: ObjectRef, dtype: GlobalRef, environment: Environment) -> bool:
    """Whether all weights that are floats have this type."""
    for owner in _modules(module, environment):
        for value in environment.members(owner.path).values():
            if not isinstance(value, ParamRef):
                continue
            name = dtype_name(value.dtype)
            if "float" in name and f"torch.{name}" != dtype.name:
                return False
    return dtype.name in _DTYPES.values()


def _is_evaluated(module: ObjectRef, environment: Environment) -> bool:
    return all(
        not environment.changes(owner.path, "training")
        and not environment.members(owner.path).get("training", False)
        for owner in _modules(module, environment)
    )


def _modules(module: ObjectRef, environment: Environment) -> Iterator[ObjectRef]:
    """A module and all below."""
    waiting, seen = [module], {module.path}
    while waiting:
        ref = waiting.pop()
        yield ref
        for value in _flat(list(environment.members(ref.path).values())):
            if isinstance(value, ObjectRef) and value.path not in seen:
                seen.add(value.path)
                if _MODULE in cast(
                    "list[object]", environment.members(value.path).get("__mro__", [])
                ):
                    waiting.append(value)


def _flat(values: list[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(list(cast("list[object]", value)))
        elif isinstance(value, dict):
            yield from _flat(list(cast("dict[object, object]", value).values()))
        else:
            yield value


def entry_of_table(op: Operation, environment: Environment) -> Operation | None:
    """`m._buffers[name]`, read or written, as the attribute that it is."""
    match op:
        case SubscriptOp():
            entry = _entry(op.operand, op.index, environment)
            return None if entry is None else GetattrOp(*entry)
        case StoreSubscriptOp():
            if _table(op.operands[0], environment) is None:
                return None
            entry = _entry(op.operands[0], op.operands[1], environment)
            if entry is not None:
                return SetattrOp(*entry, op.operands[2])
        case InvokeOp():
            if op.method.data in _READERS or _table(op.receiver, environment) is None:
                return None
        case _:
            return None
    what = "only existing entries of a module's tables can be set"
    return UnsupportedOp("DY206", what, "set the attribute: `self.name = ...`")


def _table(
    value: SSAValue, environment: Environment
) -> tuple[ObjectRef, dict[object, object]] | None:
    """The module whose table a value is, and the table."""
    read = value.owner
    if not isinstance(read, GetattrOp) or read.attribute.data not in TABLES:
        return None
    owner = constant_value(read.operand)
    if not isinstance(owner, ObjectRef):
        return None
    table = environment.members(owner.path).get(read.attribute.data)
    return (
        (owner, cast("dict[object, object]", table))
        if isinstance(table, dict)
        else None
    )


def _entry(
    value: SSAValue, key: SSAValue, environment: Environment
) -> tuple[SSAValue, str] | None:
    whole_table, name = _table(value, environment), constant_value(key)
    if whole_table is None or name is MISSING or not isinstance(name, str):
        return None
    owner, table = whole_table
    if name not in table or environment.members(owner.path).get(name) != table[name]:
        return None  # hidden by an attribute of the same name, or not there
    return cast(GetattrOp, value.owner).operand, name
