"""`cpu-note-memory`: a kernel says what it allocates, as formulas of its sizes.

Before:
    func.func @k(%x: memref<1x?xf32>) -> memref<1x?xf32> {
      %n = memref.dim %x, 1
      %twice = arith.muli %n, 2
      %a = memref.alloc(%twice) : memref<?xf32>
      %y = memref.alloc(%n) : memref<1x?xf32>
      memref.dealloc %a
      return %y

After:
    the same with {dycl.memory = "..."}, which is JSON: see `dycl/ir/host/memory.py`

Needs:  memrefs, deallocation done; to stand before `cpu-pass-sizes`, which gives inputs
        another form.
Leaves: what it does as it is.
Skips:  buffers whose size does not follow from those of the inputs, or that a loop
        makes: they are left out of it, and it says so. Kernels without any.
"""

from typing import Any

from dycl.ir.host.memory import MEMORY, KernelMemory, Term
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.tensor_ops import is_zero, owner
from dycl.kernels.cpu.weights.split_weights import PREPARES

_BINARY = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.divsi": "div",
    "arith.divui": "div",
    "arith.floordivsi": "div",
    "arith.ceildivsi": "ceil",
    "arith.ceildivui": "ceil",
    "arith.remsi": "mod",
    "arith.remui": "mod",
    "arith.maxsi": "max",
    "arith.maxui": "max",
    "arith.minsi": "min",
    "arith.minui": "min",
}
"""What ops do with sizes, which are not below zero."""
_AFFINE = {
    ir.AffineAddExpr: "add",
    ir.AffineMulExpr: "mul",
    ir.AffineFloorDivExpr: "div",
    ir.AffineCeilDivExpr: "ceil",
    ir.AffineModExpr: "mod",
}
_SLT = 2
"""The predicate `slt` of `arith.cmpi`."""
_FIRST_SIZE = {"memref.alloc": 0, "memref.expand_shape": 1}
"""By op, the first operand that is a dynamic size of its result."""


def note_memory(module: Any) -> None:
    """Note on each kernel what it allocates, and the sizes of its results."""
    for func in functions(module):
        if str(func.attributes.get("sym_visibility", "")) == '"private"':
            continue  # a nest
        if PREPARES not in func.attributes:
            memory = _Reader(func).memory()
            if memory is not None:
                with func.context:
                    func.attributes[MEMORY] = ir.StringAttr.get(memory.text())


def memories(module: Any) -> dict[str, str]:
    """By kernel, what `note_memory` has noted."""
    return {
        str(func.attributes["sym_name"].value): str(func.attributes[MEMORY].value)
        for func in functions(module)
        if MEMORY in func.attributes
    }


class _Unknown(Exception):
    """A size that does not follow from those of the inputs."""


