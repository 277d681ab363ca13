"""Bodies of kernels: ops are moved into a new function, with what they need.

Who calls says which ops are copied to each kernel that uses them, and not passed.
"""

from collections.abc import Callable, Collection

from xdsl.ir import Block, Operation, OpResult, SSAValue

from dycl.ir.cloning import clone
from dycl.ir.rewriting import append_argument


class KernelBody:
    """A kernel's block; its arguments come in the order of first use."""

    def __init__(
        self,
        inside: Collection[Operation],
        is_copied: Callable[[Operation], bool],
    ):
        """`inside`: the ops that will be added."""
        self.block = Block()
        self.inputs: dict[SSAValue, SSAValue] = {}
        """What it is given from outside -> its argument."""
        self._inside, self._is_copied = inside, is_copied
        self._copies: dict[Operation, Operation] = {}

    def add(self, op: Operation) -> None:
        """Move a detached op to the end, with its operands."""
        for i, value in enumerate(op.operands):
            op.operands[i] = self._value(value, op)
        self.block.add_op(op)

    def _value(self, value: SSAValue, user: Operation) -> SSAValue:
        if isinstance(value, OpResult):
            if value.op in self._inside:
                return value
            if self._is_copied(value.op):
                return self._copy(value.op).results[value.index]
        if value not in self.inputs:
            argument = append_argument(self.block, value.type, source=user)
            argument.name_hint = value.name_hint
            self.inputs[value] = argument
        return self.inputs[value]

    def _copy(self, op: Operation) -> Operation:
        """An op of outside, in the kernel; each once."""
        if op not in self._copies:
            copy = clone(op)
            for i, value in enumerate(op.operands):
                copy.operands[i] = self._value(value, op)
            self.block.add_op(copy)
            self._copies[op] = copy
        return self._copies[op]
