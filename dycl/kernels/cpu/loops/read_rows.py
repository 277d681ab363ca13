"""`cpu-read-rows`: what is read at a row that the data say is read as vectors.

The index of a row is the same for all of its elements. LLVM does not see that behind
the checks of an index, and reads one element after the other.

Before:
    linalg.generic ins(%index) outs(%y) {                        // 100x64
    ^bb0(%i: index, %out: f32):
      %j = linalg.index 1
      %x = memref.load %table[%i, %j]
      linalg.yield %x
    }

After:
    scf.for %r = %c0 to %c100 step %c1 {
      %i = memref.load %index[%r]
      scf.for %j = %c0 to %c64 step %c16 {
        %x = vector.load %table[%i, %j] : vector<16xf32>
        vector.store %x, %y[%r, %j]
      }
    }

Needs:  linalg on memrefs, behind `cpu-clamp-gathers`.
Leaves: loops over vectors of 16; the last lanes are masked.
Skips:  rows of less than eight, or of which a run decides the size; places that differ
        from element to element; truth values side by side.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.loops.flat_access import FlatOp, flat_op
from dycl.kernels.cpu.loops.vector_body import no_vector_form, vector_body
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.rows.row_memory import RowMemory, first_lanes
from dycl.kernels.cpu.rows.row_plan import LANES

_SHORTEST = 8


def read_rows(module: Any) -> None:
    """Rewrite the elementwise ops of `module` that read rows of other memory."""
    for func in functions(module):
        for block in func.regions[0].blocks:
            for op in [view.operation for view in block.operations]:
                found = flat_op(op) if _is_meant(op) else None
                if found is None or not _fits(found):
                    continue
                with ir.InsertionPoint(op), op.location:
                    _Rows(found).write()
                op.erase()


def _is_meant(op: Any) -> bool:
    """Whether an op reads rows, and else works lane by lane."""
    if op.name != "linalg.generic" or len(op.regions[0].blocks) != 1:
        return False
    body = op.regions[0].blocks[0]
    loads = [o.operation for o in body.operations if o.operation.name == "memref.load"]
    return (
        bool(loads)
        and no_vector_form(body, indices=True, reads=True) is None
        and str(op.attributes["indexing_maps"][len(op.operands) - 1].value)
        == _identity(op.operands[len(op.operands) - 1].type.rank)
        and not any(True for _ in list(body.arguments)[-1].uses)
    )


def _identity(rank: int) -> str:
    return str(ir.AffineMap.get_identity(rank))


def _fits(found: FlatOp) -> bool:
    """Whether rows are long enough, and all that is read lies along them or is one."""
    shape = found.op.operands[len(found.op.operands) - 1].type.shape
    if found.reduces or len(found.outputs) != 1 or not shape:
        return False
    if shape[-1] < _SHORTEST:
        return False
    along = [a.factors[-1] for a in found.accesses]
    if found.outputs[0].factors[-1] != 1 or not set(along) <= {0, 1}:
        return False
    arguments = list(found.body.arguments)
    varying = {
        argument
        for argument, access in zip(arguments, found.inputs, strict=False)
        if access is not None and access.factors[-1]
    }
    if any(_is_truth(argument.type) for argument in (*varying, arguments[-1])):
        return False
    return _reads_along(found.body, varying, len(shape) - 1)


def _is_truth(kind: Any) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.width < 8


def _reads_along(body: Any, varying: set[Any], last: int) -> bool:
    """Whether each element that is read is the next one of the same row."""
    lanes: set[Any] = set()
    for inner in (one.operation for one in body.operations):
        if inner.name == "linalg.index":
            if int(inner.attributes["dim"].value) == last:
                lanes.add(inner.results[0])
            continue
        if inner.name == "memref.load":
            memory, *places = inner.operands
            if not places or places[-1] not in lanes or not _is_row(memory.type):
                return False
            if any(place in varying or place in lanes for place in places[:-1]):
                return False
            varying.add(inner.results[0])
            continue
        if any(value in lanes for value in inner.operands):
            return False
        if any(value in varying for value in inner.operands):
            varying.update(inner.results)
    return True


def _is_row(kind: Any) -> bool:
    strides, _ = kind.get_strides_and_offset()
    return strides[-1] == 1 and not _is_truth(kind.element_type)


class _Rows:
    """The loops that take the place of an op."""

    def __init__(self, found: FlatOp):
        self._found = found
        self._shape = list(found.op.operands[len(found.op.operands) - 1].type.shape)
        kept = [dim for dim, size in enumerate(self._shape) if size > 1]
        self._numbers = {dim: number for number, dim in enumerate(kept)}
        self._memory = RowMemory(len(kept) - 1)

    def write(self) -> None:
        """Write them where the insertion point stands."""
        for access in self._found.accesses:
            self._memory.flatten(access.buffer)
        self._loops(0, {})

    def _loops(self, depth: int, places: dict[int, Any]) -> None:
        sizes = self._found.sizes
        if depth < len(sizes) - 1:

            def row(at: Any, _: list[Any]) -> list[Any]:
                self._loops(depth + 1, {**places, depth: at})
                return []

            build.counted(range(sizes[depth]), [], row)
            return
        whole = sizes[depth] // LANES * LANES

        def vector(at: Any, _: list[Any]) -> list[Any]:
            self._lanes({**places, depth: at}, None)
            return []

        if whole:
            build.counted(range(0, whole, LANES), [], vector)
        if whole < sizes[depth]:
            rest = {**places, depth: build.index(whole)}
            self._lanes(rest, first_lanes(sizes[depth] - whole))

    def _lanes(self, places: dict[int, Any], mask: Any) -> None:
        """One vector of the result."""
        found = self._found
        elements: list[Any] = []
        for number, access in enumerate(found.inputs):
            if access is None:
                value = found.op.operands[number]
                is_memory = isinstance(value.type, ir.MemRefType)
                kind = value.type.element_type if is_memory else value.type
                elements.append(build.constant(0, kind) if is_memory else value)
            else:
                lanes = LANES if access.factors[-1] else None
                elements.append(self._memory.load(access, places, mask, lanes))
        kind = found.op.operands[len(found.inputs)].type.element_type
        elements.append(build.constant(0, ir.VectorType.get([LANES], kind)))

        def index(dim: int) -> Any:
            number = self._numbers.get(dim)
            return build.index(0) if number is None else places[number]

        def read(memory: Any, at: list[Any]) -> Any:
            kind = ir.VectorType.get([LANES], memory.type.element_type)
            if mask is None:
                return build.op("vector.load", [memory, *at], kind)
            zeros = build.constant(0, kind)
            return build.op("vector.maskedload", [memory, *at, mask, zeros], kind)

        (value,) = vector_body(found.body, elements, index, read)
        self._memory.store(found.outputs[0], places, value, mask)
