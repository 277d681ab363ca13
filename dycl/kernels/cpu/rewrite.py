"""Our own steps of the lowering, where no pass of MLIR's does what is needed."""

from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import functions, ir, ops, place_of
from dycl.kernels.cpu.tensor_ops import owner as op_of

_SYNONYMS = {
    f"torch.aten.__{name}__.{kind}": f"torch.aten.bitwise_{name}.{kind}"
    for name in ("and", "or", "xor")
    for kind in ("Tensor", "Scalar")
}


def use_one_name(module: Any) -> None:
    """Rename ops that torch has under two names to the one that has a lowering."""
    for op in ops(module.operation):
        name = op.name
        if name == "torch.operator":
            name = str(op.attributes["name"].value)
        if name in _SYNONYMS:
            _replace(op, _SYNONYMS[name])


def keep_self_comparison(module: Any) -> None:
    """Write `x == x` as `not (x != x)`, which nobody folds."""
    for op in ops(module.operation):
        if op.name == "torch.aten.eq.Tensor" and op.operands[0] == op.operands[1]:
            differs = _replace(op, "torch.aten.ne.Tensor")
            with ir.InsertionPoint.after(differs), differs.location:
                result = differs.results[0]
                same = ir.Operation.create(
                    "torch.aten.logical_not", operands=[result], results=[result.type]
                )
                result.replace_all_uses_except(same.results[0], same)


def _replace(op: Any, name: str) -> Any:
    with ir.InsertionPoint(op), op.location:
        made = ir.Operation.create(
            name,
            operands=list(op.operands),
            results=[result.type for result in op.results],
        )
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return made


def refuse_random(module: Any) -> None:
    """Raise Refused for an op that draws random numbers: kernels have no state."""
    for op in ops(module.operation):
        if op.name.startswith("ml_program.global_"):
            what = "draws random numbers, which a kernel cannot"
            raise Refused(what, place_of(op.location))


def drop_asserts(module: Any) -> None:
    """Erase `cf.assert`: it keeps loops from being vectorised.

    torch-mlir asserts that batch_norm's variance is not zero, which eager does not ask,
    and that gathered indices are in range, see `clamp_gathers`.
    """
    for op in ops(module.operation):
        if op.name == "cf.assert":
            op.erase()


def clamp_gathers(module: Any) -> None:
    """Keep data-dependent indices inside the tensor that they read from.

    Eager raises IndexError for an index out of range. A kernel cannot raise; it reads
    the nearest element instead, never memory that is not its own.
    """
    for op in ops(module.operation):
        if op.name != "tensor.extract":
            continue
        for position, size in enumerate(op.operands[0].type.shape):
            index = op.operands[position + 1]
            if _in_range(index) or size == 0:
                continue
            with ir.InsertionPoint(op), op.location:
                zero = _index(0)
                if size < 0:
                    index_type = ir.IndexType.get()
                    place = _index(position)
                    whole = _op("tensor.dim", [op.operands[0], place], [index_type])
                    last = _op("arith.subi", [whole, _index(1)], [index_type])
                else:
                    last = _index(size - 1)
                low = _op("arith.maxsi", [index, zero], [index.type])
                clamped = _op("arith.minsi", [low, last], [index.type])
            op.operands[position + 1] = clamped


def first_nan_wins(module: Any) -> None:
    """Make `max` with indices and `argmax` (and `min`) find a NaN, as eager does.

    In the body of such a reduction the index moves where `in > best`; it must also
    move to a NaN, unless the best is one already.
    """
    for op in ops(module.operation):
        if op.name != "linalg.generic" or len(op.results) != 2:
            continue
        body = list(op.regions[0].blocks[0].operations)
        names = {inner.operation.name for inner in body}
        if not names & {"arith.maximumf", "arith.minimumf"}:
            continue
        for inner in body:
            compare = inner.operation
            if compare.name == "arith.cmpf":
                _move_to_nan(compare)


