"""Operations of a tensor and a number of the host that differs from row to row.

one row                             many rows
-------                             ---------
%n = dycl.item %t                   (%nb: a tensor with a number for each row)
%y = torch.aten.mul.Scalar %x, %n   %u = torch.aten.unsqueeze %nb, %one
                                    %y = torch.aten.mul.Tensor %xb, %u
%i = dycl.position %n in 3          (%ib: one for each row)
%y = torch.aten.select.int %x, 0, %i  %y = torch.aten.gather %xb, 1, %iu
"""

from xdsl.dialects.builtin import IntegerType, f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from dycl.ir import PositionOp
from dycl.ir.torch import FloatT, IntT, NoneT, VTensorType
from dycl.passes.rows.batches import batch_of, dtype_in, si64, tail_in
from dycl.passes.rows.operands import Operands

_SCALARS = ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge")
_OF_TENSORS = {
    **{f"torch.aten.{name}.Scalar": f"{name}.Tensor" for name in _SCALARS},
    "torch.aten.rsub.Scalar": "sub.Tensor",
    "torch.aten.masked_fill.Scalar": "where.self",
    "torch.aten.fill.Scalar": "expand",
    "torch.aten.full_like": "expand",
    "torch.aten.pow.Tensor_Scalar": "pow.Tensor_Tensor",
    "torch.aten.remainder.Scalar": "remainder.Tensor",
}
"""Operations of a tensor and a number -> the same of two tensors."""


_CHOICES = tuple(
    f"torch.aten.where.{name}" for name in ("Scalar", "ScalarOther", "ScalarSelf")
)
"""Choices between numbers, or a tensor and a number, for each element."""
_POWER = "torch.aten.pow.Scalar"
"""Of a number, which comes first."""
_CLAMP = "torch.aten.clamp"
_SCALED = ("torch.aten.add.Tensor", "torch.aten.sub.Tensor")
"""Of a tensor, and of another times a number, which comes last."""
_OF_FLOATS = ("pow.Tensor_Tensor", "remainder.Tensor")
"""Those that have no rule for ints: some raise of them."""
WIDE_DTYPES = (f32, f64, si64)
"""Those in which torch computes what is of them."""


def has_number_of_rows(given: Operands) -> bool:
    """Whether an operation takes a number that differs from row to row."""
    name, (first, *others) = given.op.name, given.op.operands
    if name == _POWER:
        return given.varies(first)
    numbers = [v for v in others if not isinstance(v.type, VTensorType)]
    if name in (*_CHOICES, *_SCALED, _CLAMP):
        return any(map(given.varies, numbers))
    return name in _OF_TENSORS and given.varies(numbers[0])


def with_number(given: Operands) -> list[SSAValue]:
    """torch computes with a number in the dtype of the tensor, where that is of the
    number's kind or of a greater one, and else with both in the dtype of the number;
    half floats are computed in float32."""
    if given.op.name in _CHOICES:
        return _choice(given)
    if given.op.name == _POWER:
        return _power(given)
    if given.op.name == _CLAMP:
        return _clamped(given)
    if given.op.name in _SCALED:
        return _scaled(given)
    tensor, *_ = given.op.operands
    name, kind = _OF_TENSORS[given.op.name], given.result_type()
    place = 2 if name == "where.self" else 1
    number, others = given.op.operands[place], given.op.operands[place + 1 :]
    dtype = _common_dtype(given, tensor, number)
    numbers = _numbers(given, number, dtype, name in _OF_FLOATS)
    if name == "expand":
        now = [given.emit.rows(numbers), *tail_in(kind)]
        return [given.emit.aten(name, [numbers, now, False], kind)]
    rank = len(kind.sizes() or ())
    pair = [given.aligned(tensor, rank), numbers]
    if dtype_in(pair[0].type) != dtype:
        pair[0] = given.emit.as_dtype(pair[0], dtype)
    if name == "where.self":
        pair = [given.aligned(given.op.operands[1], rank), numbers, pair[0]]
    elif given.op.name == "torch.aten.rsub.Scalar":
        pair.reverse()
    return [given.emit.aten(name, [*pair, *map(given.same, others)], kind)]


def _common_dtype(given: Operands, tensor: SSAValue, number: SSAValue) -> Attribute:
    """The dtype in which torch computes with a tensor and a number."""
    result, dtype = given.result_dtype(), dtype_in(tensor.type)
    if result != i1:
        return result if result in WIDE_DTYPES else dtype
    if number.type == FloatT and isinstance(dtype, IntegerType):
        return f32
    return si64 if number.type == IntT and dtype == i1 else dtype


def _scaled(given: Operands) -> list[SSAValue]:
    """A tensor, and another times a number of each row."""
    first, second, number = given.op.operands
    kind, dtype = given.result_type(), given.result_dtype()
    if {dtype_in(first.type), dtype_in(second.type)} != {dtype}:
        raise given.cannot("its operands have several dtypes")
    rank, numbers = len(kind.sizes() or ()), _numbers(given, number, dtype)
    scaled = given.emit.aten("mul.Tensor", [given.aligned(second, rank), numbers], kind)
    name = given.op.name.removeprefix("torch.aten.")
    return [given.emit.aten(name, [given.aligned(first, rank), scaled, 1], kind)]


