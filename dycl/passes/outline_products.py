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
rows of all levels, and a sum over children is no chain of products. What one child is
multiplied by is not read for another: products of several calls part as well, where
their weights are larger than a near cache.

Needs:  `dycl-mark-weights`: what is computed of weights alone is in each kernel.
Leaves: kernels in local functions whose products need all of what comes last. A kernel
        for the products of the same operands, and what they are made of.
Skips:  everything, if `most-rows` is below 2; kernels with several launches, or for a
        backend; products whose size the run decides; those that only wait for fewer
        calls than others, if they read less than `least-weights` elements of weights.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import fitting_launches
from dycl.analysis.control.turns import last_of, turns_in
from dycl.analysis.control.units import needed, placed_ops
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.flops import flops_of, known_sizes
from dycl.ir.functions import BACKEND
from dycl.ir.labels import fresh_label
from dycl.passes.partition_backends import Part, part_kernel


@dataclass(frozen=True)
class OutlineProductsPass(ModulePass):
    """A product of a recursion waits for what it needs, no more."""

    name = "dycl-outline-products"

    most_rows: int = 2
    """Rows that launches run together have at most; below 2: nothing is outlined."""

    least_weights: int = 0
    """Elements of weights that products read, if they only wait for fewer calls."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Part kernels and their launches; raises nothing."""
        if self.most_rows < 2:
            return
        taken = dict.fromkeys(symbol_ops(op), 1)
        for kernel, launches in list(fitting_launches(op)):
            inside = [one for one in launches if function_around(one) is not None]
            if not inside or BACKEND in kernel.attributes:
                continue
            products = _early_products(kernel, inside[0], self.least_weights)
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


def _early_products(
    kernel: FuncOp, launch: LaunchOp, least_weights: int
) -> list[_Product]:
    """The products of a kernel that need not all that comes last; those that need
    less first. Those that wait for a call count if they read enough of weights."""
    turns = turns_in(kernel, launch)
    last = last_of(turns[argument] for argument in kernel.body.block.args)
    rows: dict[SSAValue, frozenset[int]] = {
        argument: frozenset([] if turns[argument].is_always else [argument.index])
        for argument in kernel.body.block.args
    }
    found: list[_Product] = []
    of_calls: list[_Product] = []
    for op in kernel.body.block.ops:
        own = frozenset[int]().union(*(rows[value] for value in op.operands))
        rows |= dict.fromkeys(op.results, own)
        turn = last_of(turns[value] for value in op.operands)
        if not own or not turn.is_before(last) or not flops_of(op):
            continue
        (of_calls if turn.stage == last.stage else found).append(_Product(op, own))
    read = [v for product in of_calls for v in product.op.operands if not rows[v]]
    if sum(map(_elements, read)) >= least_weights:
        found += of_calls
    return sorted(found, key=lambda product: len(product.rows))


def _elements(value: SSAValue) -> int:
    """How many elements a tensor has; 0: it is none, or the run decides it."""
    sizes = known_sizes(value)
    return 0 if sizes is None else prod(sizes)


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
