"""`dycl-merge-backend-regions`: neighbours with one backend are one region.

Before                                     After
------                                     -----
%y = dycl.launch @k(%x)                    %y = dycl.launch @k(%x)
dycl.return %y                             dycl.return %y
func.func @k(%a) {                         func.func @k(%a) {
  %b = torch.aten.relu %a {toy}              %b = torch.aten.relu %a {toy, 0}
  %c = torch.aten.sinh %b {cpu}              %c = torch.aten.sinh %b {cpu, 1}
  %d = torch.aten.neg %b {toy}               %d = torch.aten.neg %b {toy, 0}
  %e = torch.aten.mul.Tensor %c, %d {toy}    %e = torch.aten.mul.Tensor %c, %d {toy, 2}
  func.return %e                             func.return %e
}                                          }

`{toy, 0}` stands for `{dycl.backend = "toy", dycl.region = 0 : i64}`.

Needs:  `dycl-annotate-backends`. A kernel is straight-line code of one arm, so that no
        region reaches across a decision.
Leaves: `dycl.region` on each annotated op: ops of one number have one backend, and the
        regions can run in the order of their numbers: none waits for a later one.
Skips:  kernels without annotations; those whose composites, or ops that cannot be
        parted, wait for one another in a circle: their annotations go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dycl.analysis.control.units import needed, units
from dycl.diag import remark
from dycl.ir.claims import COMPOSITE, REGION, kernels_of
from dycl.ir.functions import BACKEND


@dataclass(frozen=True)
class MergeBackendRegionsPass(ModulePass):
    """Neighbours with one backend are one region."""

    name = "dycl-merge-backend-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change attributes of ops; raises nothing."""
        for kernel in kernels_of(op):
            ops = [o for o in kernel.body.block.ops if BACKEND in o.attributes]
            groups = _ordered(units(ops, _composites(ops)), ops)
            if groups is None:
                remark(kernel, "not parted", "parts of it would wait for one another")
                for one in ops:
                    one.attributes.pop(BACKEND, None)
                    one.attributes.pop(COMPOSITE, None)
                continue
            for number, region in enumerate(_merged(groups, ops)):
                for one in region:
                    one.attributes[REGION] = IntegerAttr(number, i64)


def _composites(ops: Sequence[Operation]) -> list[list[Operation]]:
    """The ops that a pattern of a backend takes as one."""
    groups: dict[object, list[Operation]] = {}
    for op in ops:
        if (mark := op.attributes.get(COMPOSITE)) is not None:
            groups.setdefault(mark, []).append(op)
    return list(groups.values())


_Needs = Mapping[Operation, set[Operation]]
"""Op -> the ops whose results it needs."""


def _needs(ops: Sequence[Operation]) -> _Needs:
    placed = dict.fromkeys(ops)
    owners = {op: {value.owner for value in needed(op, placed)} for op in ops}
    return {
        op: {owner for owner in found if isinstance(owner, Operation)}
        for op, found in owners.items()
    }


def _ordered(
    groups: Sequence[list[Operation]], ops: Sequence[Operation]
) -> list[list[Operation]] | None:
    """Groups in an order in which they can run; None: there is none.

    Of those that can run next it is the one whose first op comes first.
    """
    needs = _needs(ops)
    home = {op: index for index, group in enumerate(groups) for op in group}
    waits = [
        {home[other] for op in group for other in needs[op]} - {index}
        for index, group in enumerate(groups)
    ]
    left = list(range(len(groups)))
    done: set[int] = set()
    result: list[list[Operation]] = []
    while left:
        ready = next((index for index in left if waits[index] <= done), None)
        if ready is None:
            return None
        left.remove(ready)
        done.add(ready)
        result.append(groups[ready])
    return result


@dataclass
class _Region:
    """Ops that run together, and the regions that wait for their results."""

    backend: StringAttr
    ops: list[Operation] = field(default_factory=list[Operation])
    users: "list[_Region]" = field(default_factory=list["_Region"])

    def reaches(self, others: "Sequence[_Region]") -> bool:
        """Whether one of others waits, through any number of regions, for this one."""
        todo, seen = [*self.users], set[int]()
        while todo:
            region = todo.pop()
            if any(region is other for other in others):
                return True
            if id(region) not in seen:
                seen.add(id(region))
                todo += region.users
        return False


def _merged(
    groups: Sequence[list[Operation]], ops: Sequence[Operation]
) -> list[list[Operation]]:
    """Regions, each as large as can be when its ops come, in an order to run them.

    A group joins the latest region of its backend that nothing it needs waits for: one
    that it needs itself, if there is any, so that less passes between regions.
    """
    needs = _needs(ops)
    home: dict[Operation, _Region] = {}
    regions: list[_Region] = []
    for group in groups:
        backend = group[0].attributes[BACKEND]
        assert isinstance(backend, StringAttr)
        makers = [home[o] for op in group for o in needs[op] if o in home]
        fitting = [
            region
            for region in regions
            if region.backend == backend
            and not region.reaches([m for m in makers if m is not region])
        ]
        near = [r for r in fitting if any(r is maker for maker in makers)]
        if near or fitting:
            chosen = (near or fitting)[-1]
        else:
            chosen = _Region(backend)
            regions.append(chosen)
        chosen.ops += group
        home.update(dict.fromkeys(group, chosen))
        for maker in makers:
            if maker is not chosen and all(u is not chosen for u in maker.users):
                maker.users.append(chosen)
    merged = _ordered([region.ops for region in regions], ops)
    assert merged is not None, "no region has been made that waits for itself"
    return merged
