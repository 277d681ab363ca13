"""The sizes of all tensors of a function, those that a run decides among them.

Before:
    func @k(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %n: i64) {
      %s = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1]
      %z = linalg.generic {elementwise} ins(%s, %y) outs(%e)

After:
    %x: (x0_0, 4), %s, %y, %z: (x1_0, 4), for a loop has one length for all its tensors

Needs:  linalg on tensors, named ops as `linalg.generic`.
Leaves: nothing in the function.
Skips:  nothing: a size that is made of elements of tensors is refused.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir, location_of
from dycl.kernels.cuda.tile.sizes import (
    Size,
    Sum,
    Symbol,
    alone,
    bounds,
    computed,
    count,
    replaced,
    symbol,
)

DYNAMIC = -(2**63)
"""What MLIR writes for a number that only a run tells."""
Shape = tuple[Size, ...]


class Unknown(Exception):
    """No size: a number that the host does not know when it launches."""


class Sizes:
    """Sizes by value, as a run of a function has them."""

    def __init__(self, function: Any):
        """Ask every op of the function what it says of sizes. Raises Refused."""
        self._block = function.regions[0].blocks[0]
        self._numbers = {value: i for i, value in enumerate(self._block.arguments)}
        self._same: dict[Symbol, Size] = {}
        self._known: dict[Any, Size] = {}
        self._asked: dict[tuple[Size, Size], None] = {}
        self._shapes: dict[Any, Shape] = {}
        self.is_static = self._is_static()
        """Whether no size is left to a run."""
        if self.is_static:
            return
        while self._learnt():
            self._asked.clear()
            self._known.clear()
            self._shapes.clear()

    def _is_static(self) -> bool:
        ops = [o.operation for o in self._block.operations]
        values = [*self._block.arguments, *(r for op in ops for r in op.results)]
        tensors = (v.type for v in values if isinstance(v.type, ir.RankedTensorType))
        return all(kind.has_static_shape for kind in tensors)

    def _learnt(self) -> bool:
        """Whether a loop says that two sizes are one that were not known to be."""
        for op in (o.operation for o in self._block.operations):
            if op.name != "linalg.generic":
                continue
            by_loop: dict[int, Size] = {}
            maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
            for one, value in zip(maps, op.operands, strict=True):
                if not isinstance(value.type, ir.RankedTensorType):
                    continue
                for index, size in zip(one.results, self.shape(value), strict=True):
                    if not isinstance(index, ir.AffineDimExpr):
                        continue
                    loop = ir.AffineDimExpr(index).position
                    if self._is_one(by_loop.setdefault(loop, size), size):
                        return True
        return False

    def _is_one(self, left: Size, right: Size) -> bool:
        """Note that two sizes are one; whether that is news."""
        if left == right:
            return False
        pairs = [(left, right), (right, left)]
        for of_arguments in (False, True):  # what is computed gives way first
            for one, other in pairs:
                found = alone(one)
                if found is None or (found.op == "dim") != of_arguments:
                    continue
                if found not in self._same and found not in _within(other):
                    self._same[found] = other
                    return True
        return False

    def _settled(self, size: Size) -> Size:
        """With all that is known to be one."""
        for _ in range(len(self._same)):
            before, size = size, replaced(size, self._same)
            if size == before:
                break
        return size

    @property
    def equal(self) -> "list[tuple[Size, Size]]":
        """What loops say is one size, and a run has to ask for."""
        loops = [
            (Sum((((one,), 1),)), self._settled(size))
            for one, size in self._same.items()
        ]
        return [*loops, *self._asked]

    def note(self, left: Size, right: Size) -> None:
        """Have a run ask whether two sizes are one."""
        if left != right:
            self._asked[left, right] = None

    def shape(self, value: Any) -> Shape:
        """The sizes of a tensor; of a number, none. Raises Refused."""
        if not isinstance(value.type, ir.RankedTensorType):
            return ()
        if value not in self._shapes:
            self._shapes[value] = self._shape(value)
        return self._shapes[value]

    def _shape(self, value: Any) -> Shape:
        known = tuple(value.type.shape)
        open_dims = [i for i, n in enumerate(known) if n in (DYNAMIC, -1)]
        if not open_dims:
            return known
        if value in self._numbers:
            found = [self._dim(self._numbers[value], i) for i in range(len(known))]
        else:
            place = location_of(value.owner.location)
            rule = _RULES.get(value.owner.name)
            if rule is None:
                raise Refused(
                    f"has a dynamic size: no template for CUDA: {value.owner.name}",
                    place,
                )
            try:
                found = rule(self, value.owner, value)
            except Unknown as error:
                raise Refused(
                    "has a size that elements of tensors say: no template for CUDA",
                    place,
                ) from error
        return tuple(found[i] if i in open_dims else n for i, n in enumerate(known))

    def _dim(self, number: int, dim: int) -> Size:
        return self._settled(symbol("dim", number, dim))

    def size(self, value: Any) -> Size:
        """A number that the host knows. Raises Unknown, Refused."""
        if value not in self._known:
            self._known[value] = self._settled(self._size(value))
        return self._known[value]

    def _size(self, value: Any) -> Size:
        if value in self._numbers:
            if str(value.type) == "i64":
                return symbol("number", self._numbers[value])
            raise Unknown
        op = value.owner
        kind = str(value.type)
        if op.name == "arith.constant" and kind == "i1":
            return int(ir.BoolAttr(op.attributes["value"]).value)
        if op.name == "arith.constant" and kind in ("index", "i64", "i32"):
            return int(ir.IntegerAttr(op.attributes["value"]).value)
        if op.name == "tensor.dim":
            dim = self.size(op.operands[1])
            assert isinstance(dim, int)
            return self.shape(op.operands[0])[dim]
        if op.name in _SAME:
            return self.size(op.operands[0])
        if op.name == "affine.apply":
            function = ir.AffineMapAttr(op.attributes["map"]).value
            return _affine(function, [self.size(v) for v in op.operands])
        if op.name not in _OPERATIONS and op.name != "arith.cmpi":
            raise Unknown
        if op.name in ("arith.andi", "arith.ori") and kind != "i1":
            raise Unknown
        given = [self.size(v) for v in op.operands]
        if op.name == "arith.cmpi":
            number = int(ir.IntegerAttr(op.attributes["predicate"]).value)
            if number not in _COMPARISONS:
                raise Unknown
            name, turned = _COMPARISONS[number]
            return computed(name, *(reversed(given) if turned else given))
        return _OPERATIONS[op.name](*given)

    def filled(self, value: Any, given: Sequence[Any]) -> Shape:
        """The sizes of a tensor's type; those that it lacks are given, in order."""
        left = iter(given)
        return tuple(
            self.size(next(left)) if n in (DYNAMIC, -1) else n for n in value.type.shape
        )

    def mixed(self, op: Any, name: str, from_operand: int) -> Shape:
        """The numbers of an attribute; those that it lacks are operands."""
        static = tuple(ir.DenseI64ArrayAttr(op.attributes[name]))
        computed_ones = iter(list(op.operands)[from_operand:])
        return tuple(
            self.size(next(computed_ones)) if n == DYNAMIC else n for n in static
        )


