"""`dycl-check-shapes`: says where torch gives another shape or dtype than is written.

Before                     After
------                     -----
%y = torch.aten.mm %x, %w  error[DY301]: torch.aten.mm gives f32 [3,2] here,
dycl.return %y               not the f32 [3,4] that is written

Needs:  nothing. Asks torch, so it is no part of a phase: what passes make fits by
        construction. IR that people edit is checked by it before it becomes code, which
        would read and write memory by the shapes that are written.
Leaves: the program as it was. Each `torch.aten` op gives what its type says, as far as
        torch can tell by shapes and dtypes alone.
Skips:  ops on tensors with sizes, or on numbers, that only a run knows; ops whose
        result depends on the elements of a tensor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import Problem
from dycl.analysis.tensors.fakes import fake_mode, quiet
from dycl.diag import remark
from dycl.ir.dtypes import element_type_of, torch_dtype
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.interpreter.tensors import evaluate_torch, overload
from dycl.ir.torch import DYNAMIC, TensorType, TorchOp
from dycl.ir.walking import walk
from dycl.passes.check_hcfg import raise_problems

_UNKNOWN = object()
_PASSING = (
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "UnsupportedOperatorException",
    "NotImplementedError",
)
"""Exceptions by which torch says that shapes alone do not tell."""


@dataclass(frozen=True)
class CheckShapesPass(ModulePass):
    """Says where torch gives another shape or dtype than is written."""

    name = "dycl-check-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing. PassFailed (DY301): an op gives something else."""
        with quiet():
            raise_problems("DY301", list(_Walk().problems(op)))


@dataclass
class _Walk:
    values: dict[SSAValue, Any] = field(default_factory=dict[SSAValue, Any])
    """What an op is run on: fake tensors as types say, and known numbers."""

    def problems(self, module: ModuleOp) -> Iterator[Problem]:
        for op in walk(module):
            if isinstance(op, TorchOp) and not op.regions and op.results:
                yield from self._op(op)

    def _op(self, op: TorchOp) -> Iterator[Problem]:
        with fake_mode():
            operands = [self._value(operand) for operand in op.operands]
            if any(operand is _UNKNOWN for operand in operands):
                return
            if why := _wrong_dim(op, operands) or _wrong_window(op, operands):
                yield Problem(op, why)
                return
            try:
                results = evaluate_torch(op, operands)
            except InterpreterError as error:
                remark(op, "not checked", str(error))
                return
            except Exception as error:
                if type(error).__name__ in _PASSING:
                    remark(op, "not checked", type(error).__name__)
                    return
                first, *_ = str(error).strip().splitlines() or [type(error).__name__]
                yield Problem(op, f"{op.name} does not take this: {first}")
                return
        yield from self._results(op, results)

    def _results(self, op: Operation, results: Sequence[Any]) -> Iterator[Problem]:
        for value, outcome in zip(op.results, results, strict=False):
            if not isinstance(value.type, TensorType):
                self.values[value] = outcome
                continue
            wanted = _described(value.type)
            if wanted is None or not hasattr(outcome, "shape"):
                continue
            given = (str(element_type_of(outcome.dtype)), tuple(outcome.shape))
            if not _fits(given, wanted):
                yield Problem(
                    op,
                    f"{op.name} gives {_text(*given)} here, not the {_text(*wanted)} "
                    "that is written",
                )

    def _value(self, value: SSAValue) -> Any:
        """A value to run an op on; `_UNKNOWN`: only a run knows it."""
        if not isinstance(value.type, TensorType):
            return self.values.get(value, _UNKNOWN)
        described = _described(value.type)
        if described is None or DYNAMIC in described[1]:
            return _UNKNOWN
        import torch

        element = value.type.element_type()
        assert element is not None
        return torch.empty(described[1], dtype=torch_dtype(element))


_DIMS = ("dim", "dim0", "dim1", "start_dim", "end_dim")
_NEW_DIM = ("torch.aten.stack", "torch.aten.unsqueeze")


def _wrong_dim(op: TorchOp, operands: Sequence[Any]) -> str | None:
    """A dimension that a tensor does not have: torch does not ask fake tensors."""
    if not op.name.startswith("torch.aten.") or not operands:
        return None
    first = operands[0][0] if isinstance(operands[0], list) else operands[0]
    if not hasattr(first, "dim"):
        return None
    rank = max(first.dim() + (op.name in _NEW_DIM), 1)
    try:
        schema = overload(op.name)._schema.arguments
    except InterpreterError:
        return None
    for argument, value in zip(schema, operands, strict=False):
        dims = value if isinstance(value, list) else [value]
        for dim in dims if argument.name in _DIMS else ():
            if type(dim) is int and not -rank <= dim < rank:
                return (
                    f"{op.name} does not take this: there is no dimension {dim} among "
                    f"{rank}"
                )
    return None


def _wrong_window(op: TorchOp, operands: Sequence[Any]) -> str | None:
    """Numbers of a convolution or a pool that torch asks of real tensors only, and
    those that end torch-mlir."""
    try:
        schema = overload(op.name)._schema.arguments
    except InterpreterError:
        return None
    lists = {
        argument.name: [number for number in value if type(number) is int]
        for argument, value in zip(schema, operands, strict=False)
        if isinstance(value, list)
    }
    dilation, stride = lists.get("dilation", []), lists.get("stride", [])
    if min(dilation, default=1) < 1:
        return f"{op.name} does not take this: dilation {dilation} is not above zero"
    most = max([*dilation, *stride], default=1)
    padding = lists.get("output_padding", [])
    if max(padding, default=0) >= most and _is_transposed(schema, operands):
        return (
            f"{op.name} does not take this: output padding {padding} is not below "
            f"stride {stride} or dilation {dilation}"
        )
    if "adaptive" in op.name and 0 in lists.get("output_size", []):
        return f"{op.name} does not take this: an output size of 0"
    return None


def _is_transposed(schema: Sequence[Any], operands: Sequence[Any]) -> bool:
    named = zip((argument.name for argument in schema), operands, strict=False)
    return dict(named).get("transposed", True) is True


def _described(found: TensorType) -> tuple[str, tuple[int, ...]] | None:
    """Dtype and sizes; None: not both are written."""
    element, sizes = found.element_type(), found.sizes()
    if element is None or sizes is None:
        return None
    return str(element), tuple(sizes)


def _fits(
    given: tuple[str, tuple[int, ...]], wanted: tuple[str, tuple[int, ...]]
) -> bool:
    return (
        given[0] == wanted[0]
        and len(given[1]) == len(wanted[1])
        and all(w in (DYNAMIC, g) for g, w in zip(given[1], wanted[1], strict=True))
    )


def _text(dtype: str, sizes: Sequence[int]) -> str:
    return f"{dtype} [{','.join('?' if s == DYNAMIC else str(s) for s in sizes)}]"
