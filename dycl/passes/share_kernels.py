"""`dycl-share-kernels`: kernels that do the same become one.

Before                         After
------                         -----
%y = dycl.launch @k(%x, %w)    %y = dycl.launch @k(%x, %w)
%z = dycl.launch @k_1(%y, %w)  %z = dycl.launch @k(%y, %w)
dycl.return %z                 dycl.return %z
func.func @k(%a, %b) { .. }    func.func @k(%a, %b) { .. }
func.func @k_1(%c, %d) { .. }

Needs:  `dycl-outline-branches`; may come after `dycl-lower-host` as well.
Leaves: no two kernels that differ only in the names of their values; the first one's
        name stays. Weights are arguments, so equal blocks have equal kernels.
Skips:  kernels whose ops come in another order: comparing those costs more than it
        finds.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.numbering import op_key
from dycl.ir import LaunchOp, host
from dycl.ir.rewriting import erase
from dycl.ir.walking import walk


@dataclass(frozen=True)
class ShareKernelsPass(ModulePass):
    """Kernels that do the same become one."""

    name = "dycl-share-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Erase repeated kernels and redirect their launches; raises nothing."""
        kept: dict[object, str] = {}
        renamed: dict[str, str] = {}
        for kernel in list(op.body.ops):
            if not isinstance(kernel, FuncOp) or "dycl.kernel" not in kernel.attributes:
                continue
            name = kernel.sym_name.data
            first = kept.setdefault(_key(kernel), name)
            if first != name:
                renamed[name] = first
                erase(kernel)
        if not renamed:
            return
        for launch in walk(op):
            if not isinstance(launch, LaunchOp | host.LaunchOp):
                continue
            if (name := renamed.get(launch.kernel_name)) is not None:
                launch.properties["kernel"] = SymbolRefAttr(name)


def _key(kernel: FuncOp) -> object:
    """Equal for kernels that are equal up to names and places."""
    numbers: dict[SSAValue, int] = {}
    attributes = {**kernel.properties, **kernel.attributes}
    del attributes["sym_name"]  # The rest, such as layouts, decides what it does.
    parts: list[object] = [tuple(sorted(attributes.items()))]
    for argument in kernel.body.block.args:
        numbers[argument] = len(numbers)
    for op in kernel.body.block.ops:
        parts.append(op_key(op, numbers))
        for result in op.results:
            numbers[result] = len(numbers)
    return tuple(parts)
