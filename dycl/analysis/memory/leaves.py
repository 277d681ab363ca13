"""The tensors and numbers of an op, those inside of containers too."""

from xdsl.ir import Operation

from dycl.analysis.tensors.structures import Leaf, Structures


def operand_leaves(op: Operation, structures: Structures) -> list[Leaf]:
    """The leaves of all operands, in order."""
    return [leaf for v in op.operands for leaf in structures.leaves(v)]


def result_leaves(op: Operation, structures: Structures) -> list[Leaf]:
    """The leaves of all results, in order."""
    return [leaf for v in op.results for leaf in structures.leaves(v)]
