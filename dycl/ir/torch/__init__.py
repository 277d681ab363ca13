"""The torch dialect: torch-mlir's types and operations in torch-mlir's own syntax.

types:
    `!torch.vtensor<[1,?],f32>`  `<*,f32>`  `<[2],unk>`  or without parameters
    `!torch.tensor<...>`         the same for tensors that may be mutated
    `!torch.list<int>`  `!torch.optional<vtensor<[1],f32>>`  `!torch.tuple<int, none>`
    `!torch.int`  `float`  `bool`  `str`  `none`  `number`  `Device`  `any`  ...
operations:
    `%r = torch.aten.add.Tensor %a, %b, %one : A, B, !torch.int -> R`
    `%c = torch.constant.int 5`  `.float 0xFFF0000000000000`  `.bool true`  `.str "x"`
    `%n = torch.constant.none`
    `%l = torch.prim.ListConstruct %a, %b : (A, B) -> !torch.list<int>`
    `%t = torch.prim.TupleConstruct %a, %b : A, B -> !torch.tuple<...>`
    `%w = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : T`

Control flow and objects of TorchScript (`torch.prim.If`, `torch.nn_module`) are read
and written in MLIR's generic form only. Element types are `f32`, `si64`, `ui8`, `i1`:
never signless but for `i1`.
"""

from collections.abc import Iterator

from xdsl.ir import Dialect, Operation

from dycl.ir.torch.base import TorchOp, TorchType
from dycl.ir.torch.constants import (
    ConstantBoolOp,
    ConstantFloatOp,
    ConstantIntOp,
    ConstantNoneOp,
    ConstantOp,
    ConstantStrOp,
    PythonScalar,
    VTensorLiteralOp,
    constant,
)
from dycl.ir.torch.operators import (
    OpaqueOp,
    PlainOp,
    is_pure,
    op_names,
    plain_op,
    torch_op,
)
from dycl.ir.torch.ops import (
    BindSymbolicShapeOp,
    DerefineOp,
    ListConstructOp,
    OperatorOp,
    SymbolicIntOp,
    TensorStaticInfoCastOp,
    TupleConstructOp,
)
from dycl.ir.torch.parsing import TorchParserMixin
from dycl.ir.torch.simple_types import (
    BoolT,
    BoolType,
    FloatT,
    FloatType,
    IntT,
    IntType,
    NoneT,
    NoneType,
    StrT,
    StrType,
)
from dycl.ir.torch.types import (
    DYNAMIC,
    TYPES,
    ListType,
    NonVTensorType,
    OptionalType,
    TensorType,
    TupleType,
    VTensorType,
    si64,
)

__all__ = [
    "DYNAMIC",
    "BindSymbolicShapeOp",
    "BoolT",
    "BoolType",
    "ConstantBoolOp",
    "ConstantFloatOp",
    "ConstantIntOp",
    "ConstantNoneOp",
    "ConstantOp",
    "ConstantStrOp",
    "DerefineOp",
    "FloatT",
    "FloatType",
    "IntT",
    "IntType",
    "ListConstructOp",
    "ListType",
    "NonVTensorType",
    "NoneT",
    "NoneType",
    "OpaqueOp",
    "OperatorOp",
    "OptionalType",
    "PlainOp",
    "PythonScalar",
    "StrT",
    "StrType",
    "SymbolicIntOp",
    "TensorStaticInfoCastOp",
    "TensorType",
    "Torch",
    "TorchDialect",
    "TorchOp",
    "TorchParserMixin",
    "TorchType",
    "TupleConstructOp",
    "TupleType",
    "VTensorLiteralOp",
    "VTensorType",
    "constant",
    "is_pure",
    "op_names",
    "plain_op",
    "si64",
    "torch_op",
]


class TorchDialect(Dialect):
    """A dialect whose classes are made when a context loads it."""

    @property
    def operations(self) -> Iterator[type[Operation]]:
        """All operations of torch-mlir's dialect."""
        return (torch_op(name) for name in op_names())


Torch = TorchDialect("torch", [], list(TYPES))
