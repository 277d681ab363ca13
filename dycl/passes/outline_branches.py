"""`dycl-outline-branches`: straight-line tensor code becomes kernels.

Before                     After
------                     -----
%h = torch.aten.mm %x, %w  %h, %s = dycl.launch @forward_head(%x, %w)
%s = torch.aten.any %h     %m = dycl.item %s
%m = dycl.item %s          dycl.if %m {
dycl.if %m {                 dycl.return %h
  dycl.return %h           }
}                          %r = dycl.launch @forward_tail(%h)
%r = torch.aten.relu %h    dycl.return %r
dycl.return %r

Needs:  `dycl-check-typed`.
Leaves: in each block of the entry function, between two decisions, one launch; more
        only where the host must read a result of the first before the next can start,
        and where a run is longer than `max-ops`, which would take LLVM too long.
        A kernel takes what it uses and gives what is used outside: nothing is passed
        through. Kernels are named after the modules whose parameters they use.
Skips:  runs of fewer than `min-ops` operations; literals, views and numbers, which
        stay on the host.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.analysis.control.computation import is_computation, is_free
from dycl.analysis.control.cuts import pieces
from dycl.analysis.control.decisions import (
    common_path,
    identifier,
    module_path,
    name_decisions,
)
from dycl.analysis.control.runs import schedule, segments
from dycl.diag import PassFailed, remark
from dycl.ir import IfOp, LaunchOp, WhileOp
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.functions import entry_function
from dycl.ir.outlining import KernelBody
from dycl.ir.rewriting import append, erase, insert_before, locate
from dycl.ir.walking import walk


@dataclass(frozen=True)
class OutlineBranchesPass(ModulePass):
    """Straight-line tensor code becomes kernels."""

    name = "dycl-outline-branches"

    min_ops: int = 1
    """Tensor operations that a run must have to become a kernel."""

    max_ops: int = 128
    """Tensor operations that a kernel has at most; a longer run becomes several."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add kernels to the module. PassFailed: `max_ops` is below 1."""
        if self.max_ops < 1:
            raise PassFailed(f"max-ops is {self.max_ops}: a kernel has an operation")
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        names = name_decisions(entry.body.block)
        for decision, name in names.items():
            decision.attributes["name"] = StringAttr(name)
        outliner = _Outliner(op, entry.sym_name.data, self.min_ops, self.max_ops)
        outliner.block(entry.body.block, "", "")
        _erase_unused(entry)


@dataclass
class _Outliner:
    module: ModuleOp
    entry: str
    min_ops: int
    max_ops: int
    taken: dict[str, int] = field(default_factory=dict[str, int])
    kernels: int = 0

    def __post_init__(self) -> None:
        self.taken = dict.fromkeys(symbol_ops(self.module), 0)

    def block(self, block: Block, decision: str, side: str) -> None:
        """Outline a block's runs in order, and the branches between them."""
        for run, barrier in list(segments(block)):
            self._segment(run, barrier, decision, side)
            for region, word in zip(barrier.regions, _sides(barrier), strict=True):
                attribute = barrier.attributes.get("name")
                name = attribute.data if isinstance(attribute, StringAttr) else decision
                self.block(region.block, name, word or side)

    def _segment(
        self, ops: list[Operation], barrier: Operation, decision: str, side: str
    ) -> None:
        """Kernels and host ops, each as early as what it needs allows."""
        if not any(map(is_computation, ops)):
            return
        steps = schedule(ops)
        for op in ops:
            op.detach()
        for step in steps:
            kernel = [op for op in step.tensor if is_computation(op)]
            if len(kernel) < self.min_ops:
                if kernel:
                    why = f"{len(kernel)} operations; min-ops is {self.min_ops}"
                    remark(kernel[0], "not outlined", why)
                insert_before(barrier, *step.tensor, *step.host)
                continue
            for piece in pieces(kernel, self.max_ops):
                name = self._name(piece, barrier, decision, side)
                insert_before(barrier, self._kernel(piece, name))
            insert_before(barrier, *_used([op for op in step.tensor if is_free(op)]))
            insert_before(barrier, *step.host)

    def _name(
        self, ops: Sequence[Operation], barrier: Operation, decision: str, side: str
    ) -> str:
        path = common_path(module_path(v) for op in ops for v in op.operands)
        middle = identifier("_".join(path or ()))
        if not middle and side:
            middle = identifier(decision)
        if not middle:
            ends = barrier.next_op is None
            middle = "head" if self.kernels == 0 else ("tail" if ends else "step")
        self.kernels += 1
        base = "_".join(part for part in (self.entry, middle, side) if part)
        name = base
        while name in self.taken:
            self.taken[base] = self.taken.get(base, 0) + 1
            name = f"{base}_{self.taken[base]}"
        self.taken[name] = 0
        return name

    def _kernel(self, ops: Sequence[Operation], name: str) -> LaunchOp:
        """Move detached ops into a new kernel; the launch that stands for them."""
        inside = set(ops)
        results: list[tuple[SSAValue, list[Use]]] = []
        for op in ops:
            for result in op.results:
                uses = [use for use in result.uses if use.operation not in inside]
                if any(_leads_out(use.operation, inside) for use in uses):
                    results.append((result, uses))
        body = KernelBody(inside, is_free)
        for op in ops:
            body.add(op)
        return_op = ReturnOp(*(result for result, _ in results))
        append(body.block, return_op, source=ops[-1])
        inputs = [value.type for value in body.inputs]
        outputs = [result.type for result, _ in results]
        function = FuncOp(name, (inputs, outputs), Region(body.block))
        function.attributes["dycl.kernel"] = UnitAttr()
        append(self.module.body.block, function, source=ops[0])
        launch = LaunchOp(name, list(body.inputs), outputs)
        locate([launch], ops[0].location)
        for (result, uses), new in zip(results, launch.results, strict=True):
            new.name_hint = result.name_hint
            for use in uses:
                use.operation.operands[use.index] = new
        return launch


def _used(free: list[Operation]) -> list[Operation]:
    """The detached constants and lists that are still needed; the others go."""
    kept: list[Operation] = []
    for op in reversed(free):
        if any(result.uses for result in op.results):
            kept.append(op)
        else:
            op.erase()
    return kept[::-1]


def _leads_out(user: Operation, inside: set[Operation]) -> bool:
    """Whether a user is outside, or a list that is used outside."""
    if not is_free(user):
        return user not in inside
    return any(
        _leads_out(use.operation, inside)
        for result in user.results
        for use in result.uses
    )


def _sides(op: Operation) -> list[str]:
    if isinstance(op, IfOp):
        return ["then", "else"]
    return ["test", "body"] if isinstance(op, WhileOp) else [""] * len(op.regions)


def _erase_unused(entry: FuncOp) -> None:
    """Constants and lists that only kernels needed have their copies there."""
    for op in reversed([op for op in walk(entry) if is_free(op)]):
        if not any(result.uses for result in op.results):
            erase(op)
