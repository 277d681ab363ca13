"""Calls: Python's argument binding, the user's functions, objects, all the rest."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl import prelude
from dycl.ir import host
from dycl.ir.dialect import CallOp, InvokeOp
from dycl.ir.functions import GENERATOR
from dycl.ir.hooks import WRONG_RESULT, HookedCall
from dycl.ir.interpreter.objects import LiveEnvironment
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.module_walks import WALKS, walk
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.objects import MAKES
from dycl.ir.records import Record
from dycl.ir.signature import Default, Keywords, Rest, Signature, bind
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    LeafRef,
    MethodRef,
    ObjectRef,
    Partial,
    PropertyRef,
    from_attr,
)

Function = FuncOp | host.FuncOp
"""A function of any level."""


class Caller(Protocol):
    """What calls need of the machine."""

    @property
    def environment(self) -> LiveEnvironment:
        """The model's objects."""
        ...

    def run_function(self, function: Function, arguments: Sequence[object]) -> object:
        """Run a body with all its arguments given."""
        ...

    def function(self, symbol: str) -> Function:
        """The function of this name."""
        ...

    def default(self, function: Function, name: str) -> object:
        """The value of a parameter's default."""
        ...


def evaluate_call(
    op: CallOp | InvokeOp, operands: Sequence[object], machine: Caller
) -> object:
    """The value of a call or method call, given its operands' values."""
    args, kwargs = split_arguments(op, operands[1:], machine.environment)
    callee = operands[0]
    if isinstance(op, InvokeOp):
        name = op.method.data
        if name in WALKS and isinstance(callee, ObjectRef):
            result = walk(machine.environment, callee, name, args, kwargs)
            if result is not None:
                return iter([_live(item, machine) for item in result])
        if isinstance(callee, ObjectRef) and machine.environment.is_librarys_init(
            callee.path, name
        ):
            return None
        if isinstance(callee, Record) and op.method.data == "_replace" and not args:
            return _replaced(callee, kwargs)
        callee = attribute(callee, op.method.data, machine)
    return call(callee, args, kwargs, machine)


def _live(found: object, machine: Caller) -> object:
    """A parameter as its tensor, also in a pair with its name."""
    if isinstance(found, tuple):
        items = cast("tuple[object, ...]", found)
        return tuple(machine.environment.live(item) for item in items)
    return machine.environment.live(found)


def _replaced(record: Record, changes: dict[str, object]) -> Record:
    """`record._replace(field=value)`. Raises ValueError as Python does."""
    if not changes.keys() <= set(record.type.fields):
        names = [name for name in changes if name not in record.type.fields]
        raise ValueError(f"Got unexpected field names: {names!r}")
    pairs = zip(record.type.fields, record.items, strict=True)
    return Record(record.type, tuple(changes.get(name, old) for name, old in pairs))


def attribute(value: object, name: str, machine: Caller) -> object:
    """`value.name`; a property runs its getter."""
    result = machine.environment.getattr(value, name)
    if isinstance(result, PropertyRef):
        return call(FunctionRef(result.symbol), [value], {}, machine)
    return result


def set_attribute(value: object, name: str, new: object, machine: Caller) -> None:
    """`value.name = new`; a property runs its setter."""
    members = (
        machine.environment.members(value.path) if isinstance(value, ObjectRef) else {}
    )
    member = members.get(name)
    if isinstance(member, PropertyRef) and not isinstance(new, ObjectRef):
        if not member.setter:
            raise AttributeError(f"the property '{name}' has no setter")
        call(FunctionRef(member.setter), [value, new], {}, machine)
    else:
        machine.environment.setattr(value, name, new)


