"""Local functions in C: functions of their own, with memory for each of their calls.

A call of one takes its buffers from the frames of the handle, and gives them back when
it returns: `m` is where they begin. How deep calls may be is counted, and the stack of
the thread is asked as well, so that a recursion without end is an error and no crash.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block

import dycl.ir as d
from dycl.host.effects import place_arguments
from dycl.host.lines import indent
from dycl.host.native.layout import comment, filled, noted
from dycl.host.native.types import c_type, declared
from dycl.host.native.variables import Variables
from dycl.ir import host
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.host.types import NONE

_ERROR = "dycl.runtime.effects.RecursionLimit"


@dataclass
class _Function:
    """What is printed of a local function, by what names."""

    name: str
    depth: str
    results: list[str]
    params: list[str]
    turns: int = 0
    """How many `host.keep` there are in it."""


@dataclass
class LocalFunctions:
    """Prints local functions, their calls and returns."""

    printer: Variables
    block: Callable[[Block], list[str]]
    """The lines of a block."""
    frames: Mapping[d.LocalFunctionOp, int]
    """How many bytes the buffers of each take."""
    lines: list[str] = field(default_factory=list[str])
    """The definitions."""
    _known: dict[d.LocalFunctionOp, _Function] = field(
        default_factory=dict[d.LocalFunctionOp, _Function]
    )

    def declare(self, op: d.LocalFunctionOp) -> None:
        """Print the prototype of a local function, which others may call. CannotPrint.

        All are declared before the first is defined.
        """
        fresh = self.printer.fresh
        kinds = op.returns[0].operand_types if op.returns else ()
        head = ["struct dycl_host *h", "uint32_t **path_at"]
        function = _Function(fresh(op.label.data), fresh("depth"), [], head)
        self._known[op] = function
        head.append(f"int64_t {function.depth}")
        for param in op.params:
            if param.type == NONE:
                self.printer.texts[param] = "0"
            else:
                name = self.printer.local(param)
                head.append(declared(c_type(param.type), name))
        for kind in kinds:
            function.results.append(fresh("to"))
            if kind != NONE:
                head.append(declared(_pointer(kind), function.results[-1]))
        self.lines += [*self._signature(op, ");"), ""]

    def define(self, op: d.LocalFunctionOp) -> None:
        """Print a local function. CannotPrint."""
        lines = self.block(op.body.block)
        self.lines += [
            *self._signature(op, ")"),
            "{",
            *indent(self._head(op, lines)),
            *indent(lines),
            "}",
            "",
        ]

    def _signature(self, op: d.LocalFunctionOp, end: str) -> list[str]:
        function = self._known[op]
        *params, last = function.params
        return [
            f"static int {function.name}({comment(_place(op))}",
            *indent(f"{param}," for param in params),
            *indent([f"{last}{end}"]),
        ]

    def _head(self, op: d.LocalFunctionOp, lines: list[str]) -> list[str]:
        """What the body of a function uses, by short names."""
        text = "\n".join(lines)
        head = ["uint32_t *path = *path_at;"]
        if "w->" in text:
            head.append("const dycl_weights *const w = h->weights;")
        if "out[" in text:
            head.append("dycl_value *const out = h->net.outputs;")
        if size := self.frames[op]:
            head.append(f"unsigned char *const m = dycl_frame(h, {size});")
            head.append("if (m == NULL) NO_MEMORY;")
            if "m + " not in text and "AT(" not in text:
                head.append("(void)m;")
        if turns := self._known[op].turns:
            head.append(f"unsigned char turns[{turns}] = {{0}};")
        return [*head, "if (dycl_poll(h)) STOP;"]

    def turn(self, op: host.KeepOp, number: int) -> str:
        """Where is noted which of its two places a `host.keep` fills next."""
        around = function_around(op)
        if around is None:
            return f"&h->turns[{number}]"
        function = self._known[around]
        function.turns += 1
        return f"&turns[{function.turns - 1}]"

    def call(self, op: d.LocalCallOp) -> list[str]:
        """The lines of a call."""
        function, around = self._known[op.function], function_around(op)
        lines = self.printer.declare(op.results)
        depth = "1"
        if around is not None:
            outer = self._known[around].depth
            depth = f"{outer} + 1"
            lines += self._limits(op, outer)
        given = ["h", "&path", depth]
        given += [self.printer.texts[v] for v in op.arguments if v.type != NONE]
        given += [f"&{self.printer.texts[r]}" for r in op.results if r.type != NONE]
        how = self.printer.fresh("how")
        call = filled(f"int {how} = {function.name}(", given, ");")
        return [*lines, *noted(call, op), f"if ({how} != DYCL_OK) return {how};"]

    def _limits(self, op: d.LocalCallOp, depth: str) -> list[str]:
        """The lines that raise where a call is too deep."""
        limit = op.function.max_depth
        file, line = place_arguments(op)
        at = f"the call at {file[1:-1]}:{line}"
        text = f"{at} is deeper than the stack of this thread allows (DY605)"
        lines = [f"if (dycl_is_deep(h)) RAISE({self._error(op, text)});"]
        if limit is not None:
            text = f"{at} is in {limit} others that are still open, which is "
            error = self._error(op, f"{text}max_recursion (DY605)")
            lines.append(f"if ({depth} >= {limit}) RAISE({error});")
        return lines

    def _error(self, op: d.LocalCallOp, text: str) -> int:
        base = "builtins.RecursionError"
        return self.printer.tables.add_error(op, _ERROR, [text], base=base)

    def end(self, op: d.LocalReturnOp) -> list[str]:
        """The lines of a return."""
        around = function_around(op)
        assert around is not None
        function = self._known[around]
        lines = [
            f"*{name} = {self.printer.texts[value]};"
            for name, value in zip(function.results, op.values, strict=True)
            if value.type != NONE
        ]
        if size := self.frames[around]:
            lines.append(f"h->frames_used -= {size};")
        return [*lines, "*path_at = path;", "return DYCL_OK;"]


def _pointer(kind: Attribute) -> str:
    """The C type of a place for a value."""
    named = c_type(kind)
    return f"{named}*" if named.endswith("*") else f"{named} *"


def frames_room(frames: Mapping[d.LocalFunctionOp, int]) -> int:
    """The bytes of all frames that may be in use at once."""
    most = max((op.max_depth or 0 for op in frames), default=0)
    return most * max(frames.values(), default=0)


STACK_FOR_CALL = 2048
"""Bytes of a stack that are set aside for each call of a local function."""
MOST_ON_THREAD = 2000
"""How deep calls may be for which the stack of the thread is enough in general."""


def own_stack(functions: Iterable[d.LocalFunctionOp]) -> int:
    """The bytes of a stack for the run alone; 0: that of the thread will do."""
    most = max((op.max_depth or 0 for op in functions), default=0)
    return 0 if most <= MOST_ON_THREAD else most * STACK_FOR_CALL + (1 << 20)


def _place(op: d.LocalFunctionOp) -> str:
    file, line = place_arguments(op)
    return f"{file[1:-1]}:{line}"