def compare_ordered(module: Any) -> None:
    """Let no comparison hold for NaN, and `clamp` keep a NaN, as eager does.

    torch-mlir uses unordered predicates in `le`, `ge` and `clamp`. In relu, which
    selects its own operand where it is greater, an unordered one is right and stays.
    """
    for op in ops(module.operation):
        if op.name != "arith.cmpf":
            continue
        predicate = int(op.attributes["predicate"].value)
        if predicate not in _ORDERED:
            continue
        users = [use.owner.operation for use in op.results[0].uses]
        keeps_operand = any(
            user.name == "arith.select" and user.operands[1] == op.operands[0]
            for user in users
        )
        if not keeps_operand:
            op.attributes["predicate"] = _predicate(_ORDERED[predicate])


def _move_to_nan(compare: Any) -> None:
    ordered = int(compare.attributes["predicate"].value)
    if ordered not in _UNORDERED:
        return
    new, best = compare.operands
    with ir.InsertionPoint(compare), compare.location:
        moves = _compare(new, best, _UNORDERED[ordered])
        known = _compare(best, best, _ORD)
        result = _op("arith.andi", [moves, known], [compare.results[0].type])
    compare.results[0].replace_all_uses_with(result)
    compare.erase()


def sort_nan_as_largest(module: Any) -> None:
    """Let `sort` and `topk` take a NaN for the largest number, as eager does.

    The comparison of a sort says whether its first operand may stay in front.
    """
    for op in ops(module.operation):
        if op.name != "tm_tensor.sort":
            continue
        for inner in list(op.regions[0].blocks[0].operations):
            compare = inner.operation
            if compare.name != "arith.cmpf":
                continue
            predicate = int(compare.attributes["predicate"].value)
            if predicate not in _LARGER_OPERAND:
                continue
            larger = compare.operands[_LARGER_OPERAND[predicate]]
            with ir.InsertionPoint.after(compare), compare.location:
                unordered = _compare(larger, larger, _UNO)
                result = compare.results[0]
                stays = ir.Operation.create(
                    "arith.ori", operands=[result, unordered], results=[result.type]
                )
            result.replace_all_uses_except(stays.results[0], stays)


_UNO = 14
_LARGER_OPERAND = {2: 0, 3: 0, 4: 1, 5: 1}
"""arith.cmpf predicate (ogt, oge, olt, ole) -> which operand it says is larger."""


def narrow_by_f32(module: Any) -> None:
    """Convert f64 to a half float by way of f32, as eager does.

    LLVM would call a function for it that is in no library that we have.
    """
    f32 = ir.F32Type.get()
    for op in ops(module.operation):
        if op.name != "arith.truncf" or str(op.operands[0].type) != "f64":
            continue
        if op.results[0].type != f32:
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = _op("arith.truncf", [op.operands[0]], [f32])


_ORD = 7
_UNORDERED = {2: 9, 4: 11}
"""arith.cmpf predicates: ogt -> ugt, olt -> ult."""
_ORDERED = {9: 2, 10: 3, 11: 4, 12: 5}
"""arith.cmpf predicates: ugt -> ogt, uge -> oge, ult -> olt, ule -> ole."""


def fold_transposes(module: Any) -> None:
    """Read a transposed matrix where it stands: `x @ w.T` copies no weights.

    torch-mlir gives `linear` as a transpose into a new tensor and a matmul of it. The
    matmul becomes one that reads the operand by columns.
    """
    for op in ops(module.operation):
        if op.name not in ("linalg.matmul", "linalg.batch_matmul"):
            continue
        rank = len(op.operands[1].type.shape)
        producer = op_of(op.operands[1])
        swapped = [*range(rank - 2), rank - 1, rank - 2]
        if (
            producer is None
            or producer.name != "linalg.transpose"
            or list(producer.attributes["permutation"]) != swapped
        ):
            # Both matrices stand in rows: for `dycl/schedules/loop-order.mlir`.
            op.attributes["dycl.rows"] = ir.UnitAttr.get(op.context)
            continue
        batch = ["b"] * (rank == 3)
        maps = [[*batch, *dims] for dims in ("mk", "nk", "mn")]
        names = ", ".join([*batch, "m", "n", "k"])
        with op.context:
            op.attributes["indexing_maps"] = ir.ArrayAttr.get(
                [
                    ir.Attribute.parse(f"affine_map<({names}) -> ({', '.join(dims)})>")
                    for dims in maps
                ]
            )
        op.operands[1] = producer.operands[0]