def _within(size: Size) -> frozenset[Symbol]:
    """All symbols in a size, and in what they are of."""
    if isinstance(size, int):
        return frozenset()
    inner = (_within(part) for one in size.symbols for part in one.of)
    return size.symbols.union(*inner)


_SAME = ("arith.index_cast", "arith.extsi", "arith.extui")
_COMPARISONS = {
    0: ("eq", False),
    1: ("ne", False),
    2: ("lt", False),
    3: ("le", False),
    4: ("lt", True),
    5: ("le", True),
}
"""By MLIR's predicate: the operation, and whether its operands change places."""
_OPERATIONS: dict[str, Callable[..., Size]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.maxsi": lambda a, b: computed("max", a, b),
    "arith.minsi": lambda a, b: computed("min", a, b),
    "arith.divsi": lambda a, b: _quotient(a, b),
    "arith.remsi": lambda a, b: a - b * _quotient(a, b),
    "arith.floordivsi": lambda a, b: computed("//", a, b),
    "arith.ceildivsi": lambda a, b: computed("//", a + (b - 1), b),
    "arith.select": lambda a, b, c: computed("select", a, b, c),
    "arith.andi": lambda a, b: computed("min", a, b),
    "arith.ori": lambda a, b: computed("max", a, b),
}


def _quotient(a: Size, b: Size) -> Size:
    """As C has it."""
    if bounds(a)[0] < 0 or bounds(b)[0] < 0:
        return symbol("quotient", a, b)
    return computed("//", a, b)


