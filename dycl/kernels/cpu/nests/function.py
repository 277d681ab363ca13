"""A function in the making: what its ops will be, in order, and then the ops.

Functions that are alike are one, and most nests are like an earlier one. So what is
emitted is noted first, as plain tuples that are compared and hashed at once, and
becomes ops of MLIR for the first of its kind only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir

LANES = 16
"""Values in one vector: of f32, those of AVX-512."""
BITS = f"vector<{LANES}xi1>"

_PREDICATES = {"oeq": 1, "ogt": 2, "une": 13, "uno": 14}
"""Of `arith.cmpf`."""


_DYNAMIC = -(1 << 63)
"""Stands for a size that a run decides."""


class Value(int):
    """What an op gives, or an argument or a constant, by its number in a function."""


NOTHING = Value(0)
"""Stands for no value."""
Attributes = tuple[tuple[str, str], ...]

_ELSE, _CLOSE = "else", "close"
"""Where the second region of an op begins, and where its last one ends."""


class _Op(NamedTuple):
    """An op, without its regions: these follow, if it has `arguments` for their blocks,
    up to `_CLOSE`."""

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    kinds: tuple[str, ...]
    """The types of the results."""
    attributes: Attributes
    arguments: tuple[tuple[Value, str], ...] | None = None


def memref(shape: Sequence[int], element: str = "f32") -> str:
    """The type of dense memory, as text; a run decides the sizes that are values."""
    sizes = "x".join("?" if isinstance(size, Value) else str(size) for size in shape)
    return f"memref<{sizes}x{element}>"


def _numbers(values: Sequence[int]) -> str:
    numbers = (_DYNAMIC if isinstance(value, Value) else value for value in values)
    return f"array<i64: {', '.join(map(str, numbers))}>"


@dataclass
class Function:
    """The ops of one function, and the constants that they use."""

    element: str = "f32"
    """The type of what its vectors hold."""
    ops: list[_Op | str] = field(default_factory=list[_Op | str])
    constants: dict[str, Value] = field(default_factory=dict[str, Value])
    count: int = 0

    @property
    def vector(self) -> str:
        """The type of its vectors."""
        return f"vector<{LANES}x{self.element}>"

    def value(self) -> Value:
        """A number that is not in use."""
        self.count += 1
        return Value(self.count)

    @staticmethod
    def argument(place: int) -> Value:
        """An argument of the function."""
        return Value(-1 - place)

    def op(
        self, name: str, operands: Sequence[Value], kind: str, /, **attributes: str
    ) -> Value:
        """Add an op with a result of type `kind`; the result."""
        result = self.value()
        noted = tuple(attributes.items())
        self.ops.append(_Op(name, tuple(operands), (result,), (kind,), noted))
        return result

    def do(self, name: str, operands: Sequence[Value], /, **attributes: str) -> None:
        """Add an op without a result."""
        self.ops.append(_Op(name, tuple(operands), (), (), tuple(attributes.items())))

    def on_vectors(self, name: str, *operands: Value) -> Value:
        """Add an op of its vectors that gives one."""
        return self.op(name, operands, self.vector)

    def on_indices(self, name: str, *operands: Value) -> Value:
        """Add an op of indices that gives one."""
        return self.op(name, operands, "index")

    def constant(self, text: str) -> Value:
        """A constant by its text: `4 : index`."""
        if text not in self.constants:
            self.constants[text] = self.value()
        return self.constants[text]

    def index(self, value: int) -> Value:
        """A constant index."""
        return self.constant(f"{value} : index")

    def splat(self, value: str, element: str = "") -> Value:
        """A constant vector of one value, given as text."""
        kind = f"vector<{LANES}x{element}>" if element else self.vector
        return self.constant(f"dense<{value}> : {kind}")

    def mask(self, lanes: int) -> Value:
        """A vector of bits: the first `lanes` lanes."""
        bits = ", ".join(["true"] * lanes + ["false"] * (LANES - lanes))
        return self.constant(f"dense<[{bits}]> : {BITS}")

    def compared(self, predicate: str, left: Value, right: Value) -> Value:
        """Where a comparison of floats holds, lane by lane."""
        number = f"{_PREDICATES[predicate]} : i64"
        return self.op("arith.cmpf", (left, right), BITS, predicate=number)

    def is_not_finite(self, vectors: Sequence[Value]) -> Value:
        """Whether any lane of any vector is infinite or NaN."""
        zero = self.splat("0.0")
        checks = [zero] * 4
        for at, vector in enumerate(vectors):
            chain = at % len(checks)
            checks[chain] = self.on_vectors("vector.fma", vector, zero, checks[chain])
        one, other, *more = checks
        halves = [self.on_vectors("arith.addf", *two) for two in ((one, other), more)]
        check = self.on_vectors("arith.addf", *halves)
        bits = self.compared("uno", check, check)
        return self.op("vector.reduction", [bits], "i1", kind="#vector.kind<or>")

    def reaches(self, left: Value, right: Value) -> Value:
        """Whether an index is at least another one."""
        return self.op("arith.cmpi", (left, right), "i1", predicate="9 : i64")

    def select(self, bits: Value, yes: Value, no: Value) -> Value:
        """`arith.select`, lane by lane."""
        return self.on_vectors("arith.select", bits, yes, no)

    def shuffled(self, left: Value, right: Value, lanes: Sequence[int]) -> Value:
        """A vector of lanes of two vectors, by number."""
        order = f"array<i64: {', '.join(map(str, lanes))}>"
        return self.op("vector.shuffle", (left, right), self.vector, mask=order)

    def loaded(self, memory: Value, place: Sequence[Value], lanes: int) -> Value:
        """The vector at a place in memory, of which the first `lanes` are read; zeros
        in the others."""
        if lanes == LANES:
            return self.on_vectors("vector.load", memory, *place)
        mask, zero = self.mask(lanes), self.splat("0.0")
        return self.on_vectors("vector.maskedload", memory, *place, mask, zero)

    def store(
        self, value: Value, memory: Value, place: Sequence[Value], lanes: int
    ) -> None:
        """Write the first `lanes` of a vector."""
        if lanes == LANES:
            self.do("vector.store", (value, memory, *place))
        else:
            mask = self.mask(lanes)
            self.do("vector.maskedstore", (memory, *place, mask, value))

    def spread(self, memory: Value, place: Sequence[Value]) -> Value:
        """The number at a place in memory, in every lane."""
        number = self.op("memref.load", (memory, *place), self.element)
        return self.on_vectors("vector.broadcast", number)

    def collapsed(
        self, memory: Value, dims: Sequence[Sequence[int]], kind: str
    ) -> Value:
        """A memref of which some dimensions are one."""
        merged = ", ".join(f"[{', '.join(f'{d} : i64' for d in dim)}]" for dim in dims)
        groups = f"[{merged}]"
        return self.op("memref.collapse_shape", [memory], kind, reassociation=groups)

    def loop(
        self,
        trips: "tuple[int | Value, int | Value, int]",
        carried: Sequence[Value] = (),
        /,
        **attributes: str,
    ) -> "Loop":
        """Open a loop `(low, high, step)` that carries vectors."""
        low, high, step = map(self._size, trips)
        return Loop(self, (low, high, step), carried, attributes)

    def loop_to(self, high: Value, step: int) -> "Loop":
        """Open a loop from 0 up to a value, that carries nothing."""
        return self.loop_by(high, self.index(step))

    def loop_by(self, high: Value, step: Value, **attributes: str) -> "Loop":
        """The same in steps of a value."""
        return Loop(self, (self.index(0), high, step), (), attributes)

    def loop_from(self, low: Value, high: Value, step: Value) -> "Loop":
        """The same from a value on."""
        return Loop(self, (low, high, step), (), {})

    def memref_at(self, pointer: Value, shape: Sequence[int], element: str) -> Value:
        """The dense memref behind a pointer; a size is a number or, where a run decides
        it, a value."""
        steps: list[int] = [1]
        for size in reversed(shape[1:]):
            if isinstance(size, Value) or isinstance(steps[0], Value):
                pair = (self._size(size), self._size(steps[0]))
                steps.insert(0, self.on_indices("arith.muli", *pair))
            else:
                steps.insert(0, size * steps[0])
        return self.view_at(pointer, memref(shape, element), 0, steps, shape)

    def view_at(
        self,
        pointer: Value,
        kind: str,
        offset: int,
        strides: Sequence[int],
        shape: Sequence[int],
    ) -> Value:
        """The memref of type `kind` behind a pointer; each of its numbers is known or,
        where a run decides it, a value."""
        numbers = ([offset], shape, strides)
        values = [[x for x in some if isinstance(x, Value)] for some in numbers]
        counts = ", ".join(str(len(some)) for some in values)
        return self.op(
            "memref.reinterpret_cast",
            (pointer, *(value for some in values for value in some)),
            kind,
            static_offsets=_numbers([offset]),
            static_sizes=_numbers(shape),
            static_strides=_numbers(strides),
            operandSegmentSizes=f"array<i32: 1, {counts}>",
        )

    def _size(self, size: "int | Value") -> Value:
        return size if isinstance(size, Value) else self.index(size)

    def choice(self, condition: Value, count: int) -> tuple[Value, ...]:
        """Open an `scf.if` that gives vectors: `other` and `close` follow."""
        results = tuple(self.value() for _ in range(count))
        kinds = (self.vector,) * count
        self.ops.append(_Op("scf.if", (condition,), results, kinds, (), ()))
        return results

    def other(self, values: Sequence[Value]) -> None:
        """End the first side of a choice, with what it gives."""
        self.do("scf.yield", values)
        self.ops.append(_ELSE)

    def close(self, values: Sequence[Value]) -> None:
        """End a region, with what it gives."""
        self.do("scf.yield", values)
        self.ops.append(_CLOSE)

    @property
    def key(self) -> object:
        """Equal for functions that are alike, but for their arguments' types."""
        return tuple(self.constants.items()), tuple(self.ops)

    def add(self, module: Any, name: str, kinds: Sequence[str]) -> None:
        """Add it to a module, private, with arguments of these types."""
        types = [ir.Type.parse(kind) for kind in kinds]

        def body(*arguments: Any) -> list[Any]:
            values = {self.argument(i): v for i, v in enumerate(arguments)}
            emitter = _Emitter(values, ir.Location.current)
            block = ir.InsertionPoint.current.block
            for text, number in self.constants.items():
                value = emitter.attribute(text)
                constant = _Op("arith.constant", (), (number,), (), (("value", text),))
                emitter.emit(constant, ir.InsertionPoint(block), [value.type])
            emitter.all(self.ops, block)
            return []

        with ir.Location.unknown(), ir.InsertionPoint(module.body):
            build.function(name, types, [], body)


