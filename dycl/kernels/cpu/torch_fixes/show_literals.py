"""`cpu-show-literals`: the constant tensors that were hidden are constants again.

Before:
    func.func @k(%x: tensor<4xi64>, %two: tensor<i64>)
        attributes {dycl.literals = [dense<2> : tensor<si64>]}

After:
    func.func @k(%x: tensor<4xi64>) {
      %two = arith.constant dense<2> : tensor<i64>

Needs:  linalg on tensors, `cpu-hide-literals` done.
Leaves: no `dycl.literals`, and the arguments that a caller gives.
Skips:  functions without.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import functions, ir, set_signature
from dycl.kernels.cpu.torch_fixes.hide_literals import LITERALS


def show_literals(module: Any) -> None:
    """Replace the last arguments of every function by what they stand for."""
    for func in functions(module):
        if LITERALS not in func.attributes:
            continue
        hidden = list(func.attributes[LITERALS])
        block = func.regions[0].blocks[0]
        given = len(block.arguments) - len(hidden)
        with ir.InsertionPoint.at_block_begin(block):
            for value, argument in zip(
                hidden, list(block.arguments)[given:], strict=True
            ):
                with argument.location:
                    numbers = str(value).rpartition(" : ")[0]
                    signless = ir.Attribute.parse(f"{numbers} : {argument.type}")
                    constant = build.op(
                        "arith.constant", [], argument.type, {"value": signless}
                    )
                argument.replace_all_uses_with(constant)
        for index in reversed(range(given, len(block.arguments))):
            block.erase_argument(index)
        if "arg_attrs" in func.attributes:
            kept = list(func.attributes["arg_attrs"])[:given]
            func.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
        del func.attributes[LITERALS]
        set_signature(func)
