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

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir import ConstantOp, DictOp, ListOp, RecordOp, TupleOp
from dycl.ir.builtin_nodes import BASES
from dycl.ir.changes import GIVEN
from dycl.ir.records import RecordType
from dycl.ir.values import to_attr
from dycl.runtime.signature import Signature, parts


def structured(
    signature: Signature,
    inputs: Sequence[SSAValue],
    mention: Callable[[str], object],
) -> tuple[list[Operation], list[SSAValue], list[str]]:
    """Ops that make the arguments, the arguments, and the names of the last of them.

    `mention` is called with the full name of each class of records.
    """
    builder = _Builder(iter(inputs), mention)
    arguments = signature.arguments.items()
    values = [builder.value(argument, name) for name, argument in arguments]
    return builder.ops, values, list(signature.arguments)[signature.count :]


class _Builder:
    def __init__(self, inputs: Iterator[SSAValue], mention: Callable[[str], object]):
        self.inputs = inputs
        self.mention = mention
        self.ops: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def callers(self, op: ListOp | DictOp, name: str) -> SSAValue:
        """A list or dict that the caller has, too, by the name `name`."""
        op.attributes[GIVEN] = StringAttr(name)
        return self.add(op)

    def constant(self, value: object) -> SSAValue:
        return self.add(ConstantOp(to_attr(value)))

    def value(self, structure: Mapping[str, Any], name: str) -> SSAValue:
        match structure:
            case {"leaf": _}:
                return next(self.inputs)
            case {"tree": _, "constructors": classes}:
                for name in classes:
                    if name not in BASES:
                        self.mention(name)
                return next(self.inputs)
            case {"constant": constant}:
                return self.constant(constant)
            case {"tuple": _}:
                return self.add(TupleOp(self.parts(structure, name)))
            case {"list": _}:
                return self.callers(ListOp(self.parts(structure, name)), name)
            case {"dict": entries}:
                keys = [self.constant(key) for key, _ in entries]
                pairs = zip(keys, self.parts(structure, name), strict=True)
                return self.callers(DictOp([v for pair in pairs for v in pair]), name)
            case _:
                fields: dict[str, Any] = structure["fields"]
                kind = RecordType(structure["record"], structure["kind"], tuple(fields))
                self.mention(kind.name)
                items = self.parts(structure, name)
                return self.add(RecordOp(self.add(TupleOp(items)), kind))

    def parts(self, structure: Mapping[str, Any], name: str) -> list[SSAValue]:
        return [self.value(one, inner) for inner, one, _ in parts(structure, name)]