class _Reader:
    """Reads one kernel."""

    def __init__(self, func: Any):
        self._block = func.regions[0].blocks[0]
        self._terms: dict[Any, Term] = {}
        self._memory = KernelMemory()

    def memory(self) -> KernelMemory | None:
        found = self._memory
        numbers: dict[Any, int] = {}
        body = [op.operation for op in self._block.operations]
        for operation in body:
            if operation.name == "memref.alloc":
                number = self._alloc(operation)
                if number is not None:
                    numbers[operation.results[0]] = number
            elif operation.name == "memref.dealloc":
                if operation.operands[0] in numbers:
                    found.events.append(-1 - numbers[operation.operands[0]])
            else:
                self._look_inside(operation)
        for value in body[-1].operands:
            kind = ir.MemRefType(value.type)
            found.results.append(
                [] if kind.has_static_shape else self._shape(value, kind)
            )
        return found if found.blocks or not found.is_whole else None

    def _alloc(self, op: Any) -> int | None:
        found, kind = self._memory, ir.MemRefType(op.results[0].type)
        try:
            size: Term = _item_size(kind.element_type)
            for one in self._sizes(op.results[0], kind):
                size = self._apply("mul", size, one)
        except _Unknown:
            found.is_whole = False
            return None
        found.blocks.append(size)
        found.events.append(len(found.blocks) - 1)
        return len(found.blocks) - 1

    def _look_inside(self, op: Any) -> None:
        """Of what a loop allocates nothing is said."""

        def visit(inner: Any) -> Any:
            if inner.name == "memref.alloc":
                self._memory.is_whole = False
            return ir.WalkResult.ADVANCE

        if len(op.regions):
            op.walk(visit)

    def _shape(self, value: Any, kind: Any) -> list[Term | None]:
        result: list[Term | None] = []
        for dimension in range(kind.rank):
            try:
                result.append(self._size(value, kind, dimension))
            except _Unknown:
                result.append(None)
        return result

    def _sizes(self, value: Any, kind: Any) -> list[Term]:
        return [self._size(value, kind, d) for d in range(kind.rank)]

    def _size(self, value: Any, kind: Any, dimension: int) -> Term:
        """The size of a dimension of a buffer."""
        if not kind.is_dynamic_dim(dimension):
            return int(kind.get_dim_size(dimension))
        if isinstance(value.owner, ir.Block):
            return f"{value.arg_number}.{dimension}"
        maker = value.owner
        if maker.name == "memref.cast":
            source = maker.operands[0]
            return self._size(source, ir.MemRefType(source.type), dimension)
        if maker.name == "memref.collapse_shape":
            return self._collapsed(maker, dimension)
        if maker.name not in _FIRST_SIZE:
            raise _Unknown
        place = sum(kind.is_dynamic_dim(d) for d in range(dimension))
        return self._term(maker.operands[_FIRST_SIZE[maker.name] + place])

    def _collapsed(self, maker: Any, dimension: int) -> Term:
        """The size of dimensions that become one."""
        source = maker.operands[0]
        kind, size = ir.MemRefType(source.type), 1
        for one in maker.attributes["reassociation"][dimension]:
            place = int(ir.IntegerAttr(one).value)
            size = self._apply("mul", size, self._size(source, kind, place))
        return size

    def _term(self, value: Any) -> Term:
        """An index that the sizes of the inputs decide."""
        if value not in self._terms:
            self._terms[value] = self._new_term(value)
        return self._terms[value]

    def _new_term(self, value: Any) -> Term:
        maker = value.owner
        if isinstance(maker, ir.Block):
            raise _Unknown
        if maker.name == "arith.constant":
            return int(ir.IntegerAttr(maker.attributes["value"]).value)
        if maker.name == "arith.index_cast":
            return self._term(maker.operands[0])
        if maker.name == "memref.dim":
            source, index = maker.operands
            dimension = self._term(index)
            if not isinstance(dimension, int):
                raise _Unknown
            return self._size(source, ir.MemRefType(source.type), dimension)
        if maker.name == "arith.select" and _is_below_zero(maker.operands[0]):
            return self._term(maker.operands[2])
        if maker.name == "affine.apply":
            given = [self._term(operand) for operand in maker.operands]
            of = maker.attributes["map"].value
            dims, symbols = given[: of.n_dims], given[of.n_dims :]
            return self._affine(of.results[0], dims, symbols)
        if maker.name in _BINARY:
            one, other = map(self._term, maker.operands)
            return self._apply(_BINARY[maker.name], one, other)
        raise _Unknown

    def _affine(self, expression: Any, dims: list[Term], symbols: list[Term]) -> Term:
        if isinstance(expression, ir.AffineConstantExpr):
            return int(expression.value)
        if isinstance(expression, ir.AffineDimExpr):
            return dims[expression.position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return symbols[expression.position]
        one, other = (
            self._affine(each, dims, symbols)
            for each in (expression.lhs, expression.rhs)
        )
        return self._apply(_AFFINE[type(expression)], one, other)

    def _apply(self, kind: str, one: Term, other: Term) -> Term:
        if kind == "mul":
            if isinstance(one, int) and isinstance(other, int):
                return one * other
            if 1 in (one, other):
                return other if one == 1 else one
        self._memory.steps.append((kind, one, other))
        return f"t{len(self._memory.steps) - 1}"


def _is_below_zero(condition: Any) -> bool:
    """Whether a condition asks if the size of an input is negative, which none is."""
    compare = owner(condition)
    if compare is None or compare.name != "arith.cmpi":
        return False
    if int(ir.IntegerAttr(compare.attributes["predicate"]).value) != _SLT:
        return False
    size = owner(compare.operands[0])
    if size is not None and size.name == "arith.index_cast":
        size = owner(size.operands[0])
    is_size = size is not None and size.name == "memref.dim"
    return is_size and is_zero(compare.operands[1])


def _item_size(element: Any) -> int:
    if isinstance(element, ir.IndexType):
        return 8
    return -(-int(element.width) // 8)
