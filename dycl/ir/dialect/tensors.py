"""Ops on tensors that say themselves, by torch's operations, what they compute.

The interpreter, shape inference and the pass that makes `torch.aten` ops of them know
`TensorOp` and none of its subclasses; behind that pass there is none left, and what it
computes is in kernels.
"""

from typing import Any

from dycl.ir.dialect.syntax import PlainOp


class TensorOp(PlainOp):
    """An op from tensors, and numbers, to one value: a tensor, or a tuple of them.

    It depends on nothing but its operands, and writes to none of them. A subclass that
    never raises adds the trait `Pure`; another stays where the user wrote it.
    """

    @property
    def spelling(self) -> str:
        """What messages call the op."""
        return f"`{self.name}`"

    def evaluate(self, *operands: Any) -> object:
        """The result for these tensors and numbers, by torch's operations; raises what
        these raise.

        It is run on tensors without elements, too, for shapes and for the kernel: what
        it does may depend on shapes and dtypes, and not on elements.
        """
        raise NotImplementedError
