"""`dycl-annotate-backends`: each op of a kernel says which backend is to compute it.

Before                                       After
------                                       -----
%y = dycl.launch @k(%x)                      %y = dycl.launch @k(%x)
dycl.return %y                               dycl.return %y
func.func @k(%a) attributes {onnxruntime} {  func.func @k(%a) attributes {onnxruntime} {
  %b = torch.aten.relu %a                      %b = torch.aten.relu %a {onnxruntime}
  %c = torch.aten.sinh %b                      %c = torch.aten.sinh %b {cpu}
  func.return %c                               func.return %c
}                                            }

`{cpu}` stands for `{dycl.backend = "cpu"}`.

Needs:  `dycl-outline-branches`. Best after `dycl-fold-batch-norm`: less is left to ask.
Leaves: `dycl.backend` on each op of a kernel that `backends`, or the kernel by its own
        `dycl.backend`, puts up to backends: the first of them that can take the op, or
        `rest`. Ops that a pattern of a backend takes as one have one `dycl.composite`.
        Reshapes, which cost nothing inside a kernel, go with a neighbour.
Skips:  kernels of a backend that takes every op; constants, lists, and what depends on
        weights alone, which go with each of their users; kernels that give what they
        are given, which are their backend's as a whole or not at all. Of what no
        backend takes there is a remark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from dycl.analysis.control.computation import is_free, is_reshape
from dycl.analysis.control.units import needed, placed_ops, units
from dycl.analysis.manager import claims_of
from dycl.diag import remark
from dycl.ir.claims import COMPOSITE, Claims, Pattern, kernels_of
from dycl.ir.functions import BACKEND, OURS


@dataclass(frozen=True)
class AnnotateBackendsPass(ModulePass):
    """Each op of a kernel says which backend is to compute it."""

    name = "dycl-annotate-backends"

    backends: tuple[str, ...] = ()
    """Backends that are asked about each op, the most wanted first."""

    rest: str = OURS
    """The backend of what none of them can take."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change attributes of ops. PassFailed: there is no backend of such a name."""
        if (claims := claims_of(ctx)) is None:
            return
        _place_whole(kernels_of(op), self.backends, claims)
        for kernel in kernels_of(op):
            own = kernel.attributes.get(BACKEND)
            names = (own.data,) if isinstance(own, StringAttr) else self.backends
            names = [n for n in names if not hasattr(claims(n), "refusals")]
            if not names or names[0] == self.rest:
                continue
            backends = {name: claims(name) for name in names}
            if not hasattr(backends[names[0]], "cannot_take"):
                continue  # It takes every kernel whole.
            ops = placed_ops(kernel)
            if why := _cannot(kernel, ops):
                remark(kernel, "not annotated", why)
                kernel.attributes[BACKEND] = StringAttr(names[0])
                continue
            choice = _Choice(ops, backends, self.rest)
            choice.choose()
            choice.write()


def _place_whole(
    kernels: Sequence[FuncOp], names: Sequence[str], claims: Claims
) -> None:
    """Give kernels to the backends that are asked for kernels, not for ops."""
    for name in names:
        backend = claims(name)
        left = [kernel for kernel in kernels if BACKEND not in kernel.attributes]
        if left and hasattr(backend, "refusals"):
            refusals: Sequence[str | None] = backend.refusals(left)
            for kernel, why in zip(left, refusals, strict=True):
                if why is None:
                    kernel.attributes[BACKEND] = StringAttr(name)
                else:
                    remark(kernel, f"not for {name}", why)


def _cannot(kernel: FuncOp, ops: Sequence[Operation]) -> str | None:
    """The reason to leave a kernel alone, or None."""
    end = kernel.body.block.last_op
    given = [] if end is None else [value.owner for value in end.operands]
    if any(owner not in ops for owner in given):
        return "it gives what it is given"
    return None


