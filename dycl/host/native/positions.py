"""Indices that data chooses, and keys that it looks up, as lines of C."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, cast

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

import dycl.ir as d
from dycl.host.literals import structure
from dycl.host.native.scalars import Scalars
from dycl.host.native.tables import Tables
from dycl.host.native.types import CannotPrint, c_number, c_type
from dycl.ir.host.types import NONE, NUMBERS, SCALARS, STR
from dycl.ir.values import LeafRef


class Printer(Protocol):
    """What is needed of the printer of the whole body."""

    texts: dict[SSAValue, str]
    tables: Tables

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        ...

    def outputs(self, values: Iterable[SSAValue]) -> list[str]:
        """The lines that hand values out of the function."""
        ...

    def text_constant(self, text: str) -> str:
        """The address of a text that is known."""
        ...


@dataclass
class Positions:
    """Prints where a key stands: an index in a length, or one of a dict's keys."""

    printer: Printer
    scalars: Scalars

    def lines(self, op: d.PositionOp) -> list[str]:
        """The lines that declare and find the position. CannotPrint."""
        keys, key = op.known_keys, self.printer.texts[op.key]
        if op.key.type == STR and not self.scalars.compares_texts:
            return self._position_of_text(op, keys)
        name = self.printer.local(op.result)
        head = f"int64_t {name};"
        missing = self._missing(
            op, name, len(keys) if isinstance(keys, tuple) else keys
        )
        if not isinstance(keys, tuple):
            if op.key.type not in NUMBERS or op.key.type == f64:
                return [head, self._no_index(op)]
            return [head, f"if (dycl_position({key}, {keys}, &{name})) {missing}"]
        lines = [head]
        for place_, known in enumerate(keys):
            test = self._equals(op.key, known)
            lines.append(f"{'else ' if place_ else ''}if ({test}) {name} = {place_};")
        return [*lines, f"else {missing}" if keys else missing]

    def _position_of_text(self, op: d.PositionOp, keys: object) -> list[str]:
        """Where a text stands that is made at run time: Python compares it."""
        if not isinstance(keys, tuple):
            name = self.printer.local(op.result)
            return [f"int64_t {name};", self._no_index(op)]
        places: dict[object, int] = {}
        for place_, known in enumerate(cast("tuple[object, ...]", keys)):
            places.setdefault(known, place_)
        known = {k: v for k, v in places.items() if isinstance(k, str)}
        listed = structure(known, lambda _: "")
        lines = self.scalars.ask(op, f"{listed}.get(a0, -1)", [op.key])
        name = self.printer.texts[op.result]
        return [*lines, f"if ({name} < 0) {self._missing(op, name, len(keys))}"]

    def _no_index(self, op: d.PositionOp) -> str:
        kind = SCALARS[op.key.type]
        text = f"'{kind}' object cannot be interpreted as an integer"
        return (
            f"RAISE({self.printer.tables.add_error(op, 'builtins.TypeError', [text])});"
        )

    def _missing(self, op: d.PositionOp, name: str, length: object) -> str:
        if not op.error.data:
            return f"{name} = {length};"
        kind, _, text = op.error.data.partition(": ")
        exception = f"builtins.{kind}"
        if text:
            error = self.printer.tables.add_formatted(op, exception, text, op.key)
        else:
            error = self.printer.tables.add_error(op, exception, [LeafRef(0)], [op.key])
        return (
            f"{{ {' '.join([*self.printer.outputs([op.key]), f'RAISE({error});'])} }}"
        )

    def _equals(self, key: SSAValue, known: object) -> str:
        """Whether a dict would find `key` under `known`."""
        text = self.printer.texts[key]
        match known:
            case str() if key.type == STR:
                text_constant = self.printer.text_constant(known)
                return f"dycl_compare_texts({text}, {text_constant}) == 0"
            case None if key.type == NONE:
                return "true"
            case int() | float() if key.type in NUMBERS:
                is_float = c_type(key.type) == "double"
                if is_float == isinstance(known, float):
                    return f"{text} == {c_number(known)}"
                pair = (c_number(known), text) if is_float else (text, c_number(known))
                return f"dycl_mixed({', '.join(pair)}) == 0"
            case None | str() | int() | float():
                return "false"
            case _:
                raise CannotPrint(f"a choice by {type(known).__name__}")
