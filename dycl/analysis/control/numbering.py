"""When two ops do the same: a key for an op, given numbers for its operands."""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue


def op_key(op: Operation, numbers: Mapping[SSAValue, int]) -> object:
    """Equal for ops without regions that are equal up to names and places.

    `numbers`: of each operand, the same for operands that are to be taken as equal.
    """
    properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
    attributes = tuple(sorted(op.attributes.items(), key=lambda item: item[0]))
    operands = tuple(numbers[value] for value in op.operands)
    return (op.name, properties, attributes, operands, tuple(op.result_types))