def call(
    callee: object, args: list[object], kwargs: dict[str, object], machine: Caller
) -> object:
    """`callee(*args, **kwargs)` for anything that can be called.

    Raises NotEvaluated for an object that runs hooks or has no body in the module,
    TypeError as Python does when the arguments do not fit.
    """
    match callee:
        case FunctionRef(symbol):
            return _call_function(machine, symbol, args, kwargs)
        case MethodRef(symbol, path):
            return _call_function(machine, symbol, [ObjectRef(path), *args], kwargs)
        case ObjectRef(path):
            return _call_object(machine, path, args, kwargs)
        case Record() if "__call__" in machine.environment.record_members(
            callee.type.path
        ):
            return call(attribute(callee, "__call__", machine), args, kwargs, machine)
        case Partial():
            given = {**callee.kwargs, **kwargs}
            return call(callee.callee, [*callee.args, *args], given, machine)
        case GlobalRef("builtins.setattr") if len(args) == 3:
            set_attribute(args[0], str(args[1]), args[2], machine)
            return None
        case _:
            if isinstance(callee, GlobalRef) and callee.name in _BY_PRELUDE:
                callee = GlobalRef(prelude.FUNCTIONS[callee.name])
            is_sort = getattr(callee, "__name__", "") == "sort"
            if is_sort or callee in _CALLING:
                args = [_callable(a, machine) for a in args]
                kwargs = {name: _callable(a, machine) for name, a in kwargs.items()}
            result = machine.environment.call(callee, args, kwargs)
            if isinstance(result, PropertyRef):  # getattr(model, "name of a property")
                return call(FunctionRef(result.symbol), args[:1], {}, machine)
            return result


_BY_PRELUDE = (
    *("torch.cond", "torch.func.vmap"),
    *(f"torch._higher_order_ops.{name}" for name in ("map", "while_loop")),
    "einops._torch_specific.apply_for_scriptable_torch",
    "torch.utils.checkpoint.checkpoint",
)
"""Functions that trace what they are given, or look at an object of the model's: the
prelude's call it, and read its attributes."""

_CALLING = tuple(
    GlobalRef(name)
    for name in (
        *(prelude.FUNCTIONS[name] for name in _BY_PRELUDE),
        *(f"builtins.{n}" for n in ("filter", "map", "max", "min", "sorted")),
        *(f"itertools.{n}" for n in ("accumulate", "dropwhile", "filterfalse")),
        *("_functools.reduce", "itertools.starmap", "itertools.takewhile"),
    )
)
"""Functions of Python that call what they are given."""


def _callable(value: object, machine: Caller) -> object:
    """A function of the program as one that Python itself can call; of an object that
    is none, its attributes."""
    if isinstance(value, ObjectRef) and not value.path.startswith("class "):
        members = machine.environment.members(value.path)
        is_module = machine.environment.is_leaf(value.path)
        is_module = is_module or machine.environment.chain(value.path) is not None
        if not is_module and not members.keys() & {"__call__", "forward"}:
            return SimpleNamespace(**members)
    if isinstance(value, FunctionRef | MethodRef | ObjectRef | Partial):
        return lambda *args, **named: call(value, list(args), named, machine)
    return value


def _call_object(
    machine: Caller, path: str, args: list[object], kwargs: dict[str, object]
) -> object:
    environment = machine.environment
    members = environment.members(path)
    if (hooked := HookedCall.of(environment, ObjectRef(path))) is not None:
        return _call_hooks(machine, ObjectRef(path), hooked, args, kwargs)
    if path.startswith("class "):
        if (template := environment.members(path).get(MAKES)) in environment.paths:
            return _make_object(machine, str(template), args, kwargs)
        return _make_record(machine, path, args, kwargs)
    if environment.is_leaf(path) and "__call__" not in members:
        return environment.call(environment.leaf(path).forward, args, kwargs)
    name = "__call__" if "__call__" in members else "forward"
    if name in members:
        return call(environment.getattr(ObjectRef(path), name), args, kwargs, machine)
    children = environment.chain(path)
    if children is None or kwargs or len(args) != 1:
        raise NotEvaluated(f"@{path} has no forward for this call")
    value = args[0]
    for child in children:
        value = call(child, [value], {}, machine)
    return value


def _call_hooks(
    machine: Caller,
    module: ObjectRef,
    hooked: HookedCall,
    args: list[object],
    kwargs: dict[str, object],
) -> object:
    given: tuple[object, ...] = tuple(args)
    for hook in hooked.before:
        shown: list[object] = [module, given]
        shown += [kwargs] if hook.with_keywords else []
        new: Any = call(hook.function, shown, {}, machine)
        if new is not None and hook.with_keywords:
            if not isinstance(new, tuple) or len(cast(tuple[object], new)) != 2:
                raise RuntimeError(f"{WRONG_RESULT}, but got {new}.")
            given, kwargs = new
        elif new is not None:
            given = new if isinstance(new, tuple) else (new,)
    result = call(hooked.forward, list(given), kwargs, machine)
    for hook in hooked.after:
        shown = [module, given, *([kwargs] if hook.with_keywords else []), result]
        new = call(hook.function, shown, {}, machine)
        result = result if new is None else new
    return result


