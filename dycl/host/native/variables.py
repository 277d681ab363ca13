"""Values in C: what each is called, how it is assigned and handed on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from dycl.host.names import Names
from dycl.host.native.layout import braced
from dycl.host.native.tables import Tables
from dycl.host.native.types import c_text, c_type, declared, slot
from dycl.ir.host.types import NONE

Use = Callable[[str], list[str]]
"""The lines that use an array, by its name."""


@dataclass
class Variables:
    """What stands for each value of a host function, and its constants and tables."""

    texts: dict[SSAValue, str]
    names: Names
    tables: Tables = field(default_factory=Tables, kw_only=True)
    constants: list[str] = field(default_factory=list[str], kw_only=True)
    """Definitions that stand before the function."""
    _known_texts: dict[str, str] = field(default_factory=dict[str, str], kw_only=True)

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        self.texts[value] = self.names.fresh(value.name_hint)
        return self.texts[value]

    def fresh(self, wanted: str) -> str:
        """A new local variable's name."""
        return self.names.fresh(wanted)

    def text_constant(self, text: str) -> str:
        """The address of a text that is known."""
        if text not in self._known_texts:
            number = self.tables.add_text(text)
            name = self._known_texts[text] = self.names.fresh(f"text_{number}")
            length = len(text.encode("utf-8", "surrogatepass"))
            value = f"{{{number}, {c_text(text)}, {length}, NULL}}"
            self.constants.append(f"static const dycl_text {name} = {value};")
        return f"&{self._known_texts[text]}"

    def declare(self, values: Sequence[SSAValue]) -> list[str]:
        """The lines that declare new local variables for values."""
        lines: list[str] = []
        for value in values:
            name = self.local(value)
            if value.type != NONE:
                lines.append(f"{declared(c_type(value.type), name)};")
        return lines

    def assign(
        self, targets: Sequence[SSAValue], values: Sequence[SSAValue]
    ) -> list[str]:
        """All targets at once, as Python assigns a tuple."""
        pairs = [
            (t, self.texts[t], self.texts[v])
            for t, v in zip(targets, values, strict=True)
            if t.uses and t.type != NONE and self.texts[t] != self.texts[v]
        ]
        lines: list[str] = []
        late: list[str] = []
        for i, (target, name, text) in enumerate(pairs):
            if any(other == name for _, _, other in pairs[i + 1 :]):
                kept = self.names.fresh(f"new_{name}")
                lines.append(f"{declared(c_type(target.type), kept)} = {text};")
                late.append(f"{name} = {kept};")
            else:
                lines.append(f"{name} = {text};")
        return braced([*lines, *late]) if late else lines

    def outputs(self, values: Iterable[SSAValue]) -> list[str]:
        """The lines that hand values out of the function."""
        lines: list[str] = []
        for i, value in enumerate(values):
            if value.type == NONE:
                continue
            lines.append(f"out[{i}].{slot(value)} = {self.texts[value]};")
        return lines

    def with_arguments(
        self, values: Sequence[SSAValue], head: str, use: Use
    ) -> list[str]:
        """A block with the values in an array, after the line `head`."""
        given = self.names.fresh("arguments")
        entries = [
            "{0}" if v.type == NONE else f"{{.{slot(v)} = {self.texts[v]}}}"
            for v in values
        ]
        listed = ", ".join(entries or ["{0}"])
        array = f"const dycl_value {given}[] = {{{listed}}};"
        return [*([head] if head else []), *braced([array, *use(given)])]
