"""`dycl-mark-weights`: a kernel's arguments that are the same in every call are named.

Before                       After
------                       -----
%w = dycl.param "fc.weight"  %w = dycl.param "fc.weight"
%y = dycl.launch @k(%x, %w)  %y = dycl.launch @k(%x, %w)
dycl.return %y               dycl.return %y
func.func @k(%a, %b) { .. }  func.func @k(%a, %b {dycl.weight}) { .. }

Needs:  `dycl-outline-branches`. Best after `dycl-share-kernels`: what a shared kernel
        gets differs from launch to launch, but is a parameter in each.
Leaves: `dycl.weight` on each argument that is a parameter of the model at every
        launch. What a kernel computes of such arguments alone can be computed once,
        when the weights are known: a backend may do so, and lay them out anew.
Skips:  kernels that nothing launches; parameters that `forward` changes, which are
        inputs by then; an argument that is a parameter at some launches only.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import fitting_launches
from dycl.diag import remark
from dycl.ir import LaunchOp, ParamOp
from dycl.ir.dialect.model import WEIGHT
from dycl.ir.functions import set_slot_attribute


@dataclass(frozen=True)
class MarkWeightsPass(ModulePass):
    """A kernel's arguments that are the same in every call are named."""

    name = "dycl-mark-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change attributes of kernels; raises nothing."""
        for kernel, launches in fitting_launches(op):
            _mark(kernel, launches)


def _mark(kernel: FuncOp, launches: list[LaunchOp]) -> None:
    if not launches:
        return
    given = zip(*(launch.operands for launch in launches), strict=True)
    kinds = [[isinstance(v.owner, ParamOp) for v in values] for values in given]
    for index, kind in enumerate(kinds):
        if any(kind) and not all(kind):
            remark(kernel, "not a weight", f"argument {index} is one at some launches")
    for index, kind in enumerate(kinds):
        if all(kind):
            set_slot_attribute(kernel, False, index, WEIGHT, UnitAttr())


def is_weight(value: SSAValue) -> bool:
    """Whether a value is an argument with the mark."""
    if not isinstance(value, BlockArgument):
        return False
    kernel = value.block.parent_op()
    if not isinstance(kernel, FuncOp) or kernel.arg_attrs is None:
        return False
    return WEIGHT in kernel.arg_attrs.data[value.index].data
