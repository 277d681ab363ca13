"""`cpu-generate-nests`: contractions become loops over tiles of vector registers.

Each marked contraction goes, with the op that fills its sums before it and the
elementwise op behind it, where that changes nothing (`groups.py`). What takes its place
is a call: contractions that are alike share one function. How a nest
runs is said in `dycl/schedules`.

Before:
    linalg.fill ins(%zero) outs(%sums)
    linalg.generic {dycl.nest = "conv"} ins(%x, %w) outs(%sums)
    linalg.generic {x + bias; relu} ins(%sums, %bias) outs(%out)

After:
    func.call @nest.0(%x, %w, %bias, %out)

    func.func private @nest.0(...) {
      scf.for ... {                                        // tiles of %out
        %sums:28 = scf.for ... iter_args(%zero, ...) {     // channels, window
          vector.load, vector.broadcast, vector.fma ...
        }
        vector.store ...                                   // bias and relu applied
      }
    }

Needs:  linalg on memrefs.
Leaves: calls, and private functions at the end of the module.
        Packing and unpacking of images are calls, too. An operand at a place that a
        run decides is copied, if it is read often.
Skips:  a contraction whose lanes do not lie side by side, or that has elements of
        another dtype than f32 or, of a product, f64: it becomes plain loops later.
"""

import math
from functools import partial
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.blocks.block_contractions import NEST, is_nest
from dycl.kernels.cpu.blocks.copy_nest import copy_nest
from dycl.kernels.cpu.blocks.keep_rows import CONV_ROWS, DEPTHWISE_ROWS, FEW_ROWS
from dycl.kernels.cpu.buffers.memory import Effects
from dycl.kernels.cpu.loops.accesses import (
    Access,
    NotLinear,
    accesses,
    reductions,
    sizes,
)
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.nests.bf16 import pair_nest, round_nest
from dycl.kernels.cpu.nests.counts import Count, lies_within, number_of
from dycl.kernels.cpu.nests.factor_products import FACTORED
from dycl.kernels.cpu.nests.factored_nest import factored_of
from dycl.kernels.cpu.nests.flat_map import FlatMap, flat_map
from dycl.kernels.cpu.nests.function import Function
from dycl.kernels.cpu.nests.groups import Group, groups_of
from dycl.kernels.cpu.nests.nest import nest_of
from dycl.kernels.cpu.nests.padding import Padding, padding_of, unneeded
from dycl.kernels.cpu.nests.split_nests import Rooms, note_rooms, threads_of
from dycl.kernels.cpu.nests.winograd import PIXELS, RESULTS
from dycl.kernels.cpu.nests.winograd_any import any_blocks_nest
from dycl.kernels.cpu.nests.winograd_blocks import Trio, blocks_nest, trio_of
from dycl.kernels.cpu.nests.winograd_nest import transform_of
from dycl.kernels.cpu.target import registers_of
from dycl.kernels.cpu.weights.narrow_products import PAIRS, ROUND
from dycl.kernels.cpu.weights.pair_halves import PAIR
from dycl.schedules import rows, tiles
from dycl.schedules.schedule import Rule, Schedule, Shape

_SCHEDULES: dict[str, Rule] = {
    "conv": tiles.convolution,
    "depthwise": tiles.windows,
    "grouped": tiles.grouped_windows,
    "pool": tiles.windows,
    "matmul": tiles.matmul,
    PAIRS: tiles.pairs,
    CONV_ROWS: rows.pixels,
    DEPTHWISE_ROWS: rows.row_windows,
    FEW_ROWS: rows.few_windows,
}
_COPIES = {"pack": copy_nest, "unpack": copy_nest, ROUND: round_nest, PAIR: pair_nest}
"""Kind -> how it becomes a function that reads one memref and writes another."""
_PADDED = ("conv", "depthwise", "grouped", DEPTHWISE_ROWS, FEW_ROWS)
_EDGES = 2
"""Dimensions of an image at most whose edges are loops of their own; each makes three
of one."""
_NEST, _COPY = "nest", "copy"
_SOME = 48
"""Trips of a loop that schedules go by where a run decides how many there are."""
_READS = 4
"""Times that each element is read, at least, before one is copied to be at a place that
is known."""


