"""The local variables of printed Python: which value has which, and who assigns it."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.host.names import Names
from dycl.host.ways import Function, Place


class Variables:
    """The texts of values: literals, what is made at load time, and variables."""

    def __init__(self, texts: dict[SSAValue, str], names: Names):
        """`texts`: of what is known already, which is added to."""
        self._texts = texts
        self._names = names
        self._owners: dict[str, Function] = {}
        """Variable -> the function that it is local to."""

    def _declare(self, op: Operation, at: Place) -> list[str]:
        """Name the results of `op` as local variables of the function at `at`."""
        return self._declare_all(op.results, at)

    def _declare_all(self, values: Sequence[SSAValue], at: Place) -> list[str]:
        for value in values:
            if value not in self._texts:
                name = self._names.fresh(value.name_hint)
                self._texts[value] = name
                self._owners[name] = at.function
        return [self._texts[value] for value in values]

    def _assign(
        self, targets: Sequence[SSAValue], values: Sequence[SSAValue], at: Place
    ) -> list[str]:
        pairs = [
            (self._texts[t], self._texts[v])
            for t, v in zip(targets, values, strict=True)
            if t.uses and self._texts[t] != self._texts[v]
        ]
        names = [name for name, _ in pairs]
        for name in names:
            self._will_assign(name, at)
        if not pairs:
            return []
        return [f"{', '.join(names)} = {', '.join(text for _, text in pairs)}"]

    def _will_assign(self, name: str, at: Place) -> None:
        if self._owners[name] is not at.function:
            at.function.nonlocals.add(name)
