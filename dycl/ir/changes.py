"""Which attributes of the model's objects change while the network runs.

An attribute that changes is no constant: nothing may read it from the `dycl.object`
that recorded it. The answer goes by name and is conservative: it looks at the entry
function and at all functions that a call in it, not inlined yet, might reach.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir.attributes import (
    DictAttr,
    FunctionAttr,
    GlobalAttr,
    MethodAttr,
    PropertyAttr,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect import (
    BinaryOp,
    CallOp,
    ConstantOp,
    GetattrOp,
    InvokeOp,
    ObjectOp,
    SetattrOp,
)
from dycl.ir.list_changes import Names, may_change
from dycl.ir.object_facts import (
    facts_of,
    facts_of_objects,
)
from dycl.ir.values import FunctionRef, GlobalRef, MethodRef, ObjectRef
from dycl.ir.walking import walk

GIVEN = "dycl.given"
"""On a `dycl.list` or `dycl.dict`: it is an argument, so the caller has it, too."""
UNCHANGING = "dycl.unchanging"
ASSUMED = "dycl.changing"
"""On a module: `assume`. Without it, what functions set may change."""
_LEADING = (InvokeOp, GetattrOp, SetattrOp, CallOp, ConstantOp)
"""Ops that may lead to a function."""


def changing_attributes(module: ModuleOp) -> frozenset[str]:
    """The names of all attributes that a run may set, or whose list it may change."""
    containers = _containers(module)
    if not _may_set(module, containers):
        return frozenset()  # which functions a run may reach does not matter
    reached = list(_reached(module))
    if not reached:
        return frozenset()
    objects = made_objects(module)
    set_names = {
        op.attribute.data
        for _, ops in reached
        for op in ops
        if type(op) is SetattrOp
        and object_of(op.operand) not in objects
        and not _is_copy(op.operand)
    }
    set_names -= unchanging_attributes(module, frozenset(set_names))
    starts = {s for _, ops in reached for op in ops for s in _computed_names(op)}
    if starts:
        names = {name for name, value in _members(module) if _is_data(value)}
        set_names |= {n for n in names if n.startswith(tuple(starts))}
    stores = (op for _, ops in reached for op in ops if type(op) is SetattrOp)
    known = Names(
        frozenset(_methods(module)), frozenset(op.attribute.data for op in stores)
    )
    for function, ops in reached:
        for op in ops:
            if type(op) is not GetattrOp or op.attribute.data not in containers:
                continue
            if op.attribute.data not in set_names:
                depth = containers[op.attribute.data]
                if may_change(op.result, depth, known, function):
                    set_names.add(op.attribute.data)
    return frozenset(set_names | set(_entries(module, TABLES & set_names)))


def _may_set(module: ModuleOp, containers: dict[str, int]) -> bool:
    """Whether some function, reached or not, has an op that may set an attribute."""
    for function in module.body.ops:
        if not isinstance(function, FuncOp):
            continue
        for op in walk(function):
            kind = type(op)
            if kind is SetattrOp:
                return True
            if kind is GetattrOp:
                if cast(GetattrOp, op).attribute.data in containers:
                    return True
            elif any(True for _ in _computed_names(op)):
                return True
    return False


REGISTERS = "register_buffer"
"""The method of modules that sets an attribute by its name."""
ASKED = "dycl.asked"
"""On an object that the network makes: names for which its `__getattr__` was asked."""
MADE = "__made__"
"""A member of the objects that the network makes while it runs."""


def made_objects(module: ModuleOp) -> frozenset[str]:
    """The objects that the network makes while it runs: all theirs may be set."""
    return frozenset(
        op.sym_name.data
        for op in module.body.ops
        if isinstance(op, ObjectOp) and MADE in op.members.data
    )


TABLES = frozenset(("_buffers", "_modules", "_parameters"))
"""Attributes of modules, dicts whose entries are attributes themselves."""


def _entries(module: ModuleOp, tables: frozenset[str]) -> Iterator[str]:
    """The names that are set by changing these tables."""
    for name, value in _members(module) if tables else ():
        if name in tables and isinstance(value, DictAttr):
            keys = list(value.items)[::2]
            yield from (k.data for k in keys if isinstance(k, StringAttr))


def assume(module: ModuleOp, changing: Iterable[str]) -> None:
    """Take it that functions of a module set no attributes but those of these names."""
    module.attributes[ASSUMED] = ArrayAttr(map(StringAttr, sorted(changing)))


def unchanging_attributes(module: ModuleOp, names: frozenset[str]) -> frozenset[str]:
    """Of these names, which functions set, those that are set to what they are."""
    assumed = module.attributes.get(ASSUMED)
    unchanging = frozenset[str]()
    if isinstance(assumed, ArrayAttr):
        unchanging = names - {n.data for n in assumed if isinstance(n, StringAttr)}
    for op in module.body.ops:
        noted = op.attributes.get(UNCHANGING)
        if isinstance(op, FuncOp) and isinstance(noted, ArrayAttr):
            unchanging |= {n.data for n in noted if isinstance(n, StringAttr)} & names
    return unchanging


def attributes_set(module: ModuleOp) -> frozenset[str]:
    """The names of all attributes that functions of a module set."""
    ops = (op for op in walk(module) if isinstance(op, SetattrOp))
    return frozenset(op.attribute.data for op in ops)


def computed_names(module: ModuleOp) -> tuple[str, ...]:
    """How the names begin that functions of a module set by `setattr`."""
    return tuple(sorted({s for op in walk(module) for s in _computed_names(op)}))


def names_reached(module: ModuleOp) -> tuple[str, ...]:
    """`computed_names` of the functions alone that a run may reach."""
    if not computed_names(module):
        return ()
    ops = (op for _, inside in _reached(module) for op in inside)
    return tuple(sorted({start for op in ops for start in _computed_names(op)}))


def _computed_names(op: Operation) -> Iterator[str]:
    """How the names begin that `setattr(v, name, w)` and `v.register_buffer(name, w)`
    set."""
    if type(op) is CallOp:
        if len(op.positional) < 2 or constant_name(op.callee) != "builtins.setattr":
            return
        if not _is_copy(op.positional[0]):
            yield _start_of(op.positional[1])
    elif type(op) is InvokeOp and op.method.data == REGISTERS and op.positional:
        yield _start_of(op.positional[0])


def _is_copy(value: SSAValue) -> bool:
    """Whether a value is a new object, of which nothing is recorded."""
    owner = value.owner
    return isinstance(owner, CallOp) and constant_name(owner.callee) in _COPIES


_COPIES = ("copy.copy", "copy.deepcopy")


def _start_of(name: SSAValue) -> str:
    """What a computed string begins with: `h` of `f"h{i}"`; "" if it is not known."""
    owner = name.owner
    match owner:
        case ConstantOp():
            value = constant_value(name)
            return value if isinstance(value, str) else ""
        case InvokeOp() if owner.method.data == "format":
            return _start_of(owner.receiver).partition("{")[0]
        case BinaryOp() if owner.kind_name in ("add", "mod"):
            return _start_of(owner.lhs).partition("%")[0]
        case _:
            return ""


def _is_data(value: Attribute) -> bool:
    others = (FunctionAttr, MethodAttr, PropertyAttr, SymbolRefAttr, GlobalAttr)
    return not isinstance(value, others)


def object_of(value: SSAValue) -> str | None:
    """The path of the object that a value is, if it is a constant."""
    constant = constant_value(value)
    return constant.path if isinstance(constant, ObjectRef) else None


def _members(module: ModuleOp) -> Iterator[tuple[str, Attribute]]:
    for op in module.body.ops:
        if isinstance(op, ObjectOp):
            yield from op.members.data.items()


def _containers(module: ModuleOp) -> dict[str, int]:
    """Attributes that are lists or dicts -> how deep there are more of these inside."""
    result: dict[str, int] = {}
    for facts in facts_of_objects(module):
        for name, depth in facts.containers:
            result[name] = max(depth, result.get(name, 0))
    return result


def _methods(module: ModuleOp) -> dict[str, set[str]]:
    """The functions that objects have as attributes: name -> symbols."""
    result: dict[str, set[str]] = {}
    for facts in facts_of_objects(module):
        for name, symbol in facts.functions:
            result.setdefault(name, set()).add(symbol)
    return result


def _reached(module: ModuleOp) -> Iterator[tuple[FuncOp, list[Operation]]]:
    """The entry function, and all that calls in these functions may reach.

    With each come all ops inside it.
    """
    functions = {
        op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)
    }
    waiting = [f for f in functions.values() if "dycl.entry" in f.attributes]
    seen = set(waiting)
    methods = _methods(module) if waiting else {}
    forwards = _forwards(module) if waiting else {}
    names = {
        "__call__",
        *(name for facts in facts_of_objects(module) for name in facts.names),
    }
    while waiting:
        function = waiting.pop()
        ops = list(walk(function))
        yield function, ops
        symbols = {
            symbol
            for op in ops
            if type(op) in _LEADING
            for symbol in _mentioned(op, methods, forwards, names)
        }
        for symbol in sorted(symbols):
            target = functions.get(symbol)
            if target is not None and target not in seen:
                seen.add(target)
                waiting.append(target)


def _forwards(module: ModuleOp) -> dict[str, frozenset[str]]:
    """What a call of each object leads to, for objects without hooks."""
    result: dict[str, frozenset[str]] = {}
    for op in module.body.ops:
        if isinstance(op, ObjectOp) and not any("hook" in n for n in op.members.data):
            result[op.sym_name.data] = facts_of(op).forward
    return result


def _mentioned(
    op: Operation,
    methods: dict[str, set[str]],
    forwards: dict[str, frozenset[str]],
    names: set[str],
) -> Iterator[str]:
    """The functions that an op may lead to; `names` are all attributes there are."""
    match op:
        case InvokeOp():
            yield from methods.get(op.method.data, ())
            if op.method.data not in methods and op.method.data in names:
                yield from methods.get("forward", ())  # `self.act(x)`
        case GetattrOp() | SetattrOp():
            yield from methods.get(op.attribute.data, ())
        case CallOp():
            callee = constant_value(op.callee)
            if not isinstance(callee, GlobalRef):
                yield from methods.get("__init__", ())  # it may be a class
            if callee == GlobalRef("builtins.getattr"):
                yield from (s for symbols in methods.values() for s in symbols)
            elif isinstance(callee, ObjectRef) and callee.path in forwards:
                yield from forwards[callee.path]
            elif not isinstance(callee, GlobalRef):
                yield from methods.get("forward", ())
        case ConstantOp():
            function = constant_value(op.result)
            if isinstance(function, (FunctionRef, MethodRef)):
                yield function.symbol
        case _:
            pass