def mark_wide_windows(module: Any) -> None:
    """Mark convolutions whose window is too large to be unrolled as a whole.

    The mark `dycl.wide` is for `dycl/schedules/loop-order.mlir`.
    """
    for op in ops(module.operation):
        if op.name == "linalg.conv_2d_nchw_fchw":
            height, width = op.operands[1].type.shape[2:]
            if height * width > _UNROLLED_WINDOW:
                op.attributes["dycl.wide"] = ir.UnitAttr.get(op.context)


_UNROLLED_WINDOW = 9
"""A window of 3x3 is unrolled into the loop over a row."""


OPEN_RESULTS = "dycl.open_results"
"""On a function: the arguments that stand for the results of open size."""


def results_to_arguments(module: Any) -> None:
    """Let the caller own every result: a function with results becomes one without.

    Each result, a scalar as well, is written to a memref argument added at the end.
    What is returned may be an argument, a constant, or one value twice. Inputs are
    marked read-only, so that bufferisation never writes to weights.
    """
    for func in functions(module):
        block = func.regions[0].blocks[0]
        inputs = len(block.arguments)
        end = list(block.operations)[-1].operation
        returned: list[Any] = []
        places: list[int] = []
        given: list[Any] = []
        with ir.InsertionPoint(end), func.location:
            for value in list(end.operands):
                if not isinstance(value.type, ir.RankedTensorType):
                    scalar = ir.RankedTensorType.get([], value.type)
                    value = _op("tensor.from_elements", [value], [scalar])
                if not value.type.has_static_shape:
                    # The kernel makes the memory: see `dycl.kernels.cpu.open_sizes`.
                    slots = ir.MemRefType.get(
                        [1 + value.type.rank], ir.IntegerType.get_signless(64)
                    )
                    places.append(len(block.arguments))
                    block.add_argument(slots, func.location)
                    returned.append(_own(value, given))
                    continue
                memory = ir.MemRefType.get(value.type.shape, value.type.element_type)
                ir.Operation.create(
                    "bufferization.materialize_in_destination",
                    operands=[value, block.add_argument(memory, func.location)],
                    attributes={
                        "restrict": ir.UnitAttr.get(),
                        "writable": ir.UnitAttr.get(),
                    },
                )
            ir.Operation.create("func.return", operands=returned)
            end.erase()
            types = [argument.type for argument in block.arguments]
            func.attributes["function_type"] = ir.TypeAttr.get(
                ir.FunctionType.get(types, [value.type for value in returned])
            )
            func.attributes[OPEN_RESULTS] = ir.DenseI64ArrayAttr.get(places)
            func.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [_argument_attributes(t, i < inputs) for i, t in enumerate(types)]
            )


def _own(value: Any, given: list[Any]) -> Any:
    """A result of open size in memory of its own: the caller frees each of them.

    `given` are the tensors whose memory is another result already.
    """
    root, owner = value, op_of(value)
    while owner is not None and owner.name in _VIEWS:
        root, owner = owner.operands[0], op_of(owner.operands[0])
    if owner is not None and root == value and value not in given:
        given.append(value)
        return value
    sizes = ir.DenseI32ArrayAttr.get([0, 1, 0])
    copy = ir.Operation.create(
        "bufferization.alloc_tensor",
        operands=[value],
        results=[value.type],
        attributes={"operandSegmentSizes": sizes},
    )
    return copy.results[0]


