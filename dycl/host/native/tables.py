"""What a run of host.c means, as plain data: `host.json`.

    returns  a structure for each place that returns
    errors   {"exception", "base", "arguments": structure} for each that raises, or
             {"exception", "format": text}, whose only argument is formatted with a leaf
    effects  {"function", "positional", "keywords", "file", "line"} for prints and logs,
             {"expression", "result": kind} of `a0`, `a1`, ... for what is asked
    on_gpu   what a GPU computes, if it does: see `on_device.py`
    texts    {"text"}, or {"format", "positional", "keywords"}

A structure is `{"leaf": i}` for `outputs[i]`, `{"value": v}` for None, a bool, an int,
a float or a str, `{"tuple": [..]}`, `{"list": [..]}`, `{"dict": [[key, value], ..]}`,
`{"record": name, "kind": .., "fields": [..], "items": [..]}`. Beside each stand
"types": what each leaf or argument is, `"int"`, `"float"`, `"bool"`, `"str"`, `"None"`
`["float32", [1, 3]]` with -1 for a size that a run decides, or `{"items": type}`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

import dycl.ir as d
from dycl.diag import SourceLoc
from dycl.host.body import DecisionEntry
from dycl.host.effects import place_arguments
from dycl.host.lines import short_file
from dycl.host.literals import named
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.dialect.model import INDEX_ERROR, INPUT_ERROR
from dycl.ir.host.types import SCALARS, dtype_of
from dycl.ir.records import Record
from dycl.ir.values import DeviceRef, GlobalRef, LeafRef, from_attr


@dataclass
class Tables:
    """Filled while the host is printed."""

    returns: list[Any] = field(default_factory=list[Any])
    errors: list[Any] = field(default_factory=list[Any])
    effects: list[Any] = field(default_factory=list[Any])
    texts: list[Any] = field(default_factory=list[Any])
    error_texts: list[str] = field(default_factory=list[str])
    """What each error says to those who do not read the tables."""
    outputs: int = 0
    """Most values that a return or error has."""

    def add_return(self, returned: object, values: Sequence[SSAValue]) -> int:
        """The number of a place that returns; equal ones share it."""
        self.outputs = max(self.outputs, len(values))
        entry = {"structure": _structure(returned), "types": types_of(values)}
        return _place(self.returns, entry)

    def add_error(
        self,
        op: Operation,
        exception: str,
        arguments: Sequence[object],
        values: Sequence[SSAValue] = (),
        base: str | None = None,
    ) -> int:
        """The number of an error; `arguments` may hold leaves of `values`."""
        self.outputs = max(self.outputs, len(values))
        shown = [str(a) for a in arguments if not isinstance(a, LeafRef)]
        return self._error(
            op,
            exception,
            {
                "exception": exception,
                "base": base,
                "arguments": _structure(tuple(arguments)),
                "types": types_of(values),
            },
            shown[0] if len(shown) == 1 else "",
        )

    def add_check(self, op: Operation, message: str) -> int:
        """The number of a RuntimeError, or of what the message begins with."""
        if message.startswith(INDEX_ERROR):
            text = message.removeprefix(INDEX_ERROR)
            return self.add_error(op, "builtins.IndexError", [text])
        if message.startswith(INPUT_ERROR):
            text = message.removeprefix(INPUT_ERROR)
            name, base = "dycl.runtime.inputs.InputError", "builtins.ValueError"
            return self.add_error(op, name, [text], base=base)
        return self.add_error(op, "builtins.RuntimeError", [message])

    def add_limit(self, op: Operation, limit: int) -> int:
        """The number of the error of a loop that runs more than `limit` times."""
        file, line = place_arguments(op)
        text = f"the loop at {file[1:-1]}:{line} runs more than {limit} times, which "
        text += "is its max_iterations (DY602)"
        name, base = "dycl.runtime.effects.IterationLimit", "builtins.RuntimeError"
        return self.add_error(op, name, [text], base=base)

    def add_formatted(
        self, op: Operation, exception: str, text: str, value: SSAValue
    ) -> int:
        """The number of an error whose message is `text` with a value."""
        self.outputs = max(self.outputs, 1)
        entry = {"exception": exception, "format": text, "types": types_of([value])}
        return self._error(op, exception, entry, text)

    def _error(self, op: Operation, exception: str, entry: Any, text: str) -> int:
        file, line = place_arguments(op)
        name = exception.removeprefix("builtins.")
        where = f" ({file.strip(chr(34))}:{line})"
        message = f"{name}: {text}{where}" if text else f"{name}{where}"
        pairs = list(zip(self.errors, self.error_texts, strict=True))
        for number, (known, words) in enumerate(pairs):
            if words == message and repr(known) == repr(entry):
                return number
        self.errors.append(entry)
        self.error_texts.append(message)
        return len(self.errors) - 1

    def add_effect(self, op: d.EffectOp) -> int:
        """The number of an effect."""
        file, line = place_arguments(op)
        self.effects.append(
            {
                "function": op.function_name,
                "positional": len(op.positional),
                "keywords": [*op.keyword_arguments],
                "file": file[1:-1],
                "line": int(line),
                "types": types_of([*op.positional, *op.keyword_arguments.values()]),
            }
        )
        return len(self.effects) - 1

    def add_question(
        self, expression: str, values: Sequence[SSAValue], result: str
    ) -> int:
        """The number of an expression that Python computes, a number of this kind."""
        entry = {
            "expression": expression,
            "result": result,
            "types": types_of(values),
        }
        return _place(self.effects, entry)

    def add_text(self, text: str) -> int:
        """The number of a constant text."""
        return _place(self.texts, {"text": text})

    def add_format(
        self, template: str, positional: Sequence[SSAValue], named: dict[str, SSAValue]
    ) -> int:
        """The number of a text that is made of values."""
        entry = {
            "format": template,
            "positional": len(positional),
            "keywords": [*named],
            "types": types_of([*positional, *named.values()]),
        }
        return _place(self.texts, entry)


def types_of(values: Sequence[SSAValue]) -> list[Any]:
    """What each value is."""
    return [_type(value.type) for value in values]


def _type(found: Attribute) -> Any:
    if isinstance(found, MemRefType):
        return [dtype_of(found), [max(s, -1) for s in found.get_shape()]]
    if isinstance(found, d.SequenceType):
        return {"items": _type(found.element)}
    return SCALARS[found]


def raised(function: Callable[[], object]) -> tuple[str, tuple[object, ...]]:
    """The class and arguments of what Python raises, as its own words."""
    try:
        function()
    except Exception as error:
        return f"builtins.{type(error).__name__}", error.args
    raise AssertionError("it does not raise")


def _place(entries: list[Any], entry: Any) -> int:
    """Where `entry` stands, at the end if it is new."""
    known = [repr(e) for e in entries]  # not `==`: 0 == False
    if (text := repr(entry)) not in known:
        entries.append(entry)
        return len(entries) - 1
    return known.index(text)


def _structure(value: object) -> Any:
    match value:
        case LeafRef(index):
            return {"leaf": index}
        case tuple() | list():
            items = [_structure(v) for v in cast("list[object]", value)]
            return {type(value).__name__: items}
        case Record(kind, fields):
            return {
                "record": kind.name,
                "kind": kind.kind,
                "fields": list(kind.fields),
                "items": [_structure(v) for v in fields],
            }
        case dict():
            entries = cast("dict[object, object]", value).items()
            return {"dict": [[_structure(k), _structure(v)] for k, v in entries]}
        case GlobalRef() | DeviceRef():
            return {"named": named(value)}
        case _:
            return {"value": value}


def decision_entry(op: d.IfOp | d.WhileOp) -> DecisionEntry:
    """The line of the table of decisions."""
    location = SourceLoc.of(op)
    return DecisionEntry(
        op.decision_name,
        op.test,
        "" if location is None else short_file(location),
        0 if location is None else location.line,
    )


def check_text(op: d.EffectOp) -> str:
    """What is raised where a check does not hold, as `Tables.add_check` takes it."""
    words = op.positional[1].owner
    assert isinstance(words, d.ConstantOp)
    text = str(from_attr(words.value))
    is_index = op.function_name == CHECKS["IndexError"]
    return f"{INDEX_ERROR}{text}" if is_index else text