def generate_nests(module: Any) -> None:
    """Rewrite every marked contraction of `module` that can be a nest."""
    generator = _Generator(module)
    for func in functions(module):
        block = func.regions[0].blocks[0]
        marked = [op.operation for op in block.operations if NEST in op.attributes]
        if marked:
            generator.replace(marked, Effects(block))


class _Generator:
    def __init__(self, module: Any):
        self.module = module
        self.registers = registers_of(module)
        self.threads = threads_of(module)
        self.known: dict[object, str] = {}
        """What a function is made of -> its name."""
        self.skipping: dict[Any, Padding] = {}
        """Contractions whose nests do not read the border of their image."""

    def replace(self, marked: list[Any], effects: Effects) -> None:
        """Put calls in the place of a function's marked ops, and what belongs to them.

        An op that has gone may not be asked anything, so the last of them go first.
        """
        done: list[Any] = []
        for op in marked:
            if op in done:
                continue
            if str(op.attributes[NEST].value) in _COPIES:
                done += self._copy(op)
                continue
            trio = trio_of(op, effects)
            if trio is not None and self._blocks(trio):
                done += trio.parts
                continue
            for group in groups_of(op, effects):
                if any(part in done for part in group.parts):
                    continue
                padding = self._padding(group, effects)
                if self._nest(group, padding):
                    done += group.parts
                    break
        for op in [*done, *unneeded(self.skipping, effects)]:
            op.erase()
        self.skipping.clear()

    def _padding(self, group: Group, effects: Effects) -> Padding | None:
        """What a nest reads instead of a padded image, if it is worth to leave the
        border out.

        A copy that nobody needs any more is worth it where little else is done.
        """
        kind = str(group.contraction.attributes[NEST].value)
        if kind not in _PADDED:
            return None
        padding = padding_of(group.contraction, effects, effects.place(group.place))
        if padding is None:
            return None
        saves = padding.share < 1 - tiles.EDGES
        if kind == "conv":
            if len(padding.windows) > _EDGES:
                return None
            # Threads share the loop over filters: rows are not alike any more.
            out = [index.terms[0].loop for index in accesses(group.contraction)[-1]]
            steps = sizes(group.contraction)[out[1]] // self.registers.blocks
            return padding if saves and steps > 1 else None
        return padding if saves or padding.saves_copy else None

    def _note(self, group: Group, padding: Padding | None) -> None:
        if padding is not None:
            self.skipping[group.contraction] = padding

    def _nest(self, group: Group, padding: Padding | None) -> bool:
        """Call the nest of a group; False: there is no such nest."""
        contraction = group.contraction
        try:
            if str(contraction.attributes[NEST].value) in (PIXELS, RESULTS):
                function, values = transform_of(group, self.threads)
            elif is_nest(contraction, FACTORED):
                function, values = factored_of(group, self.threads)
            else:
                flat = None if padding is not None else flat_map(group)
                schedule = self._schedule(group, flat)
                function, values = nest_of(group, schedule, padding, flat)
        except NotLinear:
            return False
        if not all(_is_argument(v) or _is_copied(v, contraction) for v in values):
            return False
        with ir.InsertionPoint(group.place), contraction.location:
            values = list(map(_argument, values))
            self._call(function, values, _NEST)
        self._note(group, padding)
        return True

    def _blocks(self, trio: Trio) -> bool:
        """Call the function of a convolution in blocks; False: it is not one."""
        rooms: Rooms = {}
        made = any_blocks_nest(trio, self._schedule)
        if made is None:
            alone = partial(self._schedule, threads=1)
            found = blocks_nest(trio, alone, self.threads)
            if found is not None:
                made, rooms = found[:2], found[2]
        if made is None or not all(map(_is_argument, made[1])):
            return False
        function, values = made
        with ir.InsertionPoint(trio.results.place), trio.sums.contraction.location:
            self._call(function, list(map(_argument, values)), _NEST, rooms)
        return True

    def _schedule(
        self, group: Group, flat: FlatMap | None, threads: int = 0
    ) -> Schedule:
        """How a nest runs; `threads`: 0: as many as the module's kernels may use."""
        contraction = group.contraction
        kind = str(contraction.attributes[NEST].value)
        out = [index.terms[0].loop for index in accesses(contraction)[-1]]
        trips = sizes(contraction)
        dynamic = frozenset(loop for loop, size in trips.items() if size < 0)
        trips |= dict.fromkeys(dynamic, _SOME)
        if flat is not None:
            out.remove(flat.rows)
            trips = flat.sizes(trips)
            if flat.rows in dynamic:
                dynamic |= {flat.columns}
        bits = group.sums.type.element_type.width
        image, weights = (
            bits // 8 * math.prod(_SOME if size < 0 else size for size in o.type.shape)
            for o in contraction.operands[:2]
        )
        shape = Shape(
            out,
            trips,
            reductions(contraction),
            _block(contraction),
            image,
            weights,
            threads or self.threads,
            dynamic,
            out[0] not in _loops(accesses(contraction)[1]),
        )
        return _SCHEDULES[kind](shape, self.registers.of(bits))

    def _copy(self, op: Any) -> list[Any]:
        """Call the function that copies an image or rows; the op, if it goes."""
        try:
            function, values = _COPIES[str(op.attributes[NEST].value)](op)
        except NotLinear:
            return []
        if not all(map(_is_argument, values)):
            return []
        with ir.InsertionPoint(op), op.location:
            self._call(function, list(map(_argument, values)), _COPY)
        return [op]

    def _call(
        self,
        function: Function,
        values: list[Any],
        kind: str,
        rooms: Rooms | None = None,
    ) -> None:
        """Call this function; those that are alike are one."""
        kinds = tuple(str(value.type) for value in values)
        key = (kind, kinds, function.key)
        if key not in self.known:
            # No kernel has such a name: it is no identifier of C.
            self.known[key] = f"{kind}.{len(self.known)}"
            function.add(self.module, self.known[key], kinds)
            if rooms and self.threads > 1:
                note_rooms(self.module, rooms)
        build.call(self.known[key], values)


