"""When two ops mean the same: the key under which what torch says of one is kept."""

from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.analysis.tensors import leaf_modules
from dycl.analysis.tensors.abstract import leaves, signature
from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef


def of_this_model(operands: Sequence[object], environment: Environment) -> bool:
    """Whether an answer holds for one model only: an operand is an object of its own.

    `op_signature` has its path, and another model has another object there.
    """
    all_leaves = (leaf for tree in operands for leaf in leaves(tree))
    return any(
        isinstance(leaf, ObjectRef) and not environment.is_leaf(leaf.path)
        for leaf in all_leaves
    )


def op_signature(
    op: Operation, operands: Sequence[object], environment: Environment
) -> object:
    """A hashable key: equal keys mean equal meaning, but for parameters' names."""

    def one(operand: object) -> object:
        if isinstance(operand, ObjectRef) and environment.is_leaf(operand.path):
            return leaf_modules.signature(environment, operand.path)
        return signature(operand)

    properties = tuple(sorted(op.properties.items()))
    return (op.name, properties, len(op.results), tuple(map(one, operands)))
