"""Which SSA values a Python structure is made of: `(a, [b, 3])` leaf by leaf.

A structure mirrors an abstract value. Its leaves are `Known` constants, SSA values,
and `Part`s: tensors inside the result of one op, such as `torch.max(x, 1).values`.
"""

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dycl.analysis.manager import AnalysisManager
from dycl.analysis.tensors.abstract import (
    Node,
    OpenSizes,
    Scalar,
    Sequence,
    Tensor,
    Unbound,
    Unknown,
    is_container,
    leaves,
    map_leaves,
)
from dycl.analysis.tensors.plain_values import BUILD, TAKE_APART, makes_size
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.ir import CallOp, ConstantOp, DictOp, SelectOp, SubscriptOp
from dycl.ir.semantics import evaluate
from dycl.ir.values import ParamRef, from_attr, is_torch_size


@dataclass(frozen=True)
class Known:
    """A constant."""

    value: object


@dataclass(frozen=True)
class Part:
    """The n-th leaf of an SSA value that is a structure."""

    of: SSAValue
    leaf: int


Leaf = Known | Part | SSAValue


def structures_of(analyses: AnalysisManager, module: ModuleOp) -> "Structures":
    """The structures of a program's values, to be asked for by a manager."""
    return Structures(analyses.get(infer, module))


class Structures:
    """The structure of every SSA value of the entry function."""

    def __init__(self, inference: Inference):
        self.inference = inference
        self._found: dict[SSAValue, object] = {}

    def of(self, value: SSAValue) -> object:
        """The structure of a value; ops are looked through, however many."""
        todo = [value]
        while todo:
            if todo[-1] in self._found:
                todo.pop()
                continue
            needed = [v for v in self._sources(todo[-1]) if v not in self._found]
            if needed:
                todo += needed
            else:
                self._found[todo[-1]] = self._make(todo[-1])
        return self._found[value]

    def leaves(self, value: SSAValue) -> list[Leaf]:
        """The leaves of a value, in the order of `abstract.leaves`."""
        return cast("list[Leaf]", list(leaves(self.of(value))))

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        """The values whose structures go into that of `value`."""
        op = value.owner
        if isinstance(op, Block):
            return []
        match op:
            case _ if isinstance(op, BUILD):
                return list(op.operands)
            case SubscriptOp() if self._is_open_key(op.index):
                return []
            case _ if isinstance(op, TAKE_APART):
                whole = self.inference.of(op.operands[0])
                return [op.operands[0]] if is_container(whole) else []
            case SelectOp() if not self._is_open(op.condition):
                return [op.if_true, op.if_false]
            case CallOp() if makes_size(op, list(map(self.inference.of, op.operands))):
                return list(op.positional)
            case _:
                return []

    def _is_open(self, value: SSAValue) -> bool:
        return _is_open(self.inference.of(value))

    def _is_open_key(self, value: SSAValue) -> bool:
        return any(map(_is_open, leaves(self.inference.of(value))))

    def _make(self, value: SSAValue) -> object:
        op = value.owner
        abstract = self.inference.of(value)
        if isinstance(op, Operation) and self._sources(value):
            if isinstance(abstract, Unknown):
                return value
            if is_torch_size(abstract):
                return Known(abstract)  # of open ones, the known part
            return self._evaluate(op)[cast(OpResult, value).index]
        if not is_container(abstract):
            return self._leaf(value, abstract)
        if isinstance(op, ConstantOp):
            return map_leaves(from_attr(op.value), Known)
        numbers = iter(range(len(list(leaves(abstract)))))

        def one(leaf: object) -> object:
            number = next(numbers)
            return Part(value, number) if _is_open(leaf) else Known(leaf)

        return map_leaves(abstract, one)

    def _leaf(self, value: SSAValue, abstract: object) -> object:
        op = value.owner
        if isinstance(op, ConstantOp) and isinstance(abstract, Tensor):
            constant = from_attr(op.value)
            return Known(constant) if isinstance(constant, ParamRef) else value
        return value if _is_open(abstract) else Known(abstract)

    def _evaluate(self, op: Operation) -> list[object]:
        """Put together or take apart, on structures instead of values."""
        given: list[object] = [self.of(v) for v in op.operands[:1]]
        abstract = [self.inference.of(v) for v in op.operands]
        if isinstance(op, DictOp):
            given = [
                abstract[i] if i % 2 == 0 else self._found[v]
                for i, v in enumerate(op.operands)
            ]
        elif isinstance(op, SubscriptOp):
            given = [given[0], abstract[1]]
        elif isinstance(op, SelectOp):
            given = [abstract[0], *(self._found[v] for v in op.operands[1:])]
        elif isinstance(op, CallOp):
            sizes = cast("list[object]", self._found[op.positional[0]])
            return [OpenSizes(sizes)]
        elif isinstance(op, BUILD):
            given = [self._found[v] for v in op.operands]
        return evaluate(op, given, self.inference.environment)


def _is_open(leaf: object) -> bool:
    return isinstance(leaf, (Tensor, Scalar, Sequence, Node, Unknown, Unbound))