class Loop:
    """An `scf.for` that has been opened and not closed yet."""

    def __init__(
        self,
        function: Function,
        bounds: tuple[Value, Value, Value],
        carried: Sequence[Value],
        attributes: dict[str, str],
    ):
        """Begin the loop; `bounds` are low, high and step."""
        self._function = function
        self.runs = function.value()
        """The value of the loop."""
        self.carried = [function.value() for _ in carried]
        """The carried vectors, as they are inside."""
        self._results = [function.value() for _ in carried]
        kinds = (function.vector,) * len(carried)
        inside = zip((self.runs, *self.carried), ("index", *kinds), strict=True)
        function.ops.append(
            _Op(
                "scf.for",
                (*bounds, *carried),
                tuple(self._results),
                kinds,
                tuple(attributes.items()),
                tuple(inside),
            )
        )

    def close(self, carried: Sequence[Value] = ()) -> list[Value]:
        """End the loop; the carried vectors behind it."""
        self._function.close(carried)
        return self._results


class _Emitter:
    """Makes the ops of a function."""

    def __init__(self, values: dict[Value, Any], place: Any):
        self._values = values
        self._place = place
        self._types: dict[str, Any] = {}
        self._attributes: dict[str, Any] = {}

    def attribute(self, text: str) -> Any:
        if text not in self._attributes:
            self._attributes[text] = ir.Attribute.parse(text)
        return self._attributes[text]

    def type(self, text: str) -> Any:
        if text not in self._types:
            self._types[text] = ir.Type.parse(text)
        return self._types[text]

    def all(self, ops: Sequence[_Op | str], block: Any) -> None:
        """Emit ops into a block; regions that are open are on a stack."""
        at = ir.InsertionPoint(block)
        outer: list[tuple[Any, Any]] = []
        for op in ops:
            if isinstance(op, _Op):
                emitted = self.emit(op, at, [self.type(kind) for kind in op.kinds])
                if op.arguments is not None:
                    outer.append((emitted, at))
                    at = self._region(emitted, 0, op.arguments)
            elif op == _ELSE:
                at = self._region(outer[-1][0], 1, ())
            else:
                _, at = outer.pop()

    def emit(self, op: _Op, at: Any, types: Sequence[Any]) -> Any:
        regions = 0
        if op.arguments is not None:
            regions = 2 if op.name == "scf.if" else 1
        result = ir.Operation.create(
            op.name,
            operands=[self._values[value] for value in op.operands],
            results=types,
            attributes={name: self.attribute(text) for name, text in op.attributes},
            regions=regions,
            loc=self._place,
            ip=at,
        )
        if len(op.results) == 1:
            self._values[op.results[0]] = result.result
        elif op.results:
            self._values |= zip(op.results, result.results, strict=True)
        return result

    def _region(
        self, made: Any, number: int, arguments: Sequence[tuple[Value, str]]
    ) -> Any:
        types = [self.type(kind) for _, kind in arguments]
        block = made.regions[number].blocks.append(
            *types, arg_locs=[self._place] * len(types)
        )
        inside = zip(arguments, block.arguments, strict=True)
        self._values |= {number: value for (number, _), value in inside}
        return ir.InsertionPoint(block)
