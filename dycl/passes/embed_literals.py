"""`dycl-embed-literals`: a small tensor given alike at every launch is the kernel's.

Before                                    After
------                                    -----
%one = torch.vtensor.literal(dense<1.0>)  %y = dycl.launch @k(%x)
%y = dycl.launch @k(%x, %one)             %z = dycl.launch @k(%y)
%z = dycl.launch @k(%y, %one)             dycl.return %z
dycl.return %z                            func.func @k(%a) {
func.func @k(%a, %b) {                      %b = torch.vtensor.literal(dense<1.0>)
  %c = torch.aten.mul.Tensor %a, %b         %c = torch.aten.mul.Tensor %a, %b
  func.return %c                            func.return %c
}                                         }

Needs:  `dycl-outline-branches`. Best after `dycl-share-kernels`: equal kernels are
        called with different literals.
Leaves: no argument of a kernel that is the same literal, of at most `max-elements`
        elements, at every launch; or, where it is the matrix that a product begins
        with, of at most `max-matrix`: a backend may add up once what its rows share.
        What a kernel computes of it and of weights alone
        depends on weights alone: the row that an embedding has for a known word.
Skips:  larger literals, which would stand in each kernel's code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import fitting_launches
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.torch import DYNAMIC, VTensorLiteralOp, VTensorType


@dataclass(frozen=True)
class EmbedLiteralsPass(ModulePass):
    """A small tensor that every launch is given alike is the kernel's."""

    name = "dycl-embed-literals"

    max_elements: int = 16
    """Elements that a literal may have."""
    max_matrix: int = 1024
    """Elements that it may have as the left one of a product."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change kernels and their launches; raises nothing."""
        literals: set[VTensorLiteralOp] = set()
        for kernel, launches in fitting_launches(op):
            literals |= self._embed(kernel, launches)
        for literal in literals:
            if not literal.result.uses:
                erase(literal)

    def _embed(self, kernel: FuncOp, launches: list[LaunchOp]) -> set[VTensorLiteralOp]:
        """The literals that the kernel has now itself."""
        block = kernel.body.block
        result: dict[int, VTensorLiteralOp] = {}
        for index, argument in enumerate(block.args):
            given = {_literal(launch.operands[index]) for launch in launches}
            literal = given.pop() if len(given) == 1 else None
            if literal is None:
                continue
            is_matrix = any(
                use.operation.name == "torch.aten.matmul" and use.index == 0
                for use in argument.uses
            )
            most = self.max_matrix if is_matrix else self.max_elements
            if not _is_small(argument.type, most):
                why = f"it has more than {most} elements"
                remark(literal, "not embedded", why)
                continue
            result[index] = literal
            _write(literal, argument, block)
        if not result:
            return set()
        kept = [i for i in range(len(block.args)) if i not in result]
        if kernel.arg_attrs is not None:
            kernel.arg_attrs = ArrayAttr([kernel.arg_attrs.data[i] for i in kept])
        for index in reversed(result):
            block.erase_arg(block.args[index])
        kernel.update_function_type()
        for launch in launches:
            launch.operands = [launch.operands[i] for i in kept]
        return set(result.values())


def _write(literal: VTensorLiteralOp, argument: SSAValue, block: Block) -> None:
    """Put a literal in the place of a kernel's argument."""
    copy = literal.clone()
    copy.result.name_hint = argument.name_hint
    assert block.first_op is not None, "a kernel returns something"
    insert_before(block.first_op, copy)
    argument.replace_all_uses_with(copy.result)


def write_literals(kernel: FuncOp, literals: Mapping[int, VTensorLiteralOp]) -> None:
    """Put literals in the place of a kernel's arguments, which it keeps, unused."""
    block = kernel.body.block
    for place, literal in literals.items():
        _write(literal, block.args[place], block)


def is_short(literal: VTensorLiteralOp) -> bool:
    """Whether a literal may stand in a kernel: small, or one number throughout."""
    value = literal.value
    is_splat = isinstance(value, DenseIntOrFPElementsAttr) and value.is_splat()
    return is_splat or _is_small(literal.result.type, EmbedLiteralsPass.max_elements)


def _is_small(kind: object, most: int) -> bool:
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    if sizes is None or DYNAMIC in sizes:
        return False
    return prod(sizes) <= most


def _literal(value: SSAValue) -> VTensorLiteralOp | None:
    """The op of a literal. The host has each literal once."""
    return value.owner if isinstance(value.owner, VTensorLiteralOp) else None
