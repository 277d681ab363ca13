"""The operations of the torch dialect that have a syntax of their own.

All others are made on demand, by name, in `operators`.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from dycl.ir.torch.base import TorchOp, TorchType
from dycl.ir.torch.constants import (
    ConstantBoolOp,
    ConstantDeviceOp,
    ConstantFloatOp,
    ConstantIntOp,
    ConstantNoneOp,
    ConstantNumberOp,
    ConstantStrOp,
    TensorLiteralOp,
    VTensorLiteralOp,
)
from dycl.ir.torch.simple_types import BoolType, IntT, IntType
from dycl.ir.torch.types import ListType, TensorType, TupleType

# --- containers ---------------------------------------------------------------


@irdl_op_definition
class ListConstructOp(TorchOp):
    """`torch.prim.ListConstruct %a, %b : (T, T) -> !torch.list<T>`."""

    name = "torch.prim.ListConstruct"
    elements = var_operand_def(TorchType)
    result = result_def(ListType)
    traits = traits_def(Pure())
    assembly_format = "$elements attr-dict `:` functional-type($elements, $result)"

    def __init__(
        self,
        elements: Sequence[SSAValue | Operation],
        element_type: Attribute,
        *,
        location: LocationAttr,
    ):
        """A list of values that all are, or can stand for, `element_type`."""
        super().__init__(operands=[elements], result_types=[ListType.of(element_type)])
        self.location = location


@irdl_op_definition
class TupleConstructOp(TorchOp):
    """`torch.prim.TupleConstruct %a, %b : A, B -> !torch.tuple<A, B>`."""

    name = "torch.prim.TupleConstruct"
    elements = var_operand_def(TorchType)
    result = result_def(TupleType)
    traits = traits_def(Pure())
    assembly_format = "$elements attr-dict `:` type($elements) `->` type($result)"

    def __init__(
        self, elements: Sequence[SSAValue | Operation], *, location: LocationAttr
    ):
        """The tuple of these values."""
        values = [SSAValue.get(element) for element in elements]
        result = TupleType.of([value.type for value in values])
        super().__init__(operands=[values], result_types=[result])
        self.location = location


# --- casts and copies ---------------------------------------------------------


@irdl_op_definition
class DerefineOp(TorchOp):
    """`torch.derefine %x : !torch.int to !torch.optional<int>`: forgets type facts."""

    name = "torch.derefine"
    operand = operand_def(TorchType)
    result = result_def(TorchType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def __init__(
        self,
        operand: SSAValue | Operation,
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location


@irdl_op_definition
class TensorStaticInfoCastOp(TorchOp):
    """`torch.tensor_static_info_cast %x : T to U`: U knows more or less than T."""

    name = "torch.tensor_static_info_cast"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def __init__(
        self,
        operand: SSAValue | Operation,
        result_type: TensorType,
        *,
        location: LocationAttr,
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location


@irdl_op_definition
class RuntimeAssertOp(TorchOp):
    """`torch.runtime.assert %condition, "message"`."""

    name = "torch.runtime.assert"
    condition = operand_def(BoolType)
    message = prop_def(StringAttr)
    assembly_format = "$condition `,` $message attr-dict"


# --- operators of users --------------------------------------------------------


@irdl_op_definition
class OperatorOp(TorchOp):
    """`torch.operator "torch.mine.scale"(%x, %by) : (T, !torch.float) -> T`.

    An operator that torch-mlir does not know, a function of its operands. Its code is
    the text in `dycl.custom_kernel`; the interpreter calls `torch.ops.mine.scale`. An
    op of the `dycl` dialect is called `dycl.<verb>` here, and has its attributes.
    """

    name = "torch.operator"
    operator_name = prop_def(StringAttr, prop_name="name")
    inputs = var_operand_def()
    outputs = var_result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        operator_name: str,
        inputs: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Attribute],
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"name": StringAttr(operator_name)},
            attributes=dict(attributes),
        )
        self.location = location


# --- symbolic sizes -----------------------------------------------------------


@irdl_op_definition
class SymbolicIntOp(TorchOp):
    """`torch.symbolic_int "s0" {min_val = 2, max_val = 9} : !torch.int`."""

    name = "torch.symbolic_int"
    symbol_name = prop_def(StringAttr)
    min_val = prop_def(IntegerAttr.constr(type=i64))
    max_val = prop_def(IntegerAttr.constr(type=i64))
    result = result_def(IntType)
    traits = traits_def(Pure())
    assembly_format = (
        "$symbol_name ` ` `{` `min_val` `=` $min_val `,` `max_val` `=` $max_val `}` "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self, symbol_name: str, min_val: int, max_val: int, *, location: LocationAttr
    ):
        """A size between the two bounds, both included."""
        super().__init__(
            properties={
                "symbol_name": StringAttr(symbol_name),
                "min_val": IntegerAttr(min_val, i64),
                "max_val": IntegerAttr(max_val, i64),
            },
            result_types=[IntT],
        )
        self.location = location


@irdl_op_definition
class BindSymbolicShapeOp(TorchOp):
    """`torch.bind_symbolic_shape %x, [%s0], affine_map<()[s0] -> (s0, 3)> : T`."""

    name = "torch.bind_symbolic_shape"
    operand = operand_def(TensorType)
    shape_symbols = var_operand_def(IntType)
    shape_expressions = prop_def(AffineMapAttr)
    assembly_format = (
        "$operand `,` `[` $shape_symbols `]` `,` $shape_expressions "
        "attr-dict `:` type($operand)"
    )

    def __init__(
        self,
        operand: SSAValue | Operation,
        shape_symbols: Sequence[SSAValue | Operation],
        shape_expressions: AffineMapAttr,
        *,
        location: LocationAttr,
    ):
        """One expression per dimension of `operand` over one symbol per size."""
        super().__init__(
            operands=[operand, shape_symbols],
            properties={"shape_expressions": shape_expressions},
        )
        self.location = location


OPS: tuple[type[TorchOp], ...] = (
    ConstantIntOp,
    ConstantFloatOp,
    ConstantBoolOp,
    ConstantStrOp,
    ConstantNoneOp,
    ConstantDeviceOp,
    ConstantNumberOp,
    VTensorLiteralOp,
    TensorLiteralOp,
    ListConstructOp,
    TupleConstructOp,
    DerefineOp,
    TensorStaticInfoCastOp,
    RuntimeAssertOp,
    OperatorOp,
    SymbolicIntOp,
    BindSymbolicShapeOp,
)
