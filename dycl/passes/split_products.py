"""`dycl-split-products`: a product of several children is a sum of one for each.

Before                                After
------                                -----
%w = dycl.param "fc.weight"           %w = dycl.param "fc.weight"
dycl.local_function "f"(%n) {         dycl.local_function "f"(%n) {
  %l = dycl.local_call "f"(%n)          %l = dycl.local_call "f"(%n)
  %r = dycl.local_call "f"(%n)          %r = dycl.local_call "f"(%n)
  %y = dycl.launch @k(%l, %r, %w)       %y = dycl.launch @k(%l, %r, %w)
  dycl.local_return %y                  dycl.local_return %y
}                                     }
dycl.return %w                        dycl.return %w
func.func @k(%l, %r, %w) {            func.func @k(%l, %r, %w) {
  %h = torch.prim.ListConstruct %l,     %u = torch.aten.slice.Tensor %w, %int1,
       %r                                    %int0, %int4, %int1
  %x = torch.aten.cat %h, %int0         %a = torch.aten.linear %l, %u, %none
  %y = torch.aten.linear %x, %w,        %v = torch.aten.slice.Tensor %w, %int1,
       %none                                 %int4, %int8, %int1
  func.return %y                        %b = torch.aten.linear %r, %v, %none
}                                       %y = torch.aten.add.Tensor %a, %b, %int1
                                        func.return %y
                                      }

For `dycl-outline-products`, which makes kernels of their own of products that wait for
less than the others. A level of a tree then reads no more of the weights than it needs,
and what needs the rest waits for a level that reads it anyway.

Needs:  `dycl-mark-weights`: slices of weights are made once, in each kernel.
Leaves: kernels of recursions without products of what is there at several times,
        side by side. Results differ by the rounding of sums.
Skips:  everything, if `most-rows` is below 2; what else is side by side; kernels with
        several launches, for a backend, or whose weights have less than `least-weights`
        elements: those are read from a near cache; float16 and bfloat16, which would be
        rounded once more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.launches import fitting_launches
from dycl.analysis.control.turns import Turn, turns_in
from dycl.diag import remark
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.flops import known_sizes
from dycl.ir.functions import BACKEND
from dycl.ir.rewriting import erase, insert_value, replace
from dycl.ir.torch import (
    ConstantIntOp,
    ConstantOp,
    ListConstructOp,
    VTensorType,
    constant,
    plain_op,
)

_WEIGHT_DIMS = {"torch.aten.linear": 1, "torch.aten.matmul": 0, "torch.aten.mm": 0}
"""Products, and the dimension of the second operand that is summed over."""


@dataclass(frozen=True)
class SplitProductsPass(ModulePass):
    """A product of several children is a sum of one for each."""

    name = "dycl-split-products"

    most_rows: int = 2
    """Rows that launches run together have at most; below 2: nothing is split."""

    least_weights: int = 0
    """Elements of weights that a kernel's products read, if they are split."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Split products; raises nothing."""
        if self.most_rows < 2:
            return
        for kernel, launches in fitting_launches(op):
            inside = [one for one in launches if function_around(one) is not None]
            if not inside or BACKEND in kernel.attributes:
                continue
            found = list(_joined_products(kernel, turns_in(kernel, inside[0])))
            if not found:
                continue
            if len(launches) > 1:
                why = f"{len(launches)} launches share its kernel"
                remark(found[0].op, "not split", why)
            elif sum(product.weights for product in found) < self.least_weights:
                remark(found[0].op, "not split", "its weights stay in a near cache")
            else:
                for product in found:
                    _split(product)


class _Product(NamedTuple):
    """A product of what is there at several times, side by side."""

    op: Operation
    dim: int
    """That of the weights which is summed over."""
    groups: Sequence[Sequence[SSAValue]]
    """What is there at one time, in order."""

    @property
    def weights(self) -> int:
        """How many elements of weights it reads."""
        return prod(known_sizes(self.op.operands[1]) or ())


