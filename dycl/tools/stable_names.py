"""A printer that calls a value the same each time: for diffs of a module over time."""

from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove


class Names:
    """The names of values, by the op that isolates them; they never change."""

    def __init__(self) -> None:
        """No value has a name yet."""
        self._names: dict[Operation | None, dict[SSAValue, str]] = {}
        self._used: dict[Operation | None, set[str]] = {}

    def of(self, value: SSAValue, scope: Operation | None) -> str:
        """The name of a value: by its hint, or a number, when it is first met."""
        names = self._names.setdefault(scope, {})
        if (name := names.get(value)) is None:
            used = self._used.setdefault(scope, set())
            name, number = value.name_hint or "0", 0
            while name in used:
                number += 1
                name = f"{value.name_hint}_{number}" if value.name_hint else f"{number}"
            used.add(name)
            names[value] = name
        return name


class _StablePrinter(Printer):
    def __init__(self, out: StringIO, names: Names, generic: bool, debuginfo: bool):
        super().__init__(out, print_generic_format=generic, print_debuginfo=debuginfo)
        self._stable = names
        self._scopes: list[Operation | None] = [None]

    def print_op(self, op: Operation) -> None:
        isolated = op.has_trait(IsolatedFromAbove) and not isinstance(op, ModuleOp)
        if isolated:
            self._scopes.append(op)
        super().print_op(op)
        if isolated:
            self._scopes.pop()

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._stable.of(value, self._scopes[-1])
        self.print_string(f"%{name}")
        return name


def stable_text(module: ModuleOp, names: Names, generic: bool, debuginfo: bool) -> str:
    """The text of a module in which values are called as in the texts before."""
    out = StringIO()
    _StablePrinter(out, names, generic, debuginfo).print_op(module)
    return out.getvalue() + "\n"