def _numbers(
    given: Operands, number: SSAValue, dtype: Attribute, of_floats: bool = False
) -> SSAValue:
    """A number that differs from row to row, in `dtype`, beside elements of the result.

    `of_floats`: what is computed of ints has no rule.
    """
    is_float = dtype in (f32, f64) and number.type in (IntT, FloatT)
    is_int = dtype == si64 and number.type == IntT
    if not is_float and not (is_int and not of_floats):
        raise given.cannot("its number differs from row to row")
    numbers = given.batch(number)
    if dtype_in(numbers.type) != dtype:
        numbers = given.emit.as_dtype(numbers, dtype)
    rank = len(given.result_type().sizes() or ())
    return given.emit.seen_as(numbers, (1,) * (rank - 1))


def _choice(given: Operands) -> list[SSAValue]:
    """`where` takes a number in the dtype of its result."""
    condition, *sides = given.op.operands
    kind, dtype = given.result_type(), given.result_dtype()
    rank = len(kind.sizes() or ())
    of_rows = [
        _numbers(given, side, dtype)
        for side in sides
        if not isinstance(side.type, VTensorType) and given.varies(side)
    ]
    like, found = of_rows[0], iter(of_rows)
    chosen_from: list[SSAValue] = []
    for side in sides:
        if isinstance(side.type, VTensorType):
            if dtype_in(side.type) != dtype:
                raise given.cannot("its operands have several dtypes")
            chosen_from.append(given.aligned(side, rank))
        elif given.varies(side):
            chosen_from.append(next(found))
        else:
            operands = [like, given.same(side), *[None] * 5]
            chosen_from.append(given.emit.aten("full_like", operands, like.type))
    operands = [given.aligned(condition, rank), *chosen_from]
    return [given.emit.aten("where.self", operands, kind)]


def _power(given: Operands) -> list[SSAValue]:
    """A number of each row to the power of a tensor of floats."""
    number, tensor = given.op.operands
    kind = given.result_type()
    numbers = _numbers(given, number, dtype_in(tensor.type), of_floats=True)
    exponents = given.aligned(tensor, len(kind.sizes() or ()))
    return [given.emit.aten("pow.Tensor_Tensor", [numbers, exponents], kind)]


def _clamped(given: Operands) -> list[SSAValue]:
    """Between numbers of which some differ from row to row; a NaN stays one.

    Bounds that may be NaN are none of `clamp`'s where the run decides them
    (`dycl.analysis.torch_fixes.elements`), but for the constants.
    """
    tensor, low, high = given.op.operands
    kind, emit, dtype = given.result_type(), given.emit, given.result_dtype()
    if dtype_in(tensor.type) != dtype:
        raise given.cannot("its number differs from row to row")
    result = given.aligned(tensor, len(kind.sizes() or ()))
    truths = batch_of(tail_in(kind), i1)
    for bound, beyond in ((low, "lt"), (high, "gt")):
        if given.varies(bound):
            if bound.type != IntT:
                raise given.cannot("its number differs from row to row")
            ends = _numbers(given, bound, dtype)
            is_beyond = emit.aten(f"{beyond}.Tensor", [result, ends], truths)
            result = emit.aten("where.self", [is_beyond, ends, result], kind)
        elif bound.type != NoneT:
            end = given.same(bound)
            sides = (end, None) if beyond == "lt" else (None, end)
            result = emit.aten("clamp", [result, *sides], kind)
    return [result]


def full(given: Operands) -> list[SSAValue]:
    """A new tensor of one number, another one for each row."""
    _, number, *_ = given.op.operands
    emit, sizes = given.emit, given.result_sizes()
    numbers = _numbers(given, number, given.result_dtype())
    numbers = emit.seen_as(numbers, (1,) * len(sizes))
    now = [emit.rows(numbers), *sizes]
    whole = batch_of(sizes, given.result_dtype())
    made = emit.aten("expand", [numbers, now, False], whole)
    return [given.settled(made)]


def chosen(given: Operands, dim: int) -> list[SSAValue]:
    """A part of a tensor, another one for each row; `dim` is not negative."""
    tensor, _, index = given.op.operands
    owner = index.owner
    if not isinstance(owner, PositionOp) or not owner.error.data:
        raise given.cannot("which elements it takes differs from row to row")
    emit = given.emit
    sizes = list(given.one_row(tensor))
    if not given.varies(tensor):
        return [given.settled(_taken_of_one(given, sizes, dim))]
    batch = given.in_front(tensor)
    places = emit.seen_as(given.batch(index), (1,) * len(sizes))
    sizes[dim] = 1
    tail = tuple(sizes)
    now = [emit.rows(places), *tail]
    spread = emit.aten("expand", [places, now, False], batch_of(tail, si64))
    assert isinstance(batch.type, VTensorType)
    taken = batch_of(tail, dtype_in(batch.type))
    return [given.settled(emit.aten("gather", [batch, dim + 1, spread, False], taken))]


def _taken_of_one(given: Operands, sizes: list[int], dim: int) -> SSAValue:
    """Parts of a tensor that is the same for all rows, which may be a large table."""
    tensor, _, index = given.op.operands
    emit, dtype = given.emit, dtype_in(tensor.type)
    one = given.same(tensor)
    if dim > 0:
        order = [dim, *(place for place in range(len(sizes)) if place != dim)]
        kind = VTensorType.of(tuple(sizes[place] for place in order), dtype)
        one = emit.aten("permute", [one, order], kind)
    kind = batch_of((*sizes[:dim], *sizes[dim + 1 :]), dtype)
    return emit.aten("index_select", [one, 0, given.batch(index)], kind)
