"""Writing traces into the IR: `torch.aten` ops, constants, parameters, literals.

Before                         After
------                         -----
%y = dycl.binary mul %x, %two  %int2 = torch.constant.int 2
%z = dycl.binary mul %y, %two  %y = torch.aten.mul.Scalar %x, %int2 : T, !torch.int -> T
dycl.return %z                 %z = torch.aten.mul.Scalar %y, %int2 : T, !torch.int -> T
                               dycl.return %z
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    LocationAttr,
    StringAttr,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dycl.analysis.tensors.abstract import map_leaves, type_of
from dycl.analysis.tracing.custom_kernels import OPERATOR
from dycl.analysis.tracing.fx_graph import FIRST, LITERAL
from dycl.analysis.tracing.graph import Input, Node, Param, Ref, Trace, Untraceable
from dycl.ir import BinaryOp, ConstantOp, EffectOp, ItemOp, ParamOp
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.rewriting import insert_before, locate
from dycl.ir.torch import (
    BoolT,
    FloatT,
    IntT,
    ListConstructOp,
    ListType,
    OperatorOp,
    OptionalType,
    PythonScalar,
    StrT,
    VTensorLiteralOp,
    VTensorType,
    constant,
    plain_op,
)
from dycl.ir.type_words import type_words
from dycl.ir.value_names import value_name
from dycl.ir.values import ParamRef, TensorConstant, to_attr

_ELEMENTS: dict[str, Attribute] = {"int": IntT, "float": FloatT, "bool": BoolT}
_ANY_TENSOR = VTensorType.of(None, None)


class Emitter:
    """Emits into one function; parameters at its top, constants once per block."""

    def __init__(self, top: Block):
        self.top = top
        self.params: dict[str, SSAValue] = {}
        self._last_param: Operation | None = None
        self._constants: dict[tuple[Block, object], SSAValue] = {}
        for op in top.ops:
            if isinstance(op, ParamOp):
                self.params[op.path.data] = op.result
                self._last_param = op

    def param(self, ref: ParamRef, location: LocationAttr) -> SSAValue:
        """The parameter, read at the top of the function."""
        if ref.path not in self.params:
            op = ParamOp(ref.path, VTensorType.of(ref.shape, ref.dtype))
            locate([op], location)
            op.result.name_hint = value_name(ref.path)
            first = self.top.first_op
            if self._last_param is not None:
                self.top.insert_op_after(op, self._last_param)
            elif first is not None:
                self.top.insert_op_before(op, first)
            else:
                self.top.add_op(op)
            self._last_param = op
            self.params[ref.path] = op.result
        return self.params[ref.path]

    def trace(
        self,
        found: Trace,
        anchor: Operation,
        operand: Callable[[int], SSAValue],
        params: Mapping[str, ParamRef],
    ) -> list[object]:
        """Emit before `anchor`; its results, with SSA values for tensors.

        `operand` gives the leaves of the traced op's operands. Raises Untraceable.
        """
        results: list[list[SSAValue]] = []

        def value(leaf: object) -> object:
            match leaf:
                case Input(number, as_float=True):
                    one = self.number(1.0, anchor)
                    float_op = BinaryOp("mul", operand(number), one, FloatT)
                    return self._insert(float_op, anchor).results[0]
                case Input(number):
                    return operand(number)
                case Param(name):
                    return self.param(params[name], anchor.location)
                case Ref(node, result):
                    return results[node][result]
                case _:
                    return leaf

        for node in found.nodes:
            results.append(self.node(node, anchor, value))
        for check in found.checks:
            self._check(cast(SSAValue, value(check.flag)), check.error, anchor)
        return [map_leaves(tree, value) for tree in found.results]

    def _check(self, flag: SSAValue, error: str, anchor: Operation) -> None:
        """Raise `error`, "Class: text", where the flag is false."""
        kind, _, text = error.partition(": ")
        number = ItemOp(flag, BoolT)
        words = ConstantOp(to_attr(text), StrT)
        effect = EffectOp(CHECKS[kind], [number.result, words.result], {})
        insert_before(anchor, number, words, effect)

    def _first(
        self, node: Node, anchor: Operation, value: Callable[[object], object]
    ) -> list[SSAValue]:
        """A slice from the front; its end is an int that the host reads."""
        whole, count = (cast(SSAValue, value(operand)) for operand in node.operands)
        item_op = ItemOp(count, IntT)
        self._insert(item_op, anchor)
        zero, one = self.number(0, anchor), self.number(1, anchor)
        types = [type_of(result) for result in node.results]
        operands = [whole, zero, zero, item_op.result, one]
        slice_op = plain_op("torch.aten.slice.Tensor")
        op = slice_op(operands, types, location=anchor.location)
        return list(self._insert(op, anchor).results)

    def node(
        self, node: Node, anchor: Operation, value: Callable[[object], object]
    ) -> list[SSAValue]:
        """Emit one node before `anchor`; `value` gives its operands' SSA values."""
        at = anchor.location
        if node.op == LITERAL:
            return [self.literal(cast(TensorConstant, node.operands[0]), anchor)]
        if node.op == FIRST:
            return self._first(node, anchor, value)
        operands = [
            self._operand(operand, kind, anchor, value)
            for operand, kind in zip(node.operands, node.kinds, strict=True)
        ]
        types: list[Attribute] = [type_of(result) for result in node.results]
        if node.op == OPERATOR:
            kept = {name: to_attr(value) for name, value in node.attributes}
            name = cast(StringAttr, kept.pop("name")).data
            op = OperatorOp(name, operands, types, kept, location=at)
            return list(self._insert(op, anchor).results)
        if not node.is_list:
            op = plain_op(node.op)(operands, types, location=at)
            return list(self._insert(op, anchor).results)
        same = len(set(types)) == 1
        whole = plain_op(node.op)(
            operands, [ListType.of(types[0] if same else _ANY_TENSOR)], location=at
        )
        self._insert(whole, anchor)
        unpack = plain_op("torch.prim.ListUnpack")(whole.results, types, location=at)
        return list(self._insert(unpack, anchor).results)

    def literal(self, value: TensorConstant, anchor: Operation) -> SSAValue:
        """A constant tensor, before `anchor`."""
        tensor_type = cast(Any, BuiltinTensorType(value.dtype, list(value.shape)))
        dense = DenseIntOrFPElementsAttr.from_list(tensor_type, cast(Any, value.data))
        op = VTensorLiteralOp(dense, location=anchor.location)
        return self._insert(op, anchor).results[0]

    def number(self, value: PythonScalar, anchor: Operation) -> SSAValue:
        """A torch constant that is visible at `anchor`; one per block and value."""
        block = anchor.parent
        assert block is not None
        key = (block, (type(value).__name__, repr(value)))
        if key not in self._constants:
            op = constant(value, location=anchor.location)
            self._constants[key] = self._insert(op, anchor).results[0]
            self._constants[key].name_hint = _constant_hint(value)
        return self._constants[key]

    def _operand(
        self,
        operand: object,
        kind: str,
        anchor: Operation,
        value: Callable[[object], object],
    ) -> SSAValue:
        if kind.startswith("Optional["):
            kind = kind.removeprefix("Optional[").removesuffix("]")
        if isinstance(operand, tuple):
            return self._list(cast("tuple[object, ...]", operand), kind, anchor, value)
        if isinstance(operand, (Input, Param, Ref)):
            result = cast(SSAValue, value(operand))
            _check_number(result.type, kind)
            return result
        if kind == "float" and isinstance(operand, int):
            operand = float(operand)
        elif kind == "int" and isinstance(operand, bool):
            operand = int(operand)
        return self.number(cast(PythonScalar, operand), anchor)

    def _list(
        self,
        items: tuple[object, ...],
        kind: str,
        anchor: Operation,
        value: Callable[[object], object],
    ) -> SSAValue:
        inner = kind.removeprefix("List[").removesuffix("]")
        elements = [self._operand(item, inner, anchor, value) for item in items]
        block = anchor.parent
        assert block is not None
        key = (block, (inner, tuple(elements)))
        if key not in self._constants:
            element = _ELEMENTS.get(inner)
            if element is None:
                types = {e.type for e in elements}
                element = types.pop() if len(types) == 1 else _ANY_TENSOR
                if inner.startswith("Optional["):
                    element = OptionalType.of(_ANY_TENSOR)
            op = ListConstructOp(elements, element, location=anchor.location)
            self._constants[key] = self._insert(op, anchor).results[0]
        return self._constants[key]

    @staticmethod
    def _insert(op: Operation, anchor: Operation) -> Operation:
        insert_before(anchor, op)
        return op


def _check_number(found: Attribute, kind: str) -> None:
    """torch-mlir does not convert numbers: the kinds have to fit."""
    wanted: dict[Attribute, tuple[str, ...]] = {
        IntT: ("int", "number"),
        FloatT: ("float", "number"),
        BoolT: ("bool",),
    }
    if kind not in wanted.get(found, (kind,)):
        raise Untraceable(f"{type_words(found)} for torch's {kind} has no lowering")


def _constant_hint(value: PythonScalar) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case int():
            return f"int{value}" if value >= 0 else f"int_minus{-value}"
        case float():
            return "float"
        case str():
            return "str"