_VIEWS = (
    *("tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"),
    "tensor.extract_slice",
)


def one_user_per_destination(module: Any) -> None:
    """Let no two ops start from one tensor that either may overwrite.

    CSE makes one `fill` of two. eliminate-empty-tensors then puts it into the memory of
    one result, where the op for the other result works on it, and the final copies
    overwrite that before it is read: `x.sum(), (x + 1).sum()` gave one sum twice.
    """
    found = ops(module.operation)
    for op in found:
        for index in _destinations(op):
            value = op.operands[index]
            owner = op_of(value)
            if owner is None or owner.name in _REPEATED:
                continue
            if _has_other_users(value):
                with ir.InsertionPoint(op), op.location:
                    sizes = ir.DenseI32ArrayAttr.get([0, 1, 0])
                    op.operands[index] = ir.Operation.create(
                        "bufferization.alloc_tensor",
                        operands=[value],
                        results=[value.type],
                        attributes={"operandSegmentSizes": sizes},
                    ).results[0]
    # Backwards: a `fill` that is repeated is one more user of its `empty`.
    for op in reversed(found):
        if op.name in _REPEATED:
            for use in list(op.results[0].uses)[1:]:
                with ir.InsertionPoint(op):
                    again = op.operation.clone()
                use.owner.operands[use.operand_number] = again.results[0]


_REPEATED = ("tensor.empty", "linalg.fill")
"""Cheaper made again than copied."""


def _has_other_users(value: Any) -> bool:
    """Whether a tensor, or one that it is a view of, has more than one use."""
    owner = op_of(value)
    if len(list(value.uses)) > 1:
        return True
    views = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice")
    if owner is None or owner.name not in views:
        return False
    return _has_other_users(owner.operands[0])


def _destinations(op: Any) -> range:
    """The operands that an op writes its results over."""
    if op.name in ("tensor.insert", "tensor.insert_slice"):
        return range(1, 2)
    if op.name.startswith("linalg.") and "operandSegmentSizes" in op.attributes:
        inputs = int(op.attributes["operandSegmentSizes"][0])
        return range(inputs, len(op.operands))
    return range(0)


def restrict_to_tensor(module: Any) -> None:
    """Say of every memref seen as a tensor that no other tensor shares it.

    It is so for what `tm-tensor-bufferize` makes: each result is a new buffer.
    """
    for op in ops(module.operation):
        if op.name == "bufferization.to_tensor":
            op.attributes["restrict"] = ir.UnitAttr.get()


def _argument_attributes(argument_type: Any, is_input: bool) -> Any:
    if is_input and not isinstance(argument_type, ir.RankedTensorType):
        return ir.DictAttr.get({})
    # The contract: outputs overlap nothing. Inputs may overlap each other, which
    # noalias allows for memory that nobody writes.
    attributes = {"llvm.noalias": ir.UnitAttr.get()}
    if is_input:
        attributes["bufferization.writable"] = ir.BoolAttr.get(False)
    return ir.DictAttr.get(attributes)


def _in_range(index: Any) -> bool:
    owner = op_of(index)
    return owner is not None and owner.name in ("linalg.index", "arith.constant")


def _op(name: str, operands: list[Any], results: list[Any]) -> Any:
    return ir.Operation.create(name, operands=operands, results=results).results[0]


def _index(value: int) -> Any:
    index = ir.IndexType.get()
    attributes = {"value": ir.IntegerAttr.get(index, value)}
    made = ir.Operation.create("arith.constant", results=[index], attributes=attributes)
    return made.results[0]


def _predicate(predicate: int) -> Any:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)


def _compare(left: Any, right: Any, predicate: int) -> Any:
    attributes = {"predicate": _predicate(predicate)}
    made = ir.Operation.create(
        "arith.cmpf",
        operands=[left, right],
        results=[ir.IntegerType.get_signless(1)],
        attributes=attributes,
    )
    return made.results[0]
