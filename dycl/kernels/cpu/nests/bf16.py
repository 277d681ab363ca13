"""Nests on bf16, with the instructions of AVX512-BF16.

`cpu-narrow-products` and `cpu-pair-halves` say of what. A pair of neighbours in a row
is 32 bits, which go to all lanes; the weights of 16 columns for both are one vector;
one instruction adds both products to each sum. It takes denormals for zeros, and rounds
to the nearest.
"""

from typing import Any

from dycl.kernels.cpu.buffers.memory import has_unit_stride
from dycl.kernels.cpu.loops.accesses import NotLinear, accesses
from dycl.kernels.cpu.nests.counts import Count
from dycl.kernels.cpu.nests.function import LANES, Function, Value
from dycl.kernels.cpu.nests.nest_places import Operand, Place, value_of

_PAIRS = f"vector<{2 * LANES}xbf16>"
_BITS = f"vector<{LANES}xi16>"
_ROUNDED = f"vector<{LANES}xbf16>"


def dot(
    function: Function,
    factors: tuple[Operand, Operand],
    place: Place,
    known: dict[tuple[object, ...], Value],
    total: Value,
) -> Value:
    """Two products more for each lane of a sum; `known` is what has been loaded."""
    rows, weights = factors
    indices = [value_of(function, index, place, known) for index in rows.access]
    row = (rows.memory, *indices)
    if row not in known:
        pair = function.op("vector.load", row, f"vector<2x{_element(rows)}>")
        word = function.op("vector.bitcast", [pair], "vector<1xi32>")
        one = function.op(
            "vector.extract", [word], "i32", static_position="array<i64: 0>"
        )
        spread = function.op("vector.broadcast", [one], f"vector<{LANES}xi32>")
        known[row] = function.op("vector.bitcast", [spread], _PAIRS)
    indices = [value_of(function, index, place, known) for index in weights.access]
    column = (weights.memory, *indices)
    if column not in known:
        kind = f"vector<{2 * LANES}x{_element(weights)}>"
        bits = function.op("vector.load", column, kind)
        known[column] = bits
        if kind != _PAIRS:
            known[column] = function.op("vector.bitcast", [bits], _PAIRS)
    return function.on_vectors("x86.avx512.dot", total, known[row], known[column])


def _element(operand: Operand) -> str:
    return "bf16" if "bf16" in operand.type else "i16"


def pair_nest(op: Any) -> tuple[Function, list[Any]]:
    """Two rows of bf16 woven into one, as a function, and what to call it with.

    Raises NotLinear, with the reason, if there is no such function.
    """
    source, result = op.operands
    if not (has_unit_stride(source) and has_unit_stride(result)):
        raise NotLinear("its elements do not lie side by side")
    *batch, blocks, height, block, _ = result.type.shape
    function = Function()
    runs = [function.loop((0, size, 1)) for size in (*batch, blocks, height)]
    *outer, panel, pair = (run.runs for run in runs)
    first = function.on_indices("arith.muli", pair, function.index(2))
    start = function.on_indices("arith.muli", panel, function.index(block))
    for along in range(0, block, LANES):
        column = function.on_indices("arith.addi", start, function.index(along))
        halves: list[Value] = []
        for number in range(2):
            row = function.on_indices("arith.addi", first, function.index(number))
            place = (function.argument(0), *outer, row, column)
            halves.append(function.op("vector.load", place, _ROUNDED))
        order = [lane + half for lane in range(LANES) for half in (0, LANES)]
        mask = f"array<i64: {', '.join(map(str, order))}>"
        woven = function.op("vector.shuffle", halves, _PAIRS, mask=mask)
        at = (*outer, panel, pair, function.index(along), function.index(0))
        function.do("vector.store", (woven, function.argument(1), *at))
    for run in reversed(runs):
        run.close()
    return function, [source, result]


def round_nest(op: Any) -> tuple[Function, list[Any]]:
    """Rows of f32 rounded to bf16, as a function, and what to call it with.

    Raises NotLinear, with the reason, if there is no such function.
    """
    source, result = op.operands
    if accesses(op)[0] != accesses(op)[1]:
        raise NotLinear("rows are moved")
    if not (has_unit_stride(source) and has_unit_stride(result)):
        raise NotLinear("its elements do not lie side by side")
    *outer, width = result.type.shape
    function = Function()
    open_dims = [d for d in range(len(outer)) if result.type.is_dynamic_dim(d)]
    counts = [Count(result, "size", dim) for dim in open_dims]
    sizes: list[int] = [*outer, width]
    for place, dim in enumerate(open_dims):
        sizes[dim] = function.argument(place)
    memory = [function.argument(len(counts) + i) for i in range(2)]
    if counts:
        memory = [
            function.memref_at(one, sizes, str(value.type.element_type))
            for one, value in zip(memory, (source, result), strict=True)
        ]
    runs = [
        function.loop_to(size, 1) if isinstance(size, Value) else function.loop(trips)
        for size in sizes[:-1]
        for trips in [(0, size, 1)]
    ]
    rows = [run.runs for run in runs]
    whole = width // LANES * LANES
    if whole:
        run = function.loop((0, whole, LANES))
        _round_one(function, memory, [*rows, run.runs], LANES)
        run.close()
    if width % LANES:
        _round_one(function, memory, [*rows, function.index(whole)], width % LANES)
    for run in reversed(runs):
        run.close()
    return function, [*counts, source, result]


def _round_one(
    function: Function, memory: list[Value], place: list[Value], lanes: int
) -> None:
    """The first lanes of one vector."""
    source, result = memory
    value = function.loaded(source, place, lanes)
    half = function.op("x86.avx512.cvt.packed.f32_to_bf16", [value], _ROUNDED)
    bits = function.op("vector.bitcast", [half], _BITS)
    function.store(bits, result, place, lanes)
