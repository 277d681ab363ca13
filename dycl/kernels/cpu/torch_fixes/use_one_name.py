"""`cpu-use-one-name`: ops that torch has under two names get the one with a lowering.

Before:
    %z = torch.aten.__and__.Tensor %x, %y
    %w = torch.operator "torch.aten.__xor__.Scalar"(%x, %c)

After:
    %z = torch.aten.bitwise_and.Tensor %x, %y
    %w = torch.aten.bitwise_xor.Scalar %x, %c

Needs:  the torch dialect.
Leaves: operands, types and places as they are.
Skips:  every other op.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ops, replaced

_SYNONYMS = {
    f"torch.aten.__{name}__.{kind}": f"torch.aten.bitwise_{name}.{kind}"
    for name in ("and", "or", "xor")
    for kind in ("Tensor", "Scalar")
}


def use_one_name(module: Any) -> None:
    """Rename ops that torch has under two names to the one that has a lowering."""
    for op in ops(module.operation):
        name = op.name
        if name == "torch.operator":
            name = str(op.attributes["name"].value)
        if name in _SYNONYMS:
            replaced(op, _SYNONYMS[name])
