"""What the entry function gives to `forward`: its inputs, in the structure they had.

Before                                 After
------                                 -----
forward(x, {"mask": m}, mode="up")     func.func @forward(%x, %m)
                                         %d = dycl.dict(%"mask", %m)
                                         %s = dycl.constant "up"
                                         dycl.call %forward(%x, %d, mode = %s)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir import ConstantOp, DictOp, ListOp, RecordOp, TupleOp
from dycl.ir.changes import GIVEN
from dycl.ir.records import RecordType
from dycl.ir.values import to_attr
from dycl.runtime.signature import Signature


def structured(
    signature: Signature,
    inputs: Sequence[SSAValue],
    mention: Callable[[str], object],
) -> tuple[list[Operation], list[SSAValue], list[str]]:
    """Ops that make the arguments, the arguments, and the names of the last of them.

    `mention` is called with the full name of each class of records.
    """
    builder = _Builder(iter(inputs), mention)
    values = [builder.value(argument) for argument in signature.arguments.values()]
    return builder.ops, values, list(signature.arguments)[signature.count :]


class _Builder:
    def __init__(self, inputs: Iterator[SSAValue], mention: Callable[[str], object]):
        self.inputs = inputs
        self.mention = mention
        self.ops: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def callers(self, op: ListOp | DictOp) -> SSAValue:
        """A list or dict that the caller has, too."""
        op.attributes[GIVEN] = UnitAttr()
        return self.add(op)

    def constant(self, value: object) -> SSAValue:
        return self.add(ConstantOp(to_attr(value)))

    def value(self, structure: Mapping[str, Any]) -> SSAValue:
        match structure:
            case {"leaf": _}:
                return next(self.inputs)
            case {"constant": constant}:
                return self.constant(constant)
            case {"tuple": items}:
                return self.add(TupleOp([self.value(one) for one in items]))
            case {"list": items}:
                return self.callers(ListOp([self.value(one) for one in items]))
            case {"dict": entries}:
                pairs = [(self.constant(k), self.value(one)) for k, one in entries]
                return self.callers(DictOp([v for pair in pairs for v in pair]))
            case _:
                fields: dict[str, Any] = structure["fields"]
                kind = RecordType(structure["record"], structure["kind"], tuple(fields))
                self.mention(kind.name)
                items = [self.value(one) for one in fields.values()]
                return self.add(RecordOp(self.add(TupleOp(items)), kind))
