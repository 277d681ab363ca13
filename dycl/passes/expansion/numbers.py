"""Python numbers that depend on the input: read to the host, computed with there.

Before                        After
------                        -----
%f = dycl.invoke %v "item"()  %f = dycl.item %v
%p = dycl.to_bool %v          %n = torch.aten.ne.Scalar %v, %int0
%s = dycl.call %sqrt(%f)      %p = dycl.item %n
dycl.return %p, %s            %s = dycl.builtin "math.sqrt"(%f)
                              dycl.return %p, %s
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Kind, Tensor, kind_of, type_of
from dycl.analysis.tensors.abstract import Scalar as OpenNumber
from dycl.analysis.tensors.reads import cast_kind, natural_kind
from dycl.analysis.tracing.fx_graph import DTYPE_CODES
from dycl.analysis.tracing.graph import Input, Node, Untraceable
from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CallOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    ItemOp,
    PositionOp,
    ScalarOp,
    SelectOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.dtypes import element_type
from dycl.ir.number_functions import NAMES, result_kind
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes.expansion.emission import Emitter

_KIND_DTYPES: dict[Kind, str] = {"int": "int64", "float": "float64", "bool": "bool"}
_ORDER = {"builtins.min": "lt", "builtins.max": "gt"}
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")
_BITWISE = ("and", "or", "xor", "lshift", "rshift")
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", *_BITWISE)
_POWER = (
    "whether this power is an int or a float depends on the input: use a float base"
)


def expand_read(
    op: Operation, value: SSAValue, tensor: Tensor, kind: Kind, emitter: Emitter
) -> SSAValue:
    """Emit the read of a one-element tensor as a number of `kind`, before `op`."""
    negated = isinstance(op, UnaryOp)
    natural = natural_kind(tensor)
    if (kind, natural) == ("int", "float"):
        # A conversion of the tensor would make some number of NaN: Python raises.
        read = insert_value(op, ItemOp(value, type_of(OpenNumber(natural))))
        return insert_value(
            op, BuiltinOp("builtins.int", [read], type_of(OpenNumber(kind)))
        )
    if kind != natural:
        value = _converted(op, value, tensor, kind, emitter)
    read = insert_value(op, ItemOp(value, type_of(OpenNumber(kind))))
    return insert_value(op, UnaryOp("not", read, BoolT)) if negated else read


def _converted(
    op: Operation, value: SSAValue, tensor: Tensor, kind: Kind, emitter: Emitter
) -> SSAValue:
    """The tensor with the dtype of `kind`, as Python converts its element."""
    dtype = element_type(_KIND_DTYPES[kind])
    result = Tensor(tensor.shape, dtype, tensor.strides)
    if kind == "bool":
        node = Node(
            "torch.aten.ne.Scalar", (Input(0), 0), ("Tensor", "number"), (result,)
        )
    else:
        node = Node(
            "torch.aten.to.dtype",
            (Input(0), DTYPE_CODES[_KIND_DTYPES[kind]], False, False, None),
            ("Tensor", "int", "bool", "bool", "Optional[int]"),
            (result,),
        )
    return emitter.node(node, op, lambda _: value)[0]


def expand_number(
    op: Operation,
    operands: Sequence[object],
    values: Sequence[SSAValue | None],
) -> SSAValue | None:
    """What an op on numbers becomes; None: it stays as it is.

    `values` are the operands' SSA values, None for constants. Raises Untraceable.
    """
    match op:
        case ToBoolOp():
            return values[0] if kind_of(operands[0]) == "bool" else None
        case InplaceOp() | BinaryOp() if op.kind_name in _ARITHMETIC:
            kinds = [kind_of(operand) for operand in operands]
            if op.kind_name == "pow" and not _is_power(operands):
                raise Untraceable(_POWER)
            if op.kind_name in _BITWISE and "float" in kinds:
                raise Untraceable("Python has no such operation on floats")
            if isinstance(op, BinaryOp):
                return None
            new = BinaryOp(op.kind_name, op.lhs, op.rhs, op.result.type)
            return insert_value(op, new)
        case CompareOp() if op.kind_name in _COMPARE:
            return None
        case CompareOp() if {kind_of(operand) for operand in operands} == {"bool"}:
            return None  # `is`: there is one True
        case UnaryOp() if op.kind_name in ("neg", "pos", "not", "invert"):
            return None
        case SelectOp() | PositionOp() | ScalarOp():
            return None
        case CallOp():
            return _call(op, operands, values)
        case _:
            raise Untraceable(
                "this operation on numbers that depend on the input has no lowering"
            )


def _call(
    op: CallOp,
    operands: Sequence[object],
    values: Sequence[SSAValue | None],
) -> SSAValue:
    function = operands[0].name if isinstance(operands[0], GlobalRef) else "this"
    kind = cast_kind(op, operands)
    if kind is not None and values[1] is not None:
        return _cast(op, operands[1], values[1], kind)
    kinds = [kind for x in operands[1:] if (kind := kind_of(x)) is not None]
    given = len(kinds) == len(operands) - 1 and not op.keyword_names
    if function in _ORDER and given and len(kinds) > 1 and len(set(kinds)) == 1:
        # As Python does it: a later one only if it is smaller.
        first, *rest = op.arguments
        for second in rest:
            test = CompareOp(_ORDER[function], second, first, BoolT)
            first = insert_value(op, SelectOp(insert_value(op, test), second, first))
        return first
    if given and function in NAMES and (result := result_kind(function, kinds)):
        return insert_value(
            op, BuiltinOp(function, list(op.arguments), type_of(OpenNumber(result)))
        )
    raise Untraceable(
        f"`{function.removeprefix('builtins.')}` of a number that depends on the "
        "input has no lowering"
    )


def _is_power(operands: Sequence[object]) -> bool:
    """Whether the kind of `a ** b` is clear: of ints, a negative `b` makes a float."""
    base, exponent = operands
    if "float" in (kind_of(base), kind_of(exponent)):
        return True
    return isinstance(exponent, int) and exponent >= 0


def _cast(op: CallOp, operand: object, value: SSAValue, kind: Kind) -> SSAValue:
    given = kind_of(operand)
    if given == kind:
        return value
    if kind == "bool":
        return insert_value(op, ToBoolOp(value, BoolT))
    result = type_of(OpenNumber(kind))
    if kind == "float":
        one = insert_value(op, ConstantOp(to_attr(1), type_of(1)))
        return insert_value(op, BinaryOp("truediv", value, one, result))
    if given == "bool":
        zero = insert_value(op, ConstantOp(to_attr(0), type_of(0)))
        return insert_value(op, BinaryOp("add", value, zero, result))
    return insert_value(op, BuiltinOp("builtins.int", [value], result))
