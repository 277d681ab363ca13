"""State as arguments of the entry function: one for each tensor and number in it.

Before                          After
------                          -----
%v = dycl.getattr %self "pair"  %v = dycl.tuple(%pair, %pair_1)
dycl.setattr %self "pair", %x   %s = dycl.tuple(%x)
dycl.return %v                  %r = dycl.tuple(%v, %s)
                                dycl.return %r
"""

from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.analysis.tensors.abstract import OpenSizes, Tensor, kind_of, type_of
from dycl.ir import CallOp, ConstantOp, DictOp, ListOp, TupleOp
from dycl.ir.library_objects import TORCH_SIZE, size_of_torch
from dycl.ir.rewriting import append_argument, insert_before
from dycl.ir.torch import VTensorType
from dycl.ir.value_names import value_name
from dycl.ir.values import GlobalRef, LeafRef, ParamRef, is_torch_size, to_attr


class Arguments:
    """Adds arguments to a function, and builds the state from them."""

    def __init__(self, entry: FuncOp):
        self.entry = entry

    def start(
        self, value: object, name: str, before: Operation
    ) -> tuple[SSAValue, object]:
        """A value of this kind, and its structure with `LeafRef`s.

        `value` is what an object has recorded, or an abstract value. What is neither
        tensor nor number is a constant in front of `before`.
        """
        if (value_type := _type(value)) is not None:
            # One tensor in two places is one at first only: each has an argument.
            argument = self.add(value_type, name)
            return argument, LeafRef(self.entry.body.block.args.index(argument))
        if isinstance(value, OpenSizes):
            sizes, structure = self.start(tuple(value), name, before)
            of_torch = _constant(GlobalRef(TORCH_SIZE), name, before, self.entry)
            whole = CallOp(of_torch, [sizes])
            return _put(whole, name, before, self.entry), size_of_torch(structure)
        if isinstance(value, (tuple, list)) and not is_torch_size(value):
            items = cast("list[object]", value)
            parts = [self.start(v, f"{name}_{i}", before) for i, v in enumerate(items)]
            op = (TupleOp if isinstance(value, tuple) else ListOp)(
                [p[0] for p in parts]
            )
            structure = type(items)(p[1] for p in parts)
            return _put(op, name, before, self.entry), structure
        if isinstance(value, dict):
            entries = cast("dict[object, object]", value).items()
            keys = [_constant(k, name, before, self.entry) for k, _ in entries]
            parts = [self.start(v, f"{name}_{k}", before) for k, v in entries]
            row = [v for k, p in zip(keys, parts, strict=True) for v in (k, p[0])]
            structure = {k: p[1] for (k, _), p in zip(entries, parts, strict=True)}
            return _put(DictOp(row), name, before, self.entry), structure
        return _constant(value, name, before, self.entry), value

    def add(self, found: Attribute, name: str) -> SSAValue:
        """A new last argument."""
        block = self.entry.body.block
        argument = append_argument(block, found, source=self.entry)
        argument.name_hint = value_name(name)
        return argument


def _type(value: object) -> Attribute | None:
    """The type of a tensor or number."""
    if isinstance(value, ParamRef):
        return VTensorType.of(value.shape, value.dtype)
    if isinstance(value, Tensor) or kind_of(value) not in (None, "str"):
        return type_of(value)
    return None  # No input is a text or a size: each is a kind of state of its own.


def _constant(value: object, name: str, before: Operation, entry: FuncOp) -> SSAValue:
    return _put(ConstantOp(to_attr(value)), name, before, entry)


def _put(
    op: ConstantOp | TupleOp | ListOp | DictOp | CallOp,
    name: str,
    before: Operation,
    entry: FuncOp,
) -> SSAValue:
    insert_before(before, op, source=entry)
    op.result.name_hint = value_name(name)
    return op.result
