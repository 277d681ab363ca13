"""Calls: Python's argument binding, the user's functions, objects, all the rest."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.ir import host
from dycl.ir.dialect import CallOp, InvokeOp
from dycl.ir.interpreter.objects import LiveWorld
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.semantics import split_arguments
from dycl.ir.values import FunctionRef, MethodRef, ObjectRef
from dycl.ir.world import NotEvaluated

T = TypeVar("T")
Function = FuncOp | host.FuncOp
"""A function of any storey."""


class Caller(Protocol):
    """What calls need of the machine."""

    @property
    def world(self) -> LiveWorld:
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
    args, kwargs = split_arguments(op, operands[1:])
    callee = operands[0]
    if isinstance(op, InvokeOp):
        callee = machine.world.getattr(callee, op.method.data)
    return call(callee, args, kwargs, machine)


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
        case _:
            return machine.world.call(callee, args, kwargs)


def _call_object(
    machine: Caller, path: str, args: list[object], kwargs: dict[str, object]
) -> object:
    world = machine.world
    members = world.members(path)
    if "__hooks__" in members:
        raise NotEvaluated(f"a call of @{path} runs hooks")
    if world.is_leaf(path):
        return world.call(world.leaf(path).forward, args, kwargs)
    if "forward" in members:
        return call(world.getattr(ObjectRef(path), "forward"), args, kwargs, machine)
    children = world.chain(path)
    if children is None or kwargs or len(args) != 1:
        raise NotEvaluated(f"@{path} has no forward for this call")
    value = args[0]
    for child in children:
        value = call(child, [value], {}, machine)
    return value


def _call_function(
    machine: Caller, symbol: str, args: list[object], kwargs: dict[str, object]
) -> object:
    function = machine.function(symbol)
    bound = bind_arguments(
        symbol,
        parameter_names(function),
        default_names(function),
        args,
        kwargs,
        lambda name: machine.default(function, name),
    )
    return machine.run_function(function, bound)


def parameter_names(function: Function) -> list[str]:
    """The parameters' names; those of the block arguments where none are recorded."""
    if isinstance(function, host.FuncOp):
        return [name.data for name in function.params]
    names = function.attributes.get("dycl.params")
    if isinstance(names, ArrayAttr):
        return [n.data for n in cast(ArrayAttr[StringAttr], names)]
    arguments = function.body.block.args
    return [a.name_hint or f"argument {i}" for i, a in enumerate(arguments)]


def default_names(function: Function) -> Mapping[str, Attribute]:
    """The parameters that have a default, and what it is."""
    defaults = function.attributes.get("dycl.defaults")
    return defaults.data if isinstance(defaults, DictionaryAttr) else {}


def bind_arguments(
    function: str,
    parameters: Sequence[str],
    defaults: Mapping[str, object],
    args: Sequence[T],
    kwargs: Mapping[str, T],
    default: Callable[[str], T],
) -> list[T]:
    """One value per parameter, as Python binds them; `default` makes a default.

    Raises TypeError, in Python's words, when the arguments do not fit.
    """
    if len(args) > len(parameters):
        takes, given = len(parameters), len(args)
        raise TypeError(
            f"{function}() takes {takes} positional argument{'s' * (takes != 1)} "
            f"but {given} {'was' if given == 1 else 'were'} given"
        )
    bound = dict(zip(parameters, args, strict=False))
    for name, value in kwargs.items():
        if name not in parameters:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        if name in bound:
            raise TypeError(f"{function}() got multiple values for argument '{name}'")
        bound[name] = value
    missing = [n for n in parameters if n not in bound and n not in defaults]
    if missing:
        names = ", ".join(f"'{n}'" for n in missing)
        raise TypeError(
            f"{function}() missing {len(missing)} required "
            f"argument{'s' * (len(missing) != 1)}: {names}"
        )
    return [bound[n] if n in bound else default(n) for n in parameters]


def function_symbols(module: Operation) -> dict[str, Function]:
    """The module's functions by name.

    Raises InterpreterError when two have the same name.
    """
    found: dict[str, Function] = {}
    for op in module.regions[0].block.ops:
        if isinstance(op, FuncOp | host.FuncOp):
            if op.sym_name.data in found:
                raise InterpreterError(f"two functions are called @{op.sym_name.data}")
            found[op.sym_name.data] = op
    return found