@dataclass
class _Choice:
    """Who computes the ops of one kernel."""

    ops: list[Operation]
    backends: Mapping[str, Any]
    rest: str
    chosen: dict[Operation, str] = field(default_factory=dict[Operation, str])
    composites: list[tuple[str, list[Operation]]] = field(
        default_factory=list[tuple[str, list[Operation]]]
    )
    """The name of a pattern, and the ops that it fits."""
    refused: dict[Operation, dict[str, str]] = field(
        default_factory=dict[Operation, dict[str, str]]
    )
    """Op -> backend -> why it cannot take the op."""

    def choose(self) -> None:
        """Ask the backends, one after the other."""
        for name in self.backends:
            self._match(name)
            for op in self.ops:
                if op not in self.chosen and self._takes(name, op):
                    self.chosen[op] = name
        self._move_reshapes()
        self._keep_together()

    def write(self) -> None:
        """Annotate the ops, and say of which there was no backend."""
        for op in self.ops:
            op.attributes.pop(COMPOSITE, None)
            name = self.chosen.get(op, self.rest)
            op.attributes[BACKEND] = StringAttr(name)
            if name == self.rest:
                for other, why in self.refused.get(op, {}).items():
                    remark(op, f"not for {other}", why)
        number = 0
        for name, group in self.composites:
            if self.rest in [self.chosen.get(op, self.rest) for op in group]:
                continue
            for op in group:
                op.attributes[COMPOSITE] = StringAttr(f"{name}:{number}")
            number += 1

    def _match(self, name: str) -> None:
        """Give a backend the ops that its patterns fit, the first pattern first."""
        patterns: Sequence[Pattern] = getattr(self.backends[name], "PATTERNS", ())
        for pattern in patterns:
            for op in self.ops:
                group = pattern.match(op)
                is_free = all(o in self.ops and o not in self.chosen for o in group)
                if group and is_free and not self._why_not_copied(name, group):
                    self.chosen.update(dict.fromkeys(group, name))
                    self.composites.append((pattern.name, group))

    def _takes(self, name: str, op: Operation) -> bool:
        """Whether a backend takes an op alone; it is asked once."""
        ask = getattr(self.backends[name], "cannot_take", _nothing)
        refused = self.refused.setdefault(op, {})
        if name not in refused:
            why = ask(op) or self._why_not_copied(name, [op])
            if why is None:
                return True
            refused[name] = why
        return False

    def _why_not_copied(self, name: str, ops: Sequence[Operation]) -> str | None:
        """Why a backend cannot take what is copied for some ops; None: it can."""
        ask = getattr(self.backends[name], "cannot_take", _nothing)
        todo, seen = [*ops], set(ops)
        while todo:
            for value in todo.pop().operands:
                owner = value.owner
                if isinstance(owner, Block) or owner in seen or owner in self.ops:
                    continue
                if not is_free(owner) and (why := ask(owner)) is not None:
                    return why
                seen.add(owner)
                todo.append(owner)
        return None

    def _move_reshapes(self) -> None:
        """Give reshapes to who makes what they reshape, or to their first user."""
        fixed = {op for _, group in self.composites for op in group}
        waiting: list[Operation] = []
        for op in self.ops:
            if not is_reshape(op) or op in fixed:
                continue
            makers = [value.owner for value in needed(op, self.ops)]
            if not makers or makers[0] in waiting:
                waiting.append(op)
            else:
                self._give(op, makers[0])
        for op in reversed(waiting):
            users = [use.operation for result in op.results for use in result.uses]
            self._give(op, next((o for o in self.ops if o in users), op))

    def _give(self, op: Operation, neighbour: object) -> None:
        """Let an op go with a neighbour, if that one's backend takes it, too."""
        assert isinstance(neighbour, Operation)
        name = self.chosen.get(neighbour, self.rest)
        if name != self.rest and self._takes(name, op):
            self.chosen[op] = name
        else:
            self.chosen.pop(op, None)

    def _keep_together(self) -> None:
        """Leave ops to `rest` that cannot be parted and have several backends."""
        for group in units(self.ops):
            names = {self.chosen.get(op, self.rest) for op in group} - {self.rest}
            if len(names) > 1 or any(op not in self.chosen for op in group):
                for op in group:
                    self.chosen.pop(op, None)
                    for name in sorted(names):
                        self.refused.setdefault(op, {}).setdefault(name, _PARTED)


_PARTED = "what it is given, or gives, is no tensor, and is not for it"


def _nothing(op: Operation) -> str | None:
    return None