def _joined_products(
    kernel: FuncOp, turns: Mapping[SSAValue, Turn]
) -> Iterator[_Product]:
    """The products of a kernel that can be split, in order."""
    for op in kernel.body.block.ops:
        dim = _WEIGHT_DIMS.get(op.name)
        if dim is None or not turns[op.operands[1]].is_always:
            continue
        if (items := _last_dim_items(op.operands[0])) is None:
            continue
        weight, result = known_sizes(op.operands[1]), op.results[0].type
        width = sum(map(_width, items))
        if weight is None or len(weight) != 2 or weight[dim] != width:
            continue
        if not isinstance(result, VTensorType) or not isinstance(
            result.dtype, (Float32Type, Float64Type)
        ):
            continue
        groups = [list(group) for _, group in groupby(items, turns.__getitem__)]
        if len(groups) > 1:
            yield _Product(op, dim, groups)


def _last_dim_items(value: SSAValue) -> Sequence[SSAValue] | None:
    """What stands side by side in a tensor; None: it is made in another way."""
    cat, sizes = value.owner, known_sizes(value)
    if not isinstance(cat, Operation) or cat.name != "torch.aten.cat" or not sizes:
        return None
    made, dim = (operand.owner for operand in cat.operands)
    if not isinstance(made, ListConstructOp) or not isinstance(dim, ConstantIntOp):
        return None
    is_last = dim.python_value() in (-1, len(sizes) - 1)
    known = [known_sizes(item) for item in made.operands]
    if not is_last or any(one is None or len(one) != len(sizes) for one in known):
        return None
    return made.operands


def _split(product: _Product) -> None:
    """Replace a product by a sum, and erase what nobody uses any more."""
    op = product.op
    whole, weight, *bias = op.operands
    result = op.results[0].type
    sizes = list(known_sizes(weight) or ())
    total: SSAValue | None = None
    begin = 0
    for group in product.groups:
        end = begin + sum(map(_width, group))
        sizes[product.dim] = end - begin
        bounds = product.dim, begin, end, 1
        part = _emit(op, "torch.aten.slice.Tensor", (weight, *bounds), sizes)
        given = [_side_by_side(op, group), part, *bias]
        made = _emit(op, op.name, given, result)
        if total is not None:
            made = _emit(op, "torch.aten.add.Tensor", (total, made, 1), result)
        total, begin, bias = made, end, [None for _ in bias]
    assert total is not None
    replace(op, [total])
    _erase_unused(whole)


def _width(item: SSAValue) -> int:
    """The last size of a tensor whose sizes are known."""
    return (known_sizes(item) or (0,))[-1]


def _side_by_side(op: Operation, items: Sequence[SSAValue]) -> SSAValue:
    """The items of a product as one tensor, in front of it."""
    if len(items) == 1:
        return items[0]
    types = {item.type for item in items}
    kind = items[0].type if len(types) == 1 else VTensorType.of(None, None)
    made = insert_value(op, ListConstructOp(items, kind, location=op.location))
    sizes = [*(known_sizes(items[0]) or ())[:-1], sum(map(_width, items))]
    return _emit(op, "torch.aten.cat", (made, len(sizes) - 1), sizes)


def _emit(
    op: Operation,
    name: str,
    operands: Sequence[SSAValue | int | None],
    kind: Attribute | Sequence[int],
) -> SSAValue:
    """The result of an operation in front of a product, of a type, or of the product's
    dtype and these sizes."""
    given = [
        operand
        if isinstance(operand, SSAValue)
        else insert_value(op, constant(operand, location=op.location))
        for operand in operands
    ]
    result = op.results[0].type
    assert isinstance(result, VTensorType)
    if not isinstance(kind, Attribute):
        kind = VTensorType.of(kind, result.dtype)
    return insert_value(op, plain_op(name)(given, [kind], location=op.location))


def _erase_unused(value: SSAValue) -> None:
    """Erase what has made a tensor side by side, if nobody uses it any more."""
    pending = [value]
    while pending:
        op = pending.pop().owner
        if not isinstance(op, Operation) or any(one.uses for one in op.results):
            continue
        is_list = isinstance(op, (ConstantOp, ListConstructOp))
        if is_list or op.name == "torch.aten.cat":
            pending += dict.fromkeys(op.operands)
            erase(op)
