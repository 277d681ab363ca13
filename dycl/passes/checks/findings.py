"""What `dycl-check-typed` has found so far: errors, what derives from them, names.

A value that is refused is an error once; what derives from it is none. A name that has
no value on some path is an error where it is read, unless that branch was surely taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.control.bindings import bound_reads
from dycl.analysis.tensors.abstract import VALUE
from dycl.analysis.tensors.shapes import Inference
from dycl.diag import CompileError, SourceLoc
from dycl.support.reasons import EAGER_RAISES


@dataclass
class Findings:
    """The errors of one function, and what is known of its values."""

    inference: Inference
    entry: FuncOp
    errors: dict[object, CompileError] = field(
        default_factory=dict[object, CompileError]
    )
    derived: dict[object, CompileError] = field(
        default_factory=dict[object, CompileError]
    )
    """What is said only where nothing else is: it may come of another refusal."""
    refused: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that are refused, or derive from one that is."""
    unbound: dict[SSAValue, tuple[str, SourceLoc | None]] = field(
        default_factory=dict[SSAValue, tuple[str, SourceLoc | None]]
    )
    """Names that have no value on some path, and the branch where that is so."""
    bound: set[tuple[Operation, int]] | None = None
    """Reads of such names on paths that gave them one, once they are asked for."""

    def report(
        self, op: Operation, code: str, what: str, hint: str, *notes: str
    ) -> None:
        """One error for one location and text."""
        location = SourceLoc.of(op)
        error = CompileError(code, what, location, notes, hint)
        self.errors.setdefault((code, what, location if location else op), error)

    def report_alone(self, op: Operation, code: str, what: str, hint: str) -> None:
        """The same for what may come of another error."""
        location = SourceLoc.of(op)
        error = CompileError(code, what, location, (), hint)
        self.derived.setdefault((code, what, location if location else op), error)

    def has_others(self) -> bool:
        """Whether something was found by now that is no error of eager's."""
        return any(error.code != EAGER_RAISES for error in self.errors.values())

    def derives(self, op: Operation) -> bool:
        """Whether an operand is refused, or derives from what is."""
        return any(v in self.refused for v in op.operands)

    def report_of_path(
        self, op: Operation
    ) -> Callable[[Operation, str, str, str], None]:
        """`report`; behind a test that is refused, where no run may get, the other."""
        around = op.parent_op()
        while around is not None and not self.derives(around):
            around = around.parent_op()
        return self.report if around is None else self.report_alone

    def _is_bound(self, op: Operation, index: int) -> bool:
        """Whether the branch that gave a name its value was surely taken."""
        if self.bound is None:
            environment = self.inference.environment
            self.bound = bound_reads(self.entry.body.block, environment)
        return (op, index) in self.bound

    def read(self, op: Operation) -> None:
        """Report names among the operands that may have no value."""
        for index, value in enumerate(op.operands):
            if value not in self.unbound or self._is_bound(op, index):
                continue
            variable, location = self.unbound[value]
            notes = (
                [] if location is None else [f"a branch at {location} gives it none"]
            )
            what, hint = may_be_unbound(variable)
            self.report(op, "DY303", what, hint, *notes)
            self.refused.update(op.results)


def may_be_unbound(name: str) -> tuple[str, str]:
    """What to say of a read of a name that may have no value, and what to do."""
    what = f"`{name}` is read here, but may have no value"
    return what, f"give `{name}` a value before, on every path"


def location_of(value: SSAValue) -> SourceLoc | None:
    """Where a value is made, as the user wrote it."""
    if isinstance(value.owner, Operation):
        return SourceLoc.of(value.owner)
    return SourceLoc.from_attr(getattr(value, "location", None) or VALUE)
