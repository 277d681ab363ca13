"""A run of the interpreter at the level host, watched: launches, decisions, and what
these compare."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from dycl.checking.comparisons import SIGNS, Compared, Comparison
from dycl.ir import CompareOp, IfOp, SelectOp, UnaryOp, WhileOp, host
from dycl.ir.dialect.ends import ConditionOp
from dycl.ir.interfaces import forwarded_from
from dycl.ir.interpreter import Run
from dycl.ir.torch import BoolT, TensorType


@dataclass(frozen=True)
class Decided:
    """A decision that the host records, and the way that it went."""

    op: IfOp | WhileOp
    taken: bool
    comparisons: tuple[Comparison, ...]
    """What was compared to make it; (): that is not known."""
    kernels: frozenset[str] = frozenset()
    """The kernels in which that was done; on the host it is done in none."""


class _At(NamedTuple):
    """Something compared, and when."""

    time: int
    compared: Compared
    kernel: str
    """Where; "": on the host."""


class Watch:
    """Sees one run; `compute` says how kernels are computed."""

    def __init__(self, kernels: dict[str, FuncOp]):
        """`kernels`: the functions of the module's kernels, by name."""
        self.decisions: list[Decided] = []
        self.params: dict[int, str] = {}
        """The tensors that are weights, by identity -> their names."""
        self._alive: list[object] = []
        self.kernels = kernels
        self._time = 0
        self._last: dict[Operation, tuple[int, Sequence[Any]]] = {}
        """What each comparison was given when it was run last, and when."""
        self._written: dict[int, tuple[_At, ...]] = {}
        """What was compared to make the bools in memory, by address."""
        self._read: dict[Operation, tuple[_At, ...]] = {}
        self._given: list[tuple[_At, ...]] = []
        """The same of each result of the last launch."""

    def compute(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """The results of a launch; a watch of another kind computes them otherwise."""
        return run()

    def launched(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """Run a kernel, and note what its results compare."""
        results = self.compute(kernel, operands, run)
        end = self.kernels[kernel].body.block.last_op
        assert isinstance(end, ReturnOp)
        self._given = [tuple(self._in_kernel(kernel, v)) for v in end.arguments]
        return results

    def evaluated(
        self, op: Operation, operands: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Note comparisons, and where bools go."""
        self._time += 1
        match op:
            case CompareOp():
                self._last[op] = self._time, operands
            case host.ParamOp():
                self.params[id(results[0])] = op.path.data
                self._alive.append(results[0])
            case host.LaunchOp():
                outputs = operands[len(op.inputs) :]
                for buffer, found in zip(outputs, self._given, strict=True):
                    self._written[_memory(buffer)] = found
            case host.KeepOp():
                found = self._written.get(_memory(operands[0]), ())
                self._written[_memory(results[0])] = found
            case host.ReadOp():
                self._read[op] = self._written.get(_memory(operands[0]), ())
            case _ if _kind(op) is not None:
                self._last[op] = self._time, operands
            case _:
                pass

    def decided(self, op: Operation, taken: bool) -> None:
        """Note a decision that the host records."""
        assert isinstance(op, IfOp | WhileOp)
        if not op.is_decision:
            return
        made = self._on_host(_condition(op), ())
        found = (at.compared.comparison() for at in made)
        known = tuple(one for one in found if one is not None)
        kernels = frozenset(at.kernel for at in made) - {""}
        self.decisions.append(Decided(op, taken, known, kernels))

    def _on_host(self, value: SSAValue, above: tuple[SSAValue, ...]) -> tuple[_At, ...]:
        """What was compared to make a truth on the host."""
        if value in above:
            return ()
        if sources := forwarded_from(value):
            ways = [self._on_host(one, (*above, value)) for one in sources]
            # One of them it came from: the one that was made last.
            return max(ways, key=lambda way: max((at.time for at in way), default=0))
        op = value.owner
        if not isinstance(op, Operation):
            return ()
        if isinstance(op, host.ReadOp):
            return self._read.get(op, ())
        if _kind(op) is not None:
            return tuple(self._compared("", op))
        operands = [v for v in op.operands if str(v.type) == "i1"]
        if isinstance(op, SelectOp):
            operands = [op.condition, *operands]
        made = [at for v in operands for at in self._on_host(v, (*above, value))]
        if isinstance(op, UnaryOp) and op.kind.data == "not":
            made = [at._replace(compared=at.compared.inverted()) for at in made]
        return tuple(made)

    def _in_kernel(self, kernel: str, value: SSAValue) -> Iterator[_At]:
        """What was compared to make bools in a kernel, which was just run."""
        op = value.owner
        if not isinstance(op, Operation) or not _is_bool(value):
            return
        if _kind(op) is not None:
            yield from self._compared(kernel, op)
            return
        function = op.name.removeprefix("torch.aten.").partition(".")[0]
        for operand in op.operands:
            for at in self._in_kernel(kernel, operand):
                compared = at.compared
                if function in ("any", "all"):
                    compared = compared.reduced(function)
                elif function in ("logical_not", "bitwise_not"):
                    compared = compared.inverted()
                yield at._replace(compared=compared)

    def _compared(self, kernel: str, op: Operation) -> Iterator[_At]:
        if (last := self._last.get(op)) is not None and (kind := _kind(op)) is not None:
            time, operands = last
            yield _At(time, Compared(kind, *operands[:2]), kernel)


def comparisons_in(kernel: FuncOp) -> list[Operation]:
    """The comparisons in a kernel, in order."""
    return [op for op in kernel.body.block.ops if _kind(op) is not None]


def compares(kernel: FuncOp) -> bool:
    """Whether a kernel has a result that says how a comparison ends."""
    end = kernel.body.block.last_op
    assert isinstance(end, ReturnOp)
    return any(map(_is_bool, end.arguments))


def _condition(op: IfOp | WhileOp) -> SSAValue:
    if isinstance(op, IfOp):
        return op.condition
    end = op.before.block.last_op
    assert isinstance(end, ConditionOp)
    return end.condition


def _kind(op: Operation) -> str | None:
    """The kind of a comparison of numbers; None: the op is none."""
    if isinstance(op, CompareOp):
        kind = op.kind.data
    elif op.name.startswith("torch.aten."):
        kind = op.name.removeprefix("torch.aten.").partition(".")[0]
    else:
        return None
    return kind if kind in SIGNS else None


def _is_bool(value: SSAValue) -> bool:
    if isinstance(value.type, TensorType):
        return str(value.type.element_type()) == "i1"
    return value.type == BoolT


def _memory(tensor: Any) -> int:
    return tensor.untyped_storage().data_ptr()
