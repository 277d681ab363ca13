"""Elements of tensors as text: asked for one, it writes what computes it.

Every tensor that has no memory is computed where it is used. A value that is asked for
twice at the same place is computed once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.cuts import Cut, Number
from dycl.kernels.cuda.tile.index import Atom, Index, flat, of
from dycl.kernels.cuda.tile.nodes import (
    Argument,
    Condition,
    Constant,
    Known,
    Loop,
    Movement,
    Nest,
    Node,
)
from dycl.kernels.cuda.tile.payload import FLOATS, Value, expression, literal
from dycl.kernels.cuda.tile.read import number_of
from dycl.kernels.cuda.tile.sizes import Size, at_most
from dycl.kernels.cuda.tile.text import FunctionText


@dataclass
class ElementWriter(FunctionText):
    """Writes elements; how reductions are written, a class of it says."""

    memory: dict[Node, str] = field(default_factory=dict[Node, str])
    """What has memory, and what that is called."""
    finish: dict[Node, Callable[[tuple[Index, ...]], Value]] = field(
        default_factory=dict[Node, Callable[[tuple[Index, ...]], Value]]
    )
    """What another function has left in parts, and how an element is made of them."""
    used: dict[Node, str] = field(default_factory=dict[Node, str])
    """What of it is read."""

    def folded(self, node: Loop, at: Sequence[Index]) -> Value:
        """The result of a reduction."""
        raise NotImplementedError

    def know(self, node: Node, at: Sequence[Index], value: Value) -> None:
        """Say what an element is."""
        self.known[-1][self._key(node, at, ())] = value

    def at(
        self, node: Node, at: Sequence[Index], held: tuple[Value, ...] = ()
    ) -> Value:
        """The element of a node; `held`: where nothing else is read. Raises Refused."""
        at = tuple(at)
        key = self._key(node, at, held)
        for known in reversed(self.known):
            if key in known:
                return known[key]
        if isinstance(node, Constant):
            return literal(node.value, node.dtype)
        if isinstance(node, Known):
            return known_number(node.size, node.dtype)
        if node in self.finish:
            value = self.finish[node](at)
        elif node in self.memory:
            value = self.load(node, at, held)
        elif isinstance(node, Number):
            given = [self.at(operand, ()) for operand in node.operands]
            value = self._applied(node.op, given, node.place)
        elif isinstance(node, Cut):
            value = self._cut(node, at, held)
        elif isinstance(node, Movement):
            value = self._moved(node, at, held)
        else:
            assert isinstance(node, Loop), node
            value = self._looped(node, at, held)
        self.known[-1][key] = value
        return value

    def _key(self, node: Node, at: Sequence[Index], held: tuple[Value, ...]) -> object:
        return (id(node), tuple(at), tuple(h.text for h in held), self.tile)

    def address(self, at: Sequence[Index], node: Node) -> tuple[str, frozenset[str]]:
        """The number of an element, and along which axes it differs."""
        number = flat(at, node.shape)
        return self.index(number), number.axes

    def load(
        self, node: Node, at: Sequence[Index], held: tuple[Value, ...] = ()
    ) -> Value:
        """The element of what has memory."""
        name = self.memory[node]
        self.used[node] = name
        if isinstance(node, Argument) and node.is_scalar:
            return Value(name, node.dtype)
        text, axes = self.address(at, node)
        more = frozenset[str]().union(*(h.axes for h in held))
        if not more <= axes:
            axes |= more
            zeros = f"tl.zeros({self.block(axes)}, tl.int32)"
            text = zeros if text == "0" else f"{text} + {zeros}"
        conditions = [*self.bounds(axes), *(h.text for h in held)]
        mask = " & ".join(conditions)
        other = "0" if node.dtype not in FLOATS else "0.0"
        pointer = name if text == "0" else f"{name} + {text}"
        masked = f", mask={mask}, other={other}" if mask else ""
        value = self.let(f"tl.load({pointer}{masked})", node.dtype, axes)
        return replace(value, zero_outside=frozenset(conditions))

    def _moved(
        self, node: Movement, at: Sequence[Index], held: tuple[Value, ...]
    ) -> Value:
        pieces = node.pieces(at)
        results: list[tuple[Value | None, Value]] = []
        for piece in pieces:
            condition = self._condition(piece.conditions)
            more = held if condition is None else (*held, condition)
            results.append((condition, self.at(piece.source, piece.indices, more)))
            if condition is None:
                break
        value = results[-1][1]
        for condition, chosen in reversed(results[:-1]):
            assert condition is not None
            value = self.where(condition, chosen, value, node.dtype)
        return value

    def _cut(self, node: Cut, at: Sequence[Index], held: tuple[Value, ...]) -> Value:
        """Foreign memory is never read, whatever a number says."""
        starts: list[Index] = []
        for dim, start in enumerate(node.starts):
            if not isinstance(start, Node):
                starts.append(Index((), start))
                continue
            last = node.last_start(dim)
            asked = self.at(start, ()).text
            inside = f"tl.minimum(tl.maximum({asked}, 0), {last})"
            found = self.let(f"{inside}.to(tl.int32)", "i32", frozenset())
            starts.append(self._found(found, last + 1))
        piece = node.piece(at, starts)
        return self.at(piece.source, piece.indices, held)

    def where(self, condition: Value, yes: Value, no: Value, dtype: str) -> Value:
        """One of two."""
        if yes == no or (no.number == 0 and condition.text in yes.zero_outside):
            return yes
        axes = condition.axes | yes.axes | no.axes
        return self.let(
            f"tl.where({condition.text}, {yes.text}, {no.text})", dtype, axes
        )

    def _condition(self, conditions: Sequence[Condition]) -> Value | None:
        parts: list[str] = []
        axes = frozenset[str]()
        for index, low, high in conditions:
            text = self.index(index)
            tests = [] if at_most(low, index.bottom) else [f"({text} >= {low})"]
            tests += [] if at_most(index.top, high) else [f"({text} < {high})"]
            parts += tests
            axes |= index.axes if tests else frozenset[str]()
        if not parts:
            return None
        key = ("condition", tuple(parts), self.tile)
        for known in reversed(self.known):
            if key in known:
                return known[key]
        text = " & ".join(parts) if len(parts) > 1 else parts[0][1:-1]
        value = self.let(text, "i1", axes)
        self.known[-1][key] = value
        return value

    # ---------------------------------------------------------------- bodies

    def _looped(
        self, node: Loop, at: Sequence[Index], held: tuple[Value, ...]
    ) -> Value:
        nest = node.nest
        if any(nest.is_reduced):
            assert not held, "what is padded has memory"
            return self.folded(node, at)
        return self.element(node, at, (), held, list(nest.body[-1].operands))[
            node.result
        ]

    def element(
        self,
        node: Loop,
        at: Sequence[Index],
        reduced: Sequence[Index],
        held: tuple[Value, ...],
        wanted: Sequence[Any],
    ) -> list[Value]:
        """What values of a body are, at a place."""
        nest = node.nest
        by = nest.point(node.result, at, reduced)
        given = nest.block_arguments
        values: dict[Any, Value] = {}
        made = {r: op for op in nest.body for r in op.results}

        def value(of_: Any) -> Value:
            if of_ in values:
                return values[of_]
            if of_ in given:
                number = given.index(of_)
                count = len(nest.inputs)
                if number < count:
                    places = (i.replaced(by) for i in nest.maps[number])
                    found = self.at(nest.inputs[number], tuple(places), held)
                else:
                    places = (i.replaced(by) for i in nest.maps[number])
                    start = nest.starts[number - count]
                    found = self.at(start, tuple(places), held)
            elif of_ in made:
                found = self._computed(node, made[of_], by, value, held)
            else:
                found = self.at(nest.nodes[of_], (), held)
            values[of_] = found
            return found

        return [value(v) for v in wanted]

    def _computed(
        self,
        node: Loop,
        op: Any,
        by: dict[Atom, Index],
        value: Callable[[Any], Value],
        held: tuple[Value, ...],
    ) -> Value:
        """The result of an op of a body."""
        nest = node.nest
        dtype = str(op.results[0].type)
        if op.name == "arith.constant":
            return literal(number_of(op.attributes["value"]), dtype)
        if op.name == "linalg.index":
            index = by[nest.dims[int(op.attributes["dim"].value)]]
            if not index.terms:
                return known_number(index.constant, dtype)
            return Value(f"({self.index(index)})", dtype, index.axes)
        given = [value(v) for v in op.operands[1:]]
        if op.name == "tensor.dim":
            dim = given[0].number
            assert dim is not None, "a dimension is a constant"
            return known_number(nest.nodes[op.operands[0]].shape[int(dim)], dtype)
        if op.name == "tensor.extract":
            source = nest.nodes[op.operands[0]]
            places = [
                self._found(v, n) for v, n in zip(given, source.shape, strict=True)
            ]
            return self.at(source, places, held)
        return self._applied(op, [value(v) for v in op.operands], nest.place)

    def _applied(self, op: Any, given: Sequence[Value], place: Any) -> Value:
        found = expression(op, given)
        if found is None:
            raise Refused(f"has no template for CUDA: {op.name}", place)
        if isinstance(found, Value):
            return found
        axes = frozenset[str]().union(*(v.axes for v in given))
        return self.let(found, str(op.results[0].type), axes)

    def joined(self, nest: Nest, given: Sequence[Value]) -> Value:
        """What a body makes of some elements. Raises Refused."""
        known = dict(zip(nest.block_arguments, given, strict=True))
        known |= {v: self.at(node, ()) for v, node in nest.nodes.items()}
        for op in nest.body[:-1]:
            dtype = str(op.results[0].type)
            if op.name == "arith.constant":
                value = literal(number_of(op.attributes["value"]), dtype)
            else:
                value = self._applied(op, [known[v] for v in op.operands], nest.place)
            known[op.results[0]] = value
        return known[nest.body[-1].operands[0]]

    def _found(self, value: Value, size: Size) -> Index:
        """An index that is computed."""
        if value.number is not None:
            return Index((), int(value.number))
        return of(Atom(value.text, size, placed=tuple(sorted(value.axes))))


def known_number(size: Size, dtype: str) -> Value:
    """A number that the host knows."""
    return literal(size, dtype) if isinstance(size, int) else Value(str(size), dtype)
