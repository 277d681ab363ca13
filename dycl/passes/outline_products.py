"""`dycl-outline-products`: a product of a recursion waits for what it needs, no more.

Before                                   After
------                                   -----
%w = dycl.param "fc.weight"              %w = dycl.param "fc.weight"
dycl.local_function "f"(%a) {            dycl.local_function "f"(%a) {
  %b = dycl.local_call "f"(%a)             %b = dycl.local_call "f"(%a)
  %y = dycl.launch @k(%a, %w, %b)          %p = dycl.launch @k_product(%a, %w)
  dycl.local_return %y                     %y = dycl.launch @k(%p, %b)
}                                          dycl.local_return %y
dycl.return %w                           }
func.func @k(%a, %w, %b) {               dycl.return %w
  %t = torch.aten.linear %a, %w, %none   func.func @k_product(%a, %w) {
  %s = torch.aten.mul.Tensor %t, %b        %t = torch.aten.linear %a, %w, %none
  func.return %s                           func.return %t
}                                        }
                                         func.func @k(%t, %b) {
                                           %s = torch.aten.mul.Tensor %t, %b
                                           func.return %s
                                         }

For `dycl-batch-launches`. Attributes of nodes are there before anything has run, what a
function is given before what its calls give, and these before what a loop makes of
them. A kernel that is given both waits for the later: with a product of its own, of the
earlier, it would be one of few rows for each level of a tree. By itself the product has
rows of all levels, and a sum over children is no chain of products.

Needs:  `dycl-mark-weights`: what is computed of weights alone is in each kernel.
Leaves: kernels in local functions whose products need all of what comes last. A kernel
        for the products of the same operands, and what they are made of.
Skips:  everything, if `most-rows` is below 2; kernels with several launches, or for a
        backend; products whose size the run decides.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.analysis.control.launches import fitting_launches
from dycl.analysis.control.units import needed, placed_ops
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.dialect.local_functions import LocalFunctionOp, function_around
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.flops import flops_of
from dycl.ir.functions import BACKEND
from dycl.ir.labels import fresh_label
from dycl.ir.torch import VTensorLiteralOp
from dycl.passes.partition_backends import Part, part_kernel


@dataclass(frozen=True)
class OutlineProductsPass(ModulePass):
    """A product of a recursion waits for what it needs, no more."""

    name = "dycl-outline-products"

    most_rows: int = 2
    """Rows that launches run together have at most; below 2: nothing is outlined."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Part kernels and their launches; raises nothing."""
        if self.most_rows < 2:
            return
        taken = dict.fromkeys(symbol_ops(op), 1)
        for kernel, launches in list(fitting_launches(op)):
            inside = [one for one in launches if function_around(one) is not None]
            if not inside or BACKEND in kernel.attributes:
                continue
            products = _early_products(kernel, inside[0])
            if not products:
                continue
            if len(launches) > 1:
                why = f"{len(launches)} launches share its kernel"
                remark(products[0].op, "not outlined", why)
                continue
            part_kernel(kernel, [*_parts(kernel, products, taken)], launches)


class _Product(NamedTuple):
    """A product that needs not all of what its kernel is given."""

    op: Operation
    rows: frozenset[int]
    """The operands of the launch that it needs, without those all calls are given."""


def _early_products(kernel: FuncOp, launch: LaunchOp) -> list[_Product]:
    """The products of a kernel that need nothing of what comes last; those that need
    less first."""
    turns = [_turn(value) for value in launch.operands]
    last = max(turns, default=_ALWAYS)
    if not any(_ALWAYS < turn < last for turn in turns):
        return []
    rows: dict[SSAValue, frozenset[int]] = {
        argument: frozenset([argument.index] if turns[argument.index] else [])
        for argument in kernel.body.block.args
    }
    found: list[_Product] = []
    for op in kernel.body.block.ops:
        own = frozenset[int]().union(*(rows[value] for value in op.operands))
        rows |= dict.fromkeys(op.results, own)
        if own and max(turns[i] for i in own) < last and flops_of(op):
            found.append(_Product(op, own))
    return sorted(found, key=lambda product: len(product.rows))


_ALWAYS, _FIELD, _PARAMETER, _CALLED, _LAST = range(5)


def _turn(value: SSAValue) -> int:
    """When a value is there, beside others that a launch is given."""
    owner = value.owner
    match owner:
        case d.ParamOp() | VTensorLiteralOp():
            return _ALWAYS
        case d.FieldOp():
            return _FIELD
        case d.LocalCallOp():
            return _CALLED
        case LaunchOp():
            return max((_turn(operand) for operand in owner.operands), default=_FIELD)
        case Block() if isinstance(owner.parent_op(), LocalFunctionOp):
            return _PARAMETER
        case _:
            return _LAST


def _parts(
    kernel: FuncOp, products: Sequence[_Product], taken: dict[str, int]
) -> Iterator[Part]:
    """Parts for products, by what they need, and the rest of a kernel.

    A part needs those before it alone: what two have in common is in the first.
    """
    placed = placed_ops(kernel)
    name = kernel.sym_name.data
    left = set(placed)
    for rows in dict.fromkeys(product.rows for product in products):
        ops: set[Operation] = set()
        for product in products:
            if product.rows == rows:
                ops |= _made_of(product.op, left)
        left -= ops
        if ops:
            part = [op for op in placed if op in ops]
            yield Part(fresh_label(taken, f"{name}_product"), part, {})
    yield Part(name, [op for op in placed if op in left], {})


def _made_of(product: Operation, placed: Collection[Operation]) -> set[Operation]:
    """The placed ops that a product is made of, and itself."""
    found, pending = {product}, [product]
    while pending:
        for value in needed(pending.pop(), placed):
            assert isinstance(value.owner, Operation)
            if value.owner not in found:
                found.add(value.owner)
                pending.append(value.owner)
    return found
