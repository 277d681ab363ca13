"""State that `dycl-lift-state` has lifted: given to the entry, and taken from it.

In levels before that, state is the attributes of the objects themselves.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    MemRefType,
    Signedness,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from dycl.ir.dtypes import element_type_of
from dycl.ir.interpreter.calls import Function
from dycl.ir.interpreter.objects import LiveEnvironment
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.records import Record
from dycl.ir.refilled import input_given
from dycl.ir.state import NO_VALUE, State, kept_as_text
from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, TensorType
from dycl.ir.values import LeafRef, ObjectRef, is_torch_size


def arguments_of(
    function: Function,
    state: State,
    given: Mapping[str, object],
    environment: LiveEnvironment,
) -> list[object]:
    """What the entry takes behind the user's inputs.

    `given` are values of now; other variables are as the module has recorded them.
    Raises InterpreterError when no variant takes them.
    """
    now = {
        v.name: _live(v.initial[0], environment) for v in state.variables if v.initial
    }
    now |= given
    types = [a.type for a in function.body.block.args]
    kept = [v for v in state.variables if v.mode == "keep"]
    # Which is of the very types, before one that is near.
    for takes, variant in product((_takes_exactly, _takes), range(state.variants)):
        found: dict[int, object] = {}
        if all(
            _match(v.given[variant], now.get(v.name, _NOTHING), found) for v in kept
        ) and all(takes(types[i], value) for i, value in found.items()):
            if state.kind is not None:
                found[state.kind] = variant
            return [found.get(i) for i in range(state.inputs, len(types))]
    raise InterpreterError("the program has no variant for this state")


def left_by(
    state: State,
    new: Sequence[object],
    given: Mapping[str, object],
    environment: LiveEnvironment,
) -> dict[str, object]:
    """The state after a call, from what the call gave."""
    result: dict[str, object] = {}
    for variable, value in zip(state.variables, new, strict=True):
        if variable.writes or variable.refills:
            continue
        if variable.mode == "grow":
            before = given.get(variable.name, [])
            if variable.name not in given and variable.initial:
                before = _live(variable.initial[0], environment)
            value = [*cast("list[object]", before), *cast("list[object]", value)]
        result[variable.name] = value
    return result


def refilled_in(
    state: State, new: Sequence[object], inputs: Sequence[object]
) -> dict[str, object]:
    """What the lists and dicts of the caller's are to hold, by name."""
    pairs = zip(state.variables, new, strict=True)
    return {v.name: _own(value, inputs) for v, value in pairs if v.refills}


def _own(value: object, inputs: Sequence[object]) -> object:
    """The value with inputs where they are `Given`."""
    if (place := input_given(value)) is not None:
        return inputs[place]
    match value:
        case list() | tuple():
            items = [_own(item, inputs) for item in cast("list[object]", value)]
            return items if isinstance(value, list) else tuple(items)
        case dict():
            entries = cast("dict[object, object]", value).items()
            return {key: _own(item, inputs) for key, item in entries}
        case _:
            return value


def own_inputs(state: State, inputs: Sequence[object]) -> list[object]:
    """The user's inputs, with a copy of each that a call may write to."""
    own = list(inputs)
    for leaf in state.written:
        own[leaf.index] = cast("Any", own[leaf.index]).clone()
    return own


def write_back(state: State, new: Sequence[object], inputs: Sequence[object]) -> None:
    """Copy into the user's tensors what a call has left of its own copies."""
    first = len(state.variables) - len(state.written)
    for leaf, value in zip(state.written, new[first:], strict=True):
        cast("Any", inputs[leaf.index]).copy_(value)


_NOTHING = kept_as_text(NO_VALUE)


def _live(value: object, environment: LiveEnvironment) -> object:
    return environment.resolve(value)


_NUMBERS: dict[Attribute, type] = {
    IntT: int,
    FloatT: float,
    BoolT: bool,
    i64: int,
    f64: float,
    i1: bool,
}
"""The types of numbers, before and after `dycl-lower-host`."""


def _takes_exactly(wanted: Attribute, value: object) -> bool:
    """Whether a type is that of the value, with its dtype."""
    if isinstance(wanted, MemRefType):
        element = cast("Attribute", wanted.element_type)
    elif isinstance(wanted, TensorType):
        element = wanted.dtype
    else:
        return type(value) is _NUMBERS.get(wanted)
    return _takes(wanted, value) and _is_of(element, cast("Any", value).dtype)


def _is_of(element: Attribute, dtype: object) -> bool:
    """Whether elements are of a torch.dtype; ints of memory have no sign."""
    found = element_type_of(dtype)
    if isinstance(element, IntegerType) and isinstance(found, IntegerType):
        is_signless = element.signedness.data is Signedness.SIGNLESS
        return element == found or (is_signless and element.width == found.width)
    return element == found


def _takes(wanted: Attribute, value: object) -> bool:
    """Whether a type is of these sizes, or any number; one without sizes takes any."""
    if not isinstance(wanted, (TensorType, MemRefType)):
        return isinstance(value, (bool, int, float))
    sizes = getattr(value, "shape", None)
    if sizes is None:
        return False
    is_memory = isinstance(wanted, MemRefType)
    shape = wanted.get_shape() if is_memory else wanted.sizes()
    if shape is None:
        return True
    return len(shape) == len(sizes) and all(
        want in (DYNAMIC_INDEX, DYNAMIC, size)
        for want, size in zip(shape, sizes, strict=True)
    )


def _match(structure: object, value: object, found: dict[int, object]) -> bool:
    """Whether a value is of a structure; what stands in it is `found`, by argument."""
    match structure:
        case LeafRef(index):
            found[index] = value
            return True
        case Record():  # A `torch.Size`, which is a tuple behind some passes.
            return isinstance(value, tuple) and _match(
                structure.items[0], tuple(cast("tuple[object, ...]", value)), found
            )
        case tuple() if is_torch_size(structure):
            return isinstance(value, tuple) and structure == value
        case tuple() | list():
            items = cast("list[object]", structure)
            if type(value) is not type(items):
                return False
            others = value
            return len(items) == len(others) and all(
                _match(a, b, found) for a, b in zip(items, others, strict=True)
            )
        case dict():
            entries = cast("dict[object, object]", structure)
            if not isinstance(value, dict) or list(entries) != list(
                cast("dict[object, object]", value)
            ):
                return False
            other = cast("dict[object, object]", value)
            return all(_match(v, other[k], found) for k, v in entries.items())
        case ObjectRef() if isinstance(value, str):
            return value == kept_as_text(structure)
        case _:
            return type(structure) is type(value) and structure == value