def _is_bare(value: Any) -> bool:
    """Whether a pointer says all of a memref: no size or stride is a run's."""
    return "?" not in str(value.type)


def _is_argument(value: Any) -> bool:
    """Whether a nest can take a value as it is; what it takes by size lies dense."""
    return (
        isinstance(value, Count)
        or _is_bare(value)
        or (not value.type.has_static_shape and lies_within(value))
    )


def _argument(value: Any) -> Any:
    if isinstance(value, Count):
        return number_of(value)
    return build.bare(value) if _is_argument(value) else build.dense(value)


def _is_copied(value: Any, contraction: Any) -> bool:
    """Whether what a run chooses, as `x[t]`, is worth a copy: it is read many times."""
    *inputs, _ = contraction.operands
    if (
        isinstance(value, Count)
        or value not in inputs
        or not value.type.has_static_shape
    ):
        return False
    products = math.prod(sizes(contraction).values())
    return products >= _READS * math.prod(value.type.shape)


def _loops(access: Access) -> set[int]:
    """The loops that an operand is read by."""
    return {term.loop for index in access for term in index.terms}


def _block(contraction: Any) -> int:
    """Into blocks of how many a loop is divided to read an operand; 0: none is."""
    candidates = {
        term.by
        for access in accesses(contraction)
        for index in access
        for term in index.terms
        if term.kind in ("div", "mod")
    }
    return max(candidates, default=0)
