"""Local functions of printed Python, which a recursion that the data ends has.

Each is a function of the module, in front of `forward`: it gets what it is given, and
how many calls are open.
"""

from abc import abstractmethod

from xdsl.ir import Block, SSAValue

import dycl.ir as d
from dycl.host.effects import place_arguments
from dycl.host.lines import indent, location_text, noted
from dycl.host.literals import literal
from dycl.host.names import Names
from dycl.host.variables import Variables
from dycl.host.ways import Function, Place
from dycl.ir import host
from dycl.ir.dialect.local_functions import function_around, local_functions


class LocalFunctions(Variables):
    """Prints their definitions, and the calls of them."""

    def __init__(self, texts: dict[SSAValue, str], names: Names):
        super().__init__(texts, names)
        self.functions: list[str] = []
        """Definitions of the local functions."""
        self._depths: dict[d.LocalFunctionOp, tuple[str, str]] = {}
        """What each is called, and how deep a call of it is."""

    @abstractmethod
    def _block(self, block: Block, at: Place) -> list[str]:
        """The lines of a block."""

    def _name_functions(self, func: host.FuncOp) -> None:
        for op in local_functions(func):
            names = self._names.fresh(op.label.data), self._names.fresh("depth")
            self._depths[op] = names

    def _local_function(self, op: d.LocalFunctionOp) -> None:
        """Print the definition of a local function."""
        name, depth = self._depths[op]
        function = Function(is_part=False)
        params = [depth]
        for param in op.params:
            params.append(self._names.fresh(param.name_hint, "x"))
            self._texts[param] = params[-1]
        lines = self._block(op.body.block, Place(function))
        head = noted(f"def {name}({', '.join(params)}):", location_text(op))
        self.functions += [head, *indent([*function.parts, *lines]), ""]

    def _local_call(self, op: d.LocalCallOp, at: Place) -> list[str]:
        """A call; one inside a local function must not be too deep."""
        function, around = op.function, function_around(op)
        names = self._declare(op, at)
        name, _ = self._depths[function]
        limit = function.max_depth
        given = [self._texts[value] for value in op.arguments]
        targets = ", ".join(names)
        if around is None:
            most = literal(limit)
            call = f"rt.deeply({', '.join([most, name, '1', *given])})"
            lines: list[str] = []
        else:
            _, depth = self._depths[around]
            call = f"{name}({', '.join([f'{depth} + 1', *given])})"
            where = ", ".join([literal(limit), *place_arguments(op)])
            test = f"if {depth} >= {literal(limit)}: raise rt.too_deep({where})"
            lines = [] if limit is None else [test]
        line = f"{targets} = {call}" if targets else call
        return [*lines, noted(line, location_text(op))]