def _affine(function: Any, given: Sequence[Size]) -> Size:
    """The only result of an affine map. Raises Unknown."""

    def value(expression: Any) -> Size:
        if isinstance(expression, ir.AffineDimExpr):
            return given[ir.AffineDimExpr(expression).position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return given[function.n_dims + ir.AffineSymbolExpr(expression).position]
        if isinstance(expression, ir.AffineConstantExpr):
            return ir.AffineConstantExpr(expression).value
        pair = ir.AffineBinaryExpr(expression)
        a, b = value(pair.lhs), value(pair.rhs)
        if isinstance(expression, ir.AffineAddExpr):
            return a + b
        if isinstance(expression, ir.AffineMulExpr):
            return a * b
        if isinstance(expression, ir.AffineCeilDivExpr):
            return computed("//", a + (b - 1), b)
        quotient = computed("//", a, b)
        is_quotient = isinstance(expression, ir.AffineFloorDivExpr)
        return quotient if is_quotient else a - b * quotient

    return value(function.results[0])


def _pad(sizes: Sizes, op: Any, value: Any) -> Shape:
    low = sizes.mixed(op, "static_low", 1)
    dynamic = sum(
        n == DYNAMIC for n in ir.DenseI64ArrayAttr(op.attributes["static_low"])
    )
    high = sizes.mixed(op, "static_high", 1 + dynamic)
    inner = sizes.shape(op.operands[0])
    return tuple(a + b + c for a, b, c in zip(low, inner, high, strict=True))


def _concat(sizes: Sizes, op: Any, value: Any) -> Shape:
    dim = int(ir.IntegerAttr(op.attributes["dim"]).value)
    shapes = [sizes.shape(v) for v in op.operands]
    long: Size = 0
    for shape in shapes:
        long = long + shape[dim]
    return (*shapes[0][:dim], long, *shapes[0][dim + 1 :])


def groups(op: Any) -> Sequence[Sequence[int]]:
    """Which dimensions of the long side of a reshape are one of the short side."""
    outer = ir.ArrayAttr(op.attributes["reassociation"])
    return [[int(ir.IntegerAttr(n).value) for n in ir.ArrayAttr(g)] for g in outer]


def _collapse(sizes: Sizes, op: Any, value: Any) -> Shape:
    inner = sizes.shape(op.operands[0])
    return tuple(count(inner[d] for d in group) for group in groups(op))


def _slice(sizes: Sizes, op: Any, value: Any) -> Shape:
    starts = ir.DenseI64ArrayAttr(op.attributes["static_offsets"])
    found = sizes.mixed(op, "static_sizes", 1 + sum(n == DYNAMIC for n in starts))
    return tuple(found[d] for d in kept(found, tuple(value.type.shape)))


def kept(sizes: Sequence[Size], shape: Sequence[Size]) -> tuple[int, ...]:
    """The dimensions that are left where some of size 1 are dropped."""
    result: list[int] = []
    left = list(shape)
    for dim, size in enumerate(sizes):
        rest = len(sizes) - dim
        is_open = bool(left) and (isinstance(size, Sum) or left[0] == DYNAMIC)
        fits = bool(left) and (is_open or size == left[0])
        if fits and (size != 1 or rest >= len(left)):
            result.append(dim)
            left.pop(0)
    return tuple(result)


def _reshape(sizes: Sizes, op: Any, value: Any) -> Shape:
    numbers = op.operands[1].owner
    if getattr(numbers, "name", "") != "tensor.from_elements":
        raise Unknown
    found = tuple(sizes.size(v) for v in numbers.operands)
    sizes.note(count(sizes.shape(op.operands[0])), count(found))
    return found


_RULES: dict[str, Callable[[Sizes, Any, Any], Shape]] = {
    "linalg.generic": lambda sizes, op, value: sizes.shape(
        list(op.operands)[-len(op.results) :][list(op.results).index(value)]
    ),
    "tensor.cast": lambda sizes, op, _: sizes.shape(op.operands[0]),
    "tensor.collapse_shape": _collapse,
    "tensor.concat": _concat,
    "tensor.empty": lambda sizes, op, value: sizes.filled(value, op.operands),
    "tensor.expand_shape": lambda sizes, op, _: sizes.mixed(
        op, "static_output_shape", 1
    ),
    "tensor.extract_slice": _slice,
    "tensor.insert_slice": lambda sizes, op, _: sizes.shape(op.operands[1]),
    "tensor.pad": _pad,
    "tensor.reshape": _reshape,
    "tm_tensor.scan": lambda sizes, op, value: sizes.shape(op.operands[0]),
    "tm_tensor.scatter": lambda sizes, op, value: sizes.shape(op.operands[2]),
    "tm_tensor.sort": lambda sizes, op, value: sizes.shape(op.operands[0]),
}
