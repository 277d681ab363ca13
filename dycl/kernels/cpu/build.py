"""Making ops where the current insertion point stands, at the current location.

Every function works on scalars and on vectors alike: a constant of a vector type has
its value in all lanes.

Ops are made by `ir.Operation.create`: 13 us each on the machine where text that is
printed and parsed took 34, and the builders of `torch_mlir.dialects`, which look up an
op's results and where Python is, 42.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from dycl.kernels.cpu.mlir import ir

OEQ, OGT, OGE, OLT, OLE, ONE, ORD = 1, 2, 3, 4, 5, 6, 7
UGT, UGE, ULT, ULE, UNE, UNO = 9, 10, 11, 12, 13, 14
"""arith.cmpf predicates; those with U also hold for a NaN, and UNO for nothing else."""


def op(
    name: str,
    operands: Sequence[Any],
    result: Any,
    attributes: dict[str, Any] | None = None,
) -> Any:
    """The result of a new op that has one, of type `result`."""
    return ir.Operation.create(
        name, operands=list(operands), results=[result], attributes=attributes or {}
    ).results[0]


def element_type(of: Any) -> Any:
    """The type of a lane: of a vector type its element type, else the type itself."""
    return of.element_type if isinstance(of, ir.VectorType) else of


def like(shape: Any, element: Any) -> Any:
    """The type with the lanes of `shape` and the element type `element`."""
    if isinstance(shape, ir.VectorType):
        return ir.VectorType.get(shape.shape, element)
    return element


def constant(value: float, of: Any) -> Any:
    """`arith.constant`, an integer or a float as `of` says; the same in every lane."""
    element = element_type(of)
    if isinstance(element, ir.IntegerType | ir.IndexType):
        attribute = ir.IntegerAttr.get(element, int(value))
    else:
        attribute = ir.FloatAttr.get(element, value)
    return constant_of(attribute, of)


def constant_of(attribute: Any, of: Any) -> Any:
    """`arith.constant` with a scalar's attribute as its value, in every lane."""
    if isinstance(of, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(of, attribute)
    return op("arith.constant", [], of, {"value": attribute})


def index(value: int) -> Any:
    """A constant of type `index`."""
    return constant(value, ir.IndexType.get())


def broadcast(value: Any, lanes: int) -> Any:
    """A scalar in all lanes of a vector."""
    return op("vector.broadcast", [value], ir.VectorType.get([lanes], value.type))


def add(left: Any, right: Any) -> Any:
    """`arith.addf`."""
    return op("arith.addf", [left, right], left.type)


def subtract(left: Any, right: Any) -> Any:
    """`arith.subf`."""
    return op("arith.subf", [left, right], left.type)


def multiply(left: Any, right: Any) -> Any:
    """`arith.mulf`."""
    return op("arith.mulf", [left, right], left.type)


def divide(left: Any, right: Any) -> Any:
    """`arith.divf`."""
    return op("arith.divf", [left, right], left.type)


def fma(left: Any, right: Any, addend: Any) -> Any:
    """left * right + addend, rounded once."""
    return op("math.fma", [left, right, addend], left.type)


def i64(number: int) -> Any:
    """An integer as an attribute of 64 bits: a predicate, a place, a size."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def i32(number: int) -> Any:
    """An integer as an attribute of 32 bits."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), number)


def compare(number: int, left: Any, right: Any) -> Any:
    """`arith.cmpf`; `number` is one of those above."""
    result = like(left.type, ir.IntegerType.get_signless(1))
    return op("arith.cmpf", [left, right], result, {"predicate": i64(number)})


def compare_integers(number: int, left: Any, right: Any) -> Any:
    """`arith.cmpi`; `number` is its predicate: 0 `eq`, 2 `slt`, 5 `sge`, 6 `ult`."""
    result = like(left.type, ir.IntegerType.get_signless(1))
    return op("arith.cmpi", [left, right], result, {"predicate": i64(number)})


def is_below(left: Any, right: Any) -> Any:
    """`arith.cmpi ult`: of integers without a sign, left < right."""
    return compare_integers(6, left, right)


def select(condition: Any, yes: Any, no: Any) -> Any:
    """`arith.select`, lane by lane."""
    return op("arith.select", [condition, yes, no], yes.type)


def binary(name: str, left: Any, right: Any) -> Any:
    """An op of two values that gives one of their type: `arith.addi`."""
    return op(name, [left, right], left.type)


def load(memory: Any, place: Sequence[Any]) -> Any:
    """`memref.load`."""
    return op("memref.load", [memory, *place], memory.type.element_type)


def store(value: Any, memory: Any, place: Sequence[Any]) -> None:
    """`memref.store`."""
    ir.Operation.create("memref.store", operands=[value, memory, *place])


def loop(
    start: Any,
    stop: Any,
    step: Any,
    carried: Sequence[Any],
    body: Callable[[Any, list[Any]], Sequence[Any]],
) -> list[Any]:
    """`scf.for`: `body` gets the index and the carried values and gives the next ones.

    Returns the carried values after the last trip.
    """
    kinds = [value.type for value in carried]
    operands = [start, stop, step, *carried]
    new = ir.Operation.create("scf.for", operands=operands, results=kinds, regions=1)
    with _block(new.regions[0], [start.type, *kinds]) as (at, *values):
        _yield(body(at, values))
    return list(new.results)


def counted(
    trips: range,
    carried: Sequence[Any],
    body: Callable[[Any, list[Any]], Sequence[Any]],
) -> list[Any]:
    """`loop` over a range of known numbers."""
    start, stop, step = (index(n) for n in (trips.start, trips.stop, trips.step))
    return loop(start, stop, step, carried, body)


def while_loop(
    carried: Sequence[Any],
    test: Callable[..., tuple[Any, Sequence[Any]]],
    step: Callable[..., Sequence[Any]],
) -> list[Any]:
    """`scf.while`: `test` gets the carried values, says whether to go on, and with
    which values of the same types; `step` gets these, and gives the next ones.

    Returns the values of the last test.
    """
    kinds = [value.type for value in carried]
    new = ir.Operation.create(
        "scf.while", operands=list(carried), results=kinds, regions=2
    )
    before, after = new.regions
    with _block(before, kinds) as values:
        goes_on, tested = test(*values)
        ir.Operation.create("scf.condition", operands=[goes_on, *tested])
    with _block(after, kinds) as values:
        _yield(step(*values))
    return list(new.results)


def choice(
    condition: Any,
    then: Callable[[], Sequence[Any]],
    otherwise: Callable[[], Sequence[Any]] | None = None,
    kinds: Sequence[Any] = (),
) -> list[Any]:
    """`scf.if`: the values, of these types, of the side that is taken."""
    new = ir.Operation.create(
        "scf.if", operands=[condition], results=list(kinds), regions=2
    )
    for region, side in zip(new.regions, (then, otherwise), strict=True):
        if side is not None:
            with _block(region, ()):
                _yield(side())
    return list(new.results)


def function(
    name: str,
    takes: Sequence[Any],
    gives: Sequence[Any],
    body: Callable[..., Sequence[Any]],
) -> None:
    """A private function of arguments and results of these types; `body` gets its
    arguments, and gives its results."""
    signature = ir.FunctionType.get(list(takes), list(gives))
    new = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("private"),
            "function_type": ir.TypeAttr.get(signature),
            "llvm.linkage": ir.Attribute.parse("#llvm.linkage<internal>"),
        },
        regions=1,
    )
    with _block(new.regions[0], takes) as arguments:
        ir.Operation.create("func.return", operands=list(body(*arguments)))