def _make_object(
    machine: Caller, template: str, args: list[object], kwargs: dict[str, object]
) -> object:
    ref = machine.environment.make(template)
    path = f"class {machine.environment.class_name(ref.path)}"
    has_init = "__init__" in machine.environment.members(ref.path)
    if machine.environment.record(path) and not has_init:
        _set_fields(machine, ref, path, args, kwargs)
    elif has_init:
        call(attribute(ref, "__init__", machine), args, kwargs, machine)
    elif args or kwargs:
        name = machine.environment.class_name(ref.path).rpartition(".")[2]
        raise TypeError(f"{name}() takes no arguments")
    return ref


def _set_fields(
    machine: Caller,
    ref: ObjectRef,
    path: str,
    args: list[object],
    kwargs: dict[str, object],
) -> None:
    """What the `__init__` of a dataclass does."""
    cls = machine.environment.record_class(path)
    factories = {**cls.factories, **cls.set_here}
    given = dict(zip(cls.type.fields, cls.bind(args, kwargs), strict=True))
    values: dict[str, object] = {}
    for name in cls.order:
        value = given.get(name, Default(name))
        if isinstance(value, Default):
            value = (
                call(factories[name], [], {}, machine)
                if name in factories
                else machine.environment.live(cls.defaults[name])
            )
        values[name] = value
        if name not in cls.init_only:
            machine.environment.setattr(ref, name, value)
    if "__post_init__" in machine.environment.members(ref.path):
        init = attribute(ref, "__post_init__", machine)
        call(init, [values[name] for name in cls.init_only], {}, machine)


def _make_record(
    machine: Caller, path: str, args: list[object], kwargs: dict[str, object]
) -> object:
    cls = machine.environment.record_class(path)
    items = [
        value
        if not isinstance(value, Default)
        else call(cls.factories[value.name], [], {}, machine)
        if value.name in cls.factories
        else machine.environment.live(cls.defaults[value.name])
        for value in cls.bind(args, kwargs)
    ]
    return Record(cls.type, tuple(items))


def _call_function(
    machine: Caller, symbol: str, args: list[object], kwargs: dict[str, object]
) -> object:
    function = machine.function(symbol)
    if GENERATOR in function.attributes:
        raise NotEvaluated(f"@{symbol}, which is a generator")
    bound = bind_arguments(
        symbol,
        signature_of(function),
        args,
        kwargs,
        lambda name: machine.default(function, name),
    )
    return machine.run_function(function, bound)


def signature_of(function: Function) -> Signature:
    """The parameters; those of the block arguments where none are recorded."""
    if isinstance(function, host.FuncOp):
        return Signature(tuple(name.data for name in function.params))
    names: list[str] = []
    for number, argument in enumerate(function.body.block.args):
        hint = argument.name_hint  # Several values of one variable share it.
        is_free = hint is not None and hint not in names
        names.append(hint if is_free and hint else f"argument {number}")
    return Signature.of(function.attributes, names)


def bind_arguments(
    function: str,
    signature: Signature,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    default: Callable[[str], object],
) -> list[object]:
    """One value per parameter, as Python binds them; `default` makes a default.

    Raises TypeError, in Python's words, when the arguments do not fit.
    """
    result: list[object] = []
    for item in bind(function, signature, args, kwargs):
        match item:
            case Default(name):
                known = from_attr(signature.defaults[name])
                is_given = isinstance(known, LeafRef)
                result.append(result[known.index] if is_given else default(name))
            case Rest(items):
                result.append(items)
            case Keywords(entries):
                result.append(dict(entries))
            case _:
                result.append(item)
    return result


def function_symbols(module: Operation) -> dict[str, Function]:
    """The module's functions by name.

    Raises InterpreterError when two have the same name.
    """
    result: dict[str, Function] = {}
    for op in module.regions[0].block.ops:
        if isinstance(op, FuncOp | host.FuncOp):
            if op.sym_name.data in result:
                raise InterpreterError(f"two functions are called @{op.sym_name.data}")
            result[op.sym_name.data] = op
    return result
