"""What the data chooses from: the elements, and how the key says which of them.

Nothing here changes the program: `dycl-select-elements` does.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.iteration import is_read_only
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    InvokeOp,
    ListOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.torch import BoolT, FloatT, IntT, StrT, VTensorType
from dycl.ir.values import (
    ObjectRef,
)
from dycl.passes.selection.elements import PLAIN, Constant, Element


@dataclass(frozen=True)
class Choice:
    """One of several elements, by a key that only a run knows."""

    key: SSAValue
    keys: int | tuple[object, ...]
    """As those of `dycl.position`; tuples, where the key is made by a `dycl.tuple`."""
    error: str
    """What a key that is not there raises; "": the last element is taken."""
    elements: tuple[Element, ...]

    @property
    def cases(self) -> list[str] | None:
        """What the user calls the elements, if not by their numbers."""
        return None if isinstance(self.keys, int) else [repr(k) for k in self.keys]


def choice_of(op: Operation, environment: Environment) -> Choice | None:
    """What an op chooses from, or None if it chooses nothing by the data."""
    match op:
        case SubscriptOp():
            return _subscript(op, environment)
        case InvokeOp() if op.method.data == "get" and not op.keyword_names:
            return _get(op, environment)
        case CallOp() if constant_name(op.callee) == "builtins.getattr":
            return _getattr(op, environment)
        case _:
            return None


def membership_of(op: CompareOp, environment: Environment) -> Choice | None:
    """The keys that `k in d` asks for."""
    if op.kind_name not in ("in", "not_in"):
        return None
    table = _table(op.rhs, environment)
    return None if table is None else _by_key(op.lhs, table, "", "")


def _subscript(op: SubscriptOp, environment: Environment) -> Choice | None:
    table = _table(op.operand, environment)
    if table is not None:
        return _by_key(op.index, table, "KeyError", "KeyError: ")
    sequence = _sequence(op.operand, environment)
    if sequence is None or not is_index(op.index):
        return None
    elements, error = sequence
    if not elements:
        return None
    return Choice(op.index, len(elements), error, tuple(elements))


def _get(op: InvokeOp, environment: Environment) -> Choice | None:
    table = None
    if not isinstance(constant_value(op.receiver), ObjectRef):
        table = _table(op.receiver, environment)
    if table is None or len(op.arguments) not in (1, 2):
        return None
    choice = _by_key(op.arguments[0], table, "", "")
    if choice is None:
        return None
    default = op.arguments[1] if len(op.arguments) == 2 else Constant(None)
    return Choice(choice.key, choice.keys, "", (*choice.elements, default))


def settled(op: Operation, environment: Environment) -> Element | None:
    """What `d.get(key, default)` gives by any default: the key is known, or `d` empty.

    It is no constant only because the default is a list, say. None: it depends.
    """
    match op:
        case InvokeOp(arguments=[key, default]) if op.method.data == "get":
            entries = None if op.keyword_names else _entries(op.receiver, environment)
            value = constant_value(key)
            if entries is None or (entries and value is MISSING):
                return None
            return entries.get(value, default) if entries else default
        case _:
            return None


def _getattr(op: CallOp, environment: Environment) -> Choice | None:
    if op.keyword_names or len(op.arguments) not in (2, 3):
        return None
    owner = constant_value(op.arguments[0])
    if not isinstance(owner, ObjectRef):
        return None
    table: dict[object, Element] = {}
    for name in environment.members(owner.path):
        try:
            if not name.startswith("__"):
                table[name] = Constant(environment.getattr(owner, name))
        except (AttributeError, NotEvaluated):
            continue
    kind = environment.class_name(owner.path).rpartition(".")[2]
    text = f"AttributeError: '{kind}' object has no attribute '"
    result = _by_pattern(op.arguments[1], table, text, "'")
    if result is None or len(op.arguments) == 2:
        return result
    elements = (*result.elements, op.arguments[2])
    return Choice(result.key, result.keys, "", elements)


# ---- what is chosen from


def _sequence(
    value: SSAValue, environment: Environment
) -> tuple[Sequence[Element], str] | None:
    """The items of a list or tuple, and what an index outside of it raises."""
    owner = value.owner
    if isinstance(owner, TupleOp):
        return list(owner.items), "IndexError: tuple index out of range"
    if isinstance(owner, ListOp):
        if not is_read_only(value):
            return None
        return list(owner.items), "IndexError: list index out of range"
    constant = constant_value(value)
    if isinstance(constant, ObjectRef):
        items = environment.items(constant.path)
        if not isinstance(items, list):
            return None
        return [Constant(v) for v in items], "IndexError: index {} is out of range"
    if isinstance(constant, list) and not is_read_only(value):
        return None
    if isinstance(constant, (list, tuple, str)):
        kind = "string" if isinstance(constant, str) else type(constant).__name__
        items = [Constant(v) for v in cast("list[object]", constant)]
        return items, f"IndexError: {kind} index out of range"
    return None


def _table(value: SSAValue, environment: Environment) -> dict[object, Element] | None:
    """The entries of a dict with plain keys; None: it has none, or others."""
    table = _entries(value, environment)
    return table if table and all(map(_is_plain_key, table)) else None


def _entries(value: SSAValue, environment: Environment) -> dict[object, Element] | None:
    """The entries of a dict that nothing changes; None: it may change, or is none."""
    owner = value.owner
    if isinstance(owner, DictOp):
        keys = [constant_value(k) for k in owner.items[::2]]
        if MISSING in keys or not is_read_only(value):
            return None
        entries: Iterable[tuple[object, Element]] = zip(
            keys, owner.items[1::2], strict=True
        )
    else:
        constant = constant_value(value)
        if isinstance(constant, ObjectRef):
            constant = environment.items(constant.path)
        elif isinstance(constant, dict) and not is_read_only(value):
            return None
        if not isinstance(constant, dict):
            return None
        items = cast("dict[object, object]", constant).items()
        entries = [(k, Constant(v)) for k, v in items]
    return dict(entries)


def _is_plain_key(key: object) -> bool:
    """Whether a key is a number, text or None, or a tuple of these; no NaN."""
    parts = cast("tuple[object, ...]", key) if type(key) is tuple else (key,)
    return all(isinstance(part, PLAIN) and part == part for part in parts)


# ---- how the key says which


def is_index(value: SSAValue) -> bool:
    """Whether a value that only a run knows may stand in brackets of a list."""
    if isinstance(value.type, VTensorType):
        dtype = value.type.element_type()
        return dtype is not None and "float" not in dtype_name(dtype)
    return value.type in (IntT, BoolT) and not isinstance(value.owner, ConstantOp)


def _by_key(
    key: SSAValue, table: dict[object, Element], error: str, named: str
) -> Choice | None:
    """Entries under a number, or under a text that a number goes into."""
    result = _by_pattern(key, table, named, "") if named or not error else None
    if result is not None:
        return result if named else Choice(result.key, result.keys, "", result.elements)
    if isinstance(key.owner, TupleOp):
        return _by_parts(key, key.owner, table, error)
    if not _is_open(key):
        return None
    numbers = {k: v for k, v in table.items() if not isinstance(k, tuple)}
    return Choice(key, tuple(numbers), error, tuple(numbers.values()))


def _by_parts(
    key: SSAValue, made: TupleOp, table: dict[object, Element], error: str
) -> Choice | None:
    """Entries under tuples, which the parts of a key are compared with one by one."""
    parts = [constant_value(part) for part in made.items]
    if not any(map(_is_open, made.items)):
        return None
    for part, value in zip(made.items, parts, strict=True):
        if not (_is_open(part) or isinstance(value, PLAIN)):
            return None
    entries: dict[object, Element] = {}
    for k, element in table.items():
        if not isinstance(k, tuple):
            continue
        names = cast("tuple[object, ...]", k)
        if len(names) == len(parts) and all(
            value is MISSING or value == name
            for value, name in zip(parts, names, strict=True)
        ):
            entries[k] = element
    return Choice(key, tuple(entries), error, tuple(entries.values()))


def _is_open(value: SSAValue) -> bool:
    """Whether a value is a number or text that only a run knows."""
    is_plain_type = value.type in (IntT, BoolT, FloatT, StrT)
    return is_plain_type and not isinstance(value.owner, ConstantOp)


def _by_pattern(
    key: SSAValue, table: dict[object, Element], before: str, after: str
) -> Choice | None:
    """Entries under texts such as `f"block{k}"`: chosen by the number itself."""
    pattern = pattern_of(key)
    if pattern is None:
        return None
    text, number = pattern
    numbers: dict[int, Element] = {}
    for name, element in table.items():
        for digits in re.findall(r"-?\d+", str(name)):
            for candidate in (int(digits), abs(int(digits))):
                if text.format(candidate) == name:
                    numbers[candidate] = element
    if not numbers:
        return None
    quoted = before.replace("{", "{{").replace("}", "}}")
    error = f"{quoted}{text}{after}" if before else ""
    return Choice(number, tuple(numbers), error, tuple(numbers.values()))


def pattern_of(value: SSAValue) -> tuple[str, SSAValue] | None:
    """A text with one int in it as a format string, and that int."""
    op = value.owner
    match op:
        case InvokeOp() if op.method.data == "format" and len(op.operands) == 2:
            text = constant_value(op.receiver)
            number = op.arguments[0]
            if not isinstance(text, str):
                return None
            # Of a tensor of rank 0 its number is written, but for `!r` and `!s`.
            if _is_int(number) or (_is_int_tensor(number) and "!" not in text):
                return _tried(text, number)
        case CallOp() if constant_name(op.callee) == "builtins.str":
            if len(op.arguments) == 1 and _is_int(op.arguments[0]):
                return "{}", op.arguments[0]
        case BinaryOp() if op.kind_name == "add":
            return _joined(op)
        case BinaryOp() if op.kind_name == "mod" and _is_int(op.rhs):
            text = constant_value(op.lhs)
            if isinstance(text, str) and text.count("%") == 1:
                parts = re.split(r"%[ds]", text)
                if len(parts) == 2:
                    return "{}".join(map(_escaped, parts)), op.rhs
        case _:
            pass
    return None


def _joined(op: BinaryOp) -> tuple[str, SSAValue] | None:
    lhs, rhs = constant_value(op.lhs), constant_value(op.rhs)
    if isinstance(lhs, str) and (pattern := pattern_of(op.rhs)) is not None:
        return _escaped(lhs) + pattern[0], pattern[1]
    if isinstance(rhs, str) and (pattern := pattern_of(op.lhs)) is not None:
        return pattern[0] + _escaped(rhs), pattern[1]
    return None


def _tried(text: str, number: SSAValue) -> tuple[str, SSAValue] | None:
    """The format string, if it writes an int, and differently for others."""
    try:
        return (text, number) if text.format(1) != text.format(2) else None
    except (ValueError, IndexError, KeyError, AttributeError):
        return None


def _is_int(value: SSAValue) -> bool:
    return value.type == IntT and not isinstance(value.owner, ConstantOp)


def _is_int_tensor(value: SSAValue) -> bool:
    """Whether a value is one integer, as a tensor of rank 0."""
    if not isinstance(value.type, VTensorType) or value.type.sizes() != ():
        return False
    dtype = value.type.element_type()
    return is_index(value) and dtype is not None and dtype_name(dtype) != "bool"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
