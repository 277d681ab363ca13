"""Operations along dimensions that they name, for a batch.

one row                             many rows
-------                             ---------
%p = torch.aten.softmax.int %x, 1   %p = torch.aten.softmax.int %xb, 1
%s = torch.aten.softmax.int %y, 0   %s = torch.aten.softmax.int %yb, 1

A tensor of one row whose first size is 1 keeps its dimensions if the operation leaves
the first one alone; else the rows come in front, and the dimensions move by one.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import SSAValue

from dycl.ir.torch import ListConstructOp, ListType, PythonScalar, VTensorType
from dycl.passes.rows.batches import batch_of
from dycl.passes.rows.emission import Operand
from dycl.passes.rows.index_rules import taken_at
from dycl.passes.rows.number_rules import chosen
from dycl.passes.rows.operands import Operands
from dycl.passes.rows.tensor_rules import rule

_ALONG: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("softmax.int", "log_softmax.int", "argmax", "argmin"), (1,)),
    **dict.fromkeys(("max.dim", "min.dim", "cumsum", "select.int", "narrow"), (1,)),
    **dict.fromkeys(("slice.Tensor", "sort", "any.dim", "all.dim"), (1,)),
    **dict.fromkeys(("gather", "index_select", "prod.dim_int"), (1,)),
    **dict.fromkeys(("mean.dim", "sum.dim_IntList", "amax", "amin"), (1,)),
    **dict.fromkeys(("logsumexp", "var.dim", "var.correction", "flip"), (1,)),
    **dict.fromkeys(("std.dim", "std.correction", "norm.ScalarOpt_dim"), (1,)),
    "norm.ScalarOpt_dim": (2,),
    "linalg_vector_norm": (2,),
    "topk": (2,),
    **dict.fromkeys(("cumprod", "glu"), (1,)),
    "repeat_interleave.self_int": (2,),
    "permute": (1,),
    "transpose.int": (1, 2),
    "movedim.int": (1, 2),
    "roll": (2,),
    **dict.fromkeys(("scatter.src", "scatter.value", "scatter_add"), (1,)),
    "select_scatter": (2,),
    "slice_scatter": (2,),
}
"""Operation -> which of its operands are dimensions, or lists of them."""

_MOVES = ("permute", "transpose.int", "movedim.int")
_FLAT = (
    *("argmax", "argmin", "mean.dim", "sum.dim_IntList", "linalg_vector_norm"),
    *("var.dim", "var.correction", "std.dim", "std.correction", "amax", "amin"),
)
"""Those that take None, or no dimension, for all of them."""


@rule(*_ALONG)
def along(given: Operands) -> list[SSAValue]:
    """Along dimensions of the first operand."""
    op = given.op
    name = op.name.removeprefix("torch.aten.")
    if name == "topk" and (op.results[1].uses or given.constant(4) is not True):
        # Of equal elements torch takes those that its sorting comes to first. Kernels
        # of known sizes do the same; where the rows are counted, the first are taken.
        raise given.cannot("which of equal elements it takes may differ in a group")
    rank = len(given.one_row(op.operands[0]))
    found: dict[int, list[int]] = {}
    for index in _ALONG[name]:
        is_list = isinstance(op.operands[index].owner, ListConstructOp)
        listed = given.constants(index) if is_list else given.constant(index)
        if listed is None or listed == []:
            return _flat(given, name, index)
        dims = cast("list[int]", listed if is_list else [listed])
        found[index] = [dim + rank if dim < 0 else dim for dim in dims]
    if name == "select.int" and given.varies(op.operands[2]):
        return chosen(given, *found[1])
    if name == "index_select" and given.varies(op.operands[2]):
        return [taken_at(given, op.operands[0], {found[1][0]: op.operands[2]})]
    touched = {dim for dims in found.values() for dim in dims}
    if name in _MOVES and _moves_nothing(given, found):
        return [given.settled(given.batch(op.operands[0]))]
    if name == "permute":
        touched = {0} if found[1][0] else touched - {0}
    return _emitted(given, found, in_place=0 not in touched)


def _moves_nothing(given: Operands, found: dict[int, list[int]]) -> bool:
    """Whether only dimensions of size 1 change places."""
    sizes = given.one_row(given.op.operands[0])
    order = list(range(len(sizes)))
    if given.op.name == "torch.aten.permute":
        order = found[1]
    elif given.op.name == "torch.aten.movedim.int":
        (one,), (other,) = found[1], found[2]
        order.insert(other, order.pop(one))
    else:
        (one,), (other,) = found[1], found[2]
        order[one], order[other] = order[other], order[one]
    large = [dim for dim in order if sizes[dim] != 1]
    return large == sorted(large)


def _emitted(
    given: Operands, found: dict[int, list[int]], in_place: bool
) -> list[SSAValue]:
    """The op with its dimensions, moved by one unless the batch is in place."""
    op = given.op
    tensors = [
        value
        for value in op.operands
        if isinstance(value.type, VTensorType) and not _is_index(given, value)
    ]
    in_place = in_place and all(given.one_row(value)[:1] == (1,) for value in tensors)
    operands: list[Operand] = []
    for index, value in enumerate(op.operands):
        if index in found:
            dims = [dim if in_place else dim + 1 for dim in found[index]]
            if op.name == "torch.aten.permute" and not in_place:
                dims = [0, *dims]
            is_list = isinstance(value.owner, ListConstructOp)
            operands.append(dims if is_list else dims[0])
        elif value in tensors:
            operands.append(
                given.in_place(value) if in_place else given.in_front(value)
            )
        else:
            operands.append(given.same(value))
    types = [
        batch_of(sizes[1:] if in_place else sizes, given.result_dtype(number))
        for number in range(len(op.results))
        for sizes in [given.result_sizes(number)]
    ]
    made = given.emit.op(op.name, operands, types)
    return [given.settled(value, number) for number, value in enumerate(made.results)]


def _is_index(given: Operands, value: SSAValue) -> bool:
    """Whether a tensor says for all rows which of their elements are taken."""
    op = given.op
    return op.name == "torch.aten.index_select" and value is op.operands[2]


def _flat(given: Operands, name: str, index: int) -> list[SSAValue]:
    """Over all elements of a row."""
    if name not in _FLAT:
        raise given.cannot("it is over no dimension that it names")
    has_more = name.startswith(("var", "std", "linalg"))
    keep = 3 if has_more else 2
    if given.constant(keep) is not False:
        raise given.cannot("it keeps the dimensions that it is over")
    operands: list[Operand] = [given.same(v) for v in given.op.operands[1:]]
    operands[index - 1] = 1 if name.startswith("arg") else [1]
    return [_over_row(given, name, operands)]


def _over_row(given: Operands, name: str, operands: Sequence[Operand]) -> SSAValue:
    sizes = given.one_row(given.op.operands[0])
    count = 1
    for size in sizes:
        count *= size
    batch = given.emit.seen_as(given.batch(given.op.operands[0]), (count,))
    kind = batch_of((), given.result_dtype())
    return given.emit.aten(name, [batch, *operands], kind)


@rule("t", "numpy_T")
def turned(given: Operands) -> list[SSAValue]:
    """A matrix whose two dimensions change places."""
    rows = given.op.operands[0]
    sizes = given.one_row(rows)
    if len(sizes) > 2:
        raise given.cannot("it turns all dimensions around")
    if len(sizes) < 2 or 1 in sizes:
        return [given.settled(given.batch(rows))]
    kind = batch_of(given.result_sizes(), given.result_dtype())
    operands = [given.in_front(rows), 1, 2]
    return [given.settled(given.emit.aten("transpose.int", operands, kind))]


_WHOLE: dict[str, tuple[str, tuple[PythonScalar, ...]]] = {
    "max": ("amax", (False,)),
    "min": ("amin", (False,)),
    "sum": ("sum.dim_IntList", (False,)),
    "mean": ("mean.dim", (False,)),
    "any": ("any.dim", (False,)),
    "all": ("all.dim", (False,)),
}
"""Operation over all elements -> the one along dimensions, and its other operands."""


@rule(*_WHOLE)
def whole(given: Operands) -> list[SSAValue]:
    """Over all elements of a row."""
    name = given.op.name.removeprefix("torch.aten.")
    other, flags = _WHOLE[name]
    dims: Operand = 1 if name in ("any", "all") else [1]
    dtypes = list(map(given.same, given.op.operands[1:]))
    return [_over_row(given, other, [dims, *flags, *dtypes])]


@rule("cat", "stack")
def joined(given: Operands) -> list[SSAValue]:
    """Several tensors, of which some may be the same for all rows."""
    items = given.listed(0)
    name = given.op.name.removeprefix("torch.aten.")
    rank = len(given.one_row(items[0])) + (name == "stack")
    dim = cast(int, given.constant(1))
    dim += rank if dim < 0 else 0
    sizes = [given.one_row(item) for item in items]
    in_place = dim > 0 and all(one[:1] == (1,) for one in sizes)
    if name == "cat" and any(len(one) != rank for one in sizes):
        raise given.cannot("its operands are of different ranks")
    if in_place:
        batches = [given.in_place(item) for item in items]
        return [given.emit.aten(name, [batches, dim], given.result_type())]
    batches = [given.in_front(item) for item in items]
    kind = batch_of(given.result_sizes(), given.result_dtype())
    return [given.settled(given.emit.aten(name, [batches, dim + 1], kind))]


_PARTS = {"chunk": 2, "split.Tensor": 2, "split_with_sizes": 2, "unbind.int": 1}
"""Operations that give a list -> which operand is the dimension."""


def parts(given: Operands, source: Operands) -> list[SSAValue]:
    """What a `torch.prim.ListUnpack`, `given`, takes from the list of `source`."""
    op = source.op
    name = op.name.removeprefix("torch.aten.")
    if name == "broadcast_tensors":
        return _broadcast(given, source)
    if name not in _PARTS:
        raise source.cannot("a list of tensors differs from row to row")
    place = _PARTS[name]
    sizes = source.one_row(op.operands[0])
    dim = cast(int, source.constant(place))
    dim += len(sizes) if dim < 0 else 0
    in_place = dim > 0 and sizes[:1] == (1,)
    rows = op.operands[0]
    batch = source.in_place(rows) if in_place else source.in_front(rows)
    operands: list[Operand] = [batch, *map(source.same, op.operands[1:])]
    operands[place] = dim if in_place else dim + 1
    types: list[VTensorType] = []
    for number in range(len(given.op.results)):
        one = given.result_sizes(number)
        types.append(batch_of(one[1:] if in_place else one, given.result_dtype(number)))
    return _unpacked(given, op.name, operands, types)


def _broadcast(given: Operands, source: Operands) -> list[SSAValue]:
    """Tensors in the shape of all of them; some may be the same for all rows."""
    result: list[SSAValue] = []
    for number, item in enumerate(source.listed(0)):
        wanted, sizes = given.result_sizes(number), source.one_row(item)
        missing = (1,) * (len(wanted) - len(sizes))
        batch = given.emit.seen_as(source.in_front(item), (*missing, *sizes))
        now = [given.emit.rows(batch), *wanted]
        kind = batch_of(wanted, given.result_dtype(number))
        made = given.emit.aten("expand", [batch, now, False], kind)
        result.append(given.settled(made, number))
    return result


def _unpacked(
    given: Operands, name: str, operands: list[Operand], types: list[VTensorType]
) -> list[SSAValue]:
    whole = types[0] if len(set(types)) == 1 else VTensorType.of(None, None)
    made = given.emit.op(name, operands, [ListType.of(whole)])
    unpack = given.emit.op("torch.prim.ListUnpack", [made.results[0]], types)
    return [given.settled(v, n) for n, v in enumerate(unpack.results)]
