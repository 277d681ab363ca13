"""`cpu-hide-literals`: torch-mlir does not see the numbers of a constant tensor.

It computes with them while it rewrites: in doubles, without the sign of a zero, with
wrong rounding, and it crashes where integers are compared with a float. What follows
from constants is computed by eager before, or by the kernel, whose arithmetic is
eager's.

Before:
    func.func @k(%x: !torch.vtensor<..>) {
      %two = torch.vtensor.literal(dense<2> : tensor<si64>) : !torch.vtensor<[],si64>

After:
    func.func @k(%x: !torch.vtensor<..>, %two: !torch.vtensor<[],si64>)
        attributes {dycl.literals = [dense<2> : tensor<si64>]}

Needs:  the torch dialect, the steps before that ask what a literal is.
Leaves: no `torch.vtensor.literal`; `cpu-show-literals` puts them back.
Skips:  literals in the module's resources, which torch-mlir does not read.
"""

from typing import Any

from dycl.kernels.cpu.mlir import functions, ir, ops, set_signature

LITERALS = "dycl.literals"
"""On a function: what its last arguments stand for."""


def hide_literals(module: Any) -> None:
    """Make every literal an argument behind the others."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        hidden: list[Any] = []
        for op in ops(func):
            if op.name != "torch.vtensor.literal":
                continue
            value = op.attributes["value"]
            if not str(value).startswith("dense<"):
                continue
            hidden.append(value)
            argument = block.add_argument(op.results[0].type, op.location)
            op.results[0].replace_all_uses_with(argument)
            op.erase()
        if not hidden:
            continue
        func.attributes[LITERALS] = ir.ArrayAttr.get(hidden)
        if "arg_attrs" in func.attributes:
            none = [ir.DictAttr.get({})] * len(hidden)
            func.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [*func.attributes["arg_attrs"], *none]
            )
        set_signature(func)
