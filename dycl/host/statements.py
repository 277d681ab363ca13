"""Ops that hold no others as lines of Python: launches, effects, returns, values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.host.effects import statement
from dycl.host.lines import location_text, noted
from dycl.host.literals import kind_and_shape, literal, memory_text, quoted, structure
from dycl.host.local_functions import LocalFunctions
from dycl.host.names import Names
from dycl.host.values import expression
from dycl.host.ways import Place
from dycl.ir import host
from dycl.ir.values import LeafRef, from_attr


@dataclass(frozen=True)
class Call:
    """A launch (or keeper) bound at load time, and what it is given at each call."""

    name: str
    given: Sequence[SSAValue]


class Statements(LocalFunctions):
    """Prints them, given what each op was bound to at load time."""

    def __init__(
        self,
        texts: dict[SSAValue, str],
        launches: Mapping[Operation, Call],
        names: Names,
    ):
        super().__init__(texts, names)
        self._launches = launches

    def _statement(self, op: Operation, at: Place) -> list[str]:
        match op:
            case d.LocalCallOp():
                return self._local_call(op, at)
            case d.LocalReturnOp():
                text = ", ".join(self._texts[value] for value in op.values) or "None"
                if at.function.is_part:
                    return [f"return (({text}),)"]
                return [f"return {text}"]
            case host.KeepOp() | d.PositionOp() if op in self._launches:
                return self._bound(op, at)
            case host.KeepOp() | host.AllocOp():
                return self._allocation(op, at)
            case host.LaunchOp():
                return [self._launch(op)]
            case d.ReturnOp():
                return self._return(op, at)
            case d.UnreachableOp():
                return self._unreachable(op)
            case d.EffectOp() | d.RaiseOp():
                return [noted(statement(op, self._texts), location_text(op))]
            case _:
                if op.results and all(r in self._texts for r in op.results):
                    return []  # made at load time, or a literal
                value = expression(op, self._texts)
                [name] = self._declare(op, at)
                return [f"{name} = {value}"]

    def _bound(self, op: host.KeepOp | d.PositionOp, at: Place) -> list[str]:
        [name] = self._declare(op, at)
        call = self._launches[op]
        given = ", ".join(self._texts[value] for value in call.given)
        return [f"{name} = {call.name}({given})"]

    def _allocation(self, op: host.KeepOp | host.AllocOp, at: Place) -> list[str]:
        """Memory of each call by itself, if none was made at load time."""
        if op.result in self._texts:
            return []
        [name] = self._declare(op, at)
        kind, shape = kind_and_shape(op.result.type)
        more = "".join(f", {text}" for text in memory_text(op.result.type))
        own = f"({quoted(kind)}, {literal(shape)}{more})"
        if isinstance(op, host.KeepOp):
            return [f"{name} = rt.keeper{own}({self._texts[op.operand]})"]
        return [f"{name} = rt.buffer{own}"]

    def _launch(self, op: host.LaunchOp) -> str:
        call = self._launches[op]
        given = ", ".join(self._texts[value] for value in call.given)
        filled = ", ".join(self._texts[value] for value in op.outputs)
        comment = " ".join(
            filter(None, (location_text(op), f"-> {filled}" if filled else ""))
        )
        return noted(f"{call.name}({given})", comment)

    def _return(self, op: d.ReturnOp, at: Place) -> list[str]:
        if op.structure is not None:
            returned = from_attr(op.structure)
        elif len(op.values) == 1:
            returned = LeafRef(0)
        else:
            returned = tuple(LeafRef(i) for i in range(len(op.values)))
        text = structure(returned, lambda i: self._result(op.values[i]))
        # A part says by a tuple that it returns, and by None that it does not.
        return [f"return ({text},)" if at.function.is_part else f"return {text}"]

    def _result(self, value: SSAValue) -> str:
        text = self._texts[value]
        owned = not isinstance(value.type, (MemRefType, d.SequenceType))
        return text if owned else f"result({text})"

    def _unreachable(self, op: d.UnreachableOp) -> list[str]:
        before = op.prev_op
        if isinstance(before, d.IfOp) and not before.exits:
            return []
        if isinstance(before, d.WhileOp) and _is_endless(before):
            return []
        return ['raise AssertionError("this place cannot be reached")']


def _is_endless(op: d.WhileOp) -> bool:
    return not op.is_tested and not op.breaks
