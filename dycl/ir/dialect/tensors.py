"""Ops on tensors that say themselves, by torch's operations, what they compute.

The interpreter, shape inference and the pass that makes `torch.aten` ops of them know
`TensorOp` and none of its subclasses; behind that pass there is none left, and what it
computes is in kernels.
"""

from typing import Any

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from dycl.ir.dialect.syntax import PlainOp
from dycl.ir.values import from_attr


class TensorOp(PlainOp):
    """An op from tensors, and numbers, to one value: a tensor, or a tuple of them.

    `dycl.<verb> %a, %b <{eps = 1.0 : f64}>`: its properties are what `given` reads. It
    depends on nothing but these and its operands, and writes to none of them. A
    subclass that never raises adds the trait `Pure`; another stays where the user wrote
    it.
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

    def kernel(self, *operands: Any) -> object:
        """The op as MLIR, for operands of which each tensor is a `dycl.TensorSpec`.

        What it gives, `dycl.kernel` says; None, as here: the kernel is made of what
        `evaluate` calls. `evaluate` says what the code must compute.
        """
        return None

    def given(self, name: str) -> Any:
        """The attribute `name` as Python has it: a number, a text, a list of ints."""
        return from_attr(self.properties[name])

    def print_body(self, printer: Printer) -> None:
        super().print_body(printer)
        if self.properties:
            printer.print_string(" <")
            printer.print_attribute(DictionaryAttr(self.properties))
            printer.print_string(">")

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operands = super().parse_body(parser, properties)
        if parser.parse_optional_punctuation("<") is not None:
            properties.update(parser.parse_optional_attr_dict())
            parser.parse_punctuation(">")
        return operands