def call(name: str, arguments: Sequence[Any], gives: Sequence[Any] = ()) -> list[Any]:
    """`func.call`: the results, of these types."""
    callee = ir.FlatSymbolRefAttr.get(name)
    new = ir.Operation.create(
        "func.call",
        operands=list(arguments),
        results=list(gives),
        attributes={"callee": callee},
    )
    return list(new.results)


@contextmanager
def _block(region: Any, kinds: Sequence[Any]) -> Generator[list[Any]]:
    """The arguments of a new block of these types, where ops are made meanwhile."""
    here = ir.Location.current
    block = region.blocks.append(*kinds, arg_locs=[here] * len(kinds))
    with ir.InsertionPoint(block):
        yield list(block.arguments)


def size(memory: Any, dim: int) -> Any:
    """`memref.dim`."""
    return op("memref.dim", [memory, index(dim)], ir.IndexType.get())


def bare(memory: Any) -> Any:
    """A memref of known sizes where another one begins, or that one, if it has them."""
    if memory.type.has_static_shape:
        return memory
    return op(
        "memref.reinterpret_cast",
        [memory],
        ir.MemRefType.get([1], memory.type.element_type),
        {
            "static_offsets": ir.DenseI64ArrayAttr.get([0]),
            "static_sizes": ir.DenseI64ArrayAttr.get([1]),
            "static_strides": ir.DenseI64ArrayAttr.get([1]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
        },
    )


def _yield(values: Sequence[Any]) -> None:
    ir.Operation.create("scf.yield", operands=list(values))


def dense(value: Any, is_read: bool = True) -> Any:
    """The memref, or a copy of it whose elements lie one behind the other.

    Without `is_read` it has room for them only.
    """
    kind = ir.MemRefType.get(list(value.type.shape), value.type.element_type)
    if value.type == kind:
        return value
    dims = [size(value, d) for d in range(kind.rank) if kind.is_dynamic_dim(d)]
    sizes = ir.DenseI32ArrayAttr.get([len(dims), 0])
    memory = op("memref.alloc", dims, kind, {"operandSegmentSizes": sizes})
    if is_read:
        ir.Operation.create("memref.copy", operands=[value, memory])
    return memory
