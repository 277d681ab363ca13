"""What a trace is made of: plain data, made by `dycl.analysis.tracing.trace`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.dynamic_sizes.whole_sizes import WholeSizes
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves


class Untraceable(Exception):
    """There is no lowering; the reason says of what."""

    def __init__(self, reason: str):
        """`reason`: in words, with its code where it has one of its own."""
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Input:
    """The n-th leaf of the traced op's operands: a tensor or an open number."""

    leaf: int
    as_float: bool = False
    """Whether it is an int of which torch makes a float."""


@dataclass(frozen=True)
class Param:
    """A parameter of the traced leaf module, by local name."""

    name: str


@dataclass(frozen=True)
class Ref:
    """A result of an earlier node."""

    node: int
    result: int = 0


@dataclass(frozen=True)
class Node:
    """One aten op with all operands of its schema, or a literal."""

    op: str
    """`torch.aten.add.Tensor`, or `torch.vtensor.literal`."""
    operands: tuple[object, ...]
    """Input, Param, Ref, a constant, or a tuple of these for a list."""
    kinds: tuple[str, ...]
    """The schema's type of each operand, such as `Optional[List[int]]`."""
    results: tuple[Tensor | Scalar, ...]
    is_list: bool = False
    """Whether the results come as one list."""
    attributes: tuple[tuple[str, object], ...] = ()
    """Of a `torch.operator`: its name, its kernel, and what the op itself has."""


@dataclass(frozen=True)
class Check:
    """A bool tensor of rank 0 that must be true, or the run raises."""

    flag: object
    """Ref or Input."""
    error: str
    """`IndexError: text`: the class, and what it is given."""


@dataclass(frozen=True)
class Converted:
    """An open number becomes a `dtype`, and the run raises if it does not fit."""

    leaf: int
    dtype: str
    how: str
    """`dycl.analysis.tensors.number_ranges` lists how."""


@dataclass(frozen=True)
class Trace:
    """The nodes in order, and the op's results: trees with Input, Param and Ref."""

    nodes: tuple[Node, ...]
    results: tuple[object, ...]
    checks: tuple[Check, ...] = ()
    converted: tuple[Converted, ...] = ()

    def with_own(self, names: NeutralNames | WholeSizes) -> "Trace":
        """The same of sizes that have the names of the program."""
        nodes = tuple(
            replace(
                node,
                results=cast(
                    "tuple[Tensor | Scalar, ...]", tuple(map(names.own, node.results))
                ),
            )
            for node in self.nodes
        )
        results = tuple(map(names.own, self.results))
        return replace(self, nodes=nodes, results=results)


def with_known_sizes(
    found: Trace, results: tuple[object, ...], operands: Sequence[object]
) -> Trace:
    """The trace whose results have the sizes that `results`, those of its op, have.

    Of `x[:n].view(-1, 4, 3, 8)` torch may say that the 4 is `n // (n // 4)`. What
    `y.copy_(x)` gives is `x` itself, of the sizes that `y` has.
    """
    made, known = list(leaves(found.results)), list(leaves(results))
    if len(made) != len(known):
        return found
    nodes = list(found.nodes)
    given_to = list(leaves(tuple(operands)))
    views = {
        ref: _viewed_as(ref, tensor, nodes)
        for ref, tensor in zip(made, known, strict=True)
        if isinstance(ref, Input)
        and isinstance(tensor, Tensor)
        and _is_less_known(given_to[ref.leaf], tensor)
    }
    if views:
        made = [views.get(ref, ref) if isinstance(ref, Input) else ref for ref in made]
        rest = iter(made)
        tree = map_leaves(found.results, lambda _: next(rest))
        found = replace(found, results=cast("tuple[object, ...]", tree))
    for ref, tensor in zip(made, known, strict=True):
        if not isinstance(ref, Ref) or not isinstance(tensor, Tensor):
            continue
        given = list(nodes[ref.node].results)
        traced = given[ref.result]
        if isinstance(traced, Tensor) and len(traced.shape) == len(tensor.shape):
            pairs = zip(traced.shape, tensor.shape, strict=True)
            shape = tuple(size if isinstance(size, int) else own for own, size in pairs)
            if shape != traced.shape:
                given[ref.result] = Tensor.contiguous(shape, traced.dtype)
                nodes[ref.node] = replace(nodes[ref.node], results=tuple(given))
    return replace(found, nodes=tuple(nodes))


def _is_less_known(given: object, known: Tensor) -> bool:
    """Whether one dimension at most of `known` is a run's, and more are of `given`."""
    if not isinstance(given, Tensor) or len(given.shape) != len(known.shape):
        return False
    dynamic = [sum(not isinstance(n, int) for n in one.shape) for one in (given, known)]
    return dynamic[1] < dynamic[0] and dynamic[1] <= 1 and 0 not in known.shape


def _viewed_as(ref: Input, known: Tensor, nodes: list[Node]) -> Ref:
    """Add a view of an operand, with the sizes of `known`, to the nodes."""
    sizes = tuple(size if isinstance(size, int) else -1 for size in known.shape)
    view = Tensor.contiguous(known.shape, known.dtype)
    nodes.append(
        Node("torch.aten.view", (ref, sizes), ("Tensor", "List[int]"), (view,))
    )
    return Ref(len(nodes) - 1)
