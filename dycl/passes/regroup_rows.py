"""`dycl-regroup-rows`: a program of one row is run for many, each on its own way.

Before, of one row, and After, of many:

    func.func @f(%x) {dycl.rows = ["x"]} {  func.func @f(%x) {dycl.row_results = {...}}
      %p = torch.aten.tanh %x                 %p = torch.aten.tanh %x
      %c = dycl.item %p                       (the rows with %c first: %order, %t)
      dycl.if %c {                            dycl.if %some { (for the first %t rows) }
        dycl.return %p                        (the others, as `[?,1]`, from here on)
      }                                       dycl.return %events, %rows, %ps

Needs:  `dycl-check-typed`. Equal products become one first, as in
        `dycl-share-subexpressions`: of other rows they are not equal any more.
        A profile's counts of rows (`dycl.row_counts`) say how likely each side is.
        Names without a value are checked here (DY303): zeros stand in for them.
Leaves: a program whose inputs of `dycl.rows` have any number of rows: at each decision
        rows part, and a side is run once for all that take it. It returns, for each
        way out, the numbers of the rows that took it and their results, and the
        decisions that rows took (`dycl/passes/rows/results.py`).
Skips:  a program with an op for which no rule says what it is for many rows
        (`dycl/passes/rows/tensor_rules.py`), or with effects, state, trees, or lists
        that differ from row to row; unless `always`, one that loses by it, as networks
        of convolutions with few weights do (`dycl/passes/rows/gains.py`). The runtime
        calls it row by row. A remark says so.
"""

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import UnboundOp
from dycl.ir.datatypes import NodeType
from dycl.ir.functions import argument_names, entry_function, returns_in
from dycl.ir.input_sizes import SIZES, InputSize, sizes_attr
from dycl.ir.row_marks import ROW_COUNTS, ROW_RESULTS, ROWS, rows_of
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.walking import ops_in, walk
from dycl.passes.check_typed import check_typed
from dycl.passes.rows.batches import CannotRegroup, batched, dtype_in
from dycl.passes.rows.convolutions import weights_are_far
from dycl.passes.rows.emission import take_place
from dycl.passes.rows.gains import loses
from dycl.passes.rows.loops import Loops
from dycl.passes.rows.row_numbers import row_numbers
from dycl.passes.rows.row_sets import RowSet
from dycl.passes.rows.shares import Shares
from dycl.passes.rows.varying import Varying
from dycl.passes.share_subexpressions import share_products

SIZE = "rows"
"""What the number of rows is called."""


@dataclass(frozen=True)
class RegroupRowsPass(ModulePass):
    """A program of one row is run for many, each on its own way."""

    name = "dycl-regroup-rows"

    always: bool = False
    """Whether rows are also computed together where each alone is faster."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Write the entry function anew, if it is marked.

        CompileErrors: a name has no value on some path, as `dycl-check-typed` says it.
        """
        entry = entry_function(op)
        if entry is None or ROWS not in entry.attributes:
            return
        if any(isinstance(inner, UnboundOp) for inner in walk(entry)):
            # Which rows have a value of a name can be followed before they are parted.
            check_typed(ctx, op)
        try:
            _regroup(entry, self.always)
        except CannotRegroup as reason:
            remark(reason.op, "run row by row", reason.why)
        entry.attributes.pop(ROW_COUNTS, None)


def _cannot(entry: FuncOp) -> str | None:
    """The reason to leave a function alone, or None."""
    if "dycl.state" in entry.attributes:
        return "what it keeps from call to call is one state, in the order of the rows"
    if SIZES in entry.attributes:
        return "its inputs have other sizes that a call decides"
    arguments = entry.body.block.args
    for name, argument in zip(argument_names(entry), arguments, strict=True):
        kind = argument.type
        if name in rows_of(entry) and isinstance(kind, NodeType):
            return f"each row of `{name}` is a tree of its own"
        if name in rows_of(entry) and (
            not isinstance(kind, VTensorType) or (kind.sizes() or ())[:1] != (1,)
        ):
            return f"the first size of `{name}` is not 1"
    return None


def _regroup(entry: FuncOp, always: bool) -> None:
    """Raises CannotRegroup; products are shared then, and all else is as before."""
    if (why := _cannot(entry)) is not None:
        raise CannotRegroup(entry, why)
    old = entry.body.block
    share_products(old)
    names, wanted = argument_names(entry), rows_of(entry)
    rows = [a for name, a in zip(names, old.args, strict=True) if name in wanted]
    varying = Varying(entry, rows)
    shares = Shares(entry)
    are_far = weights_are_far(old, varying)
    costly = None if always else loses(old, varying, shares, are_far=are_far)
    if costly is not None:
        raise CannotRegroup(costly, "a group of rows takes longer here than each alone")
    ways = {(op.structure, tuple(op.values.types)) for op in returns_in(old)}
    is_native = len(ways) == 1
    numbers = row_numbers(
        old, varying, shares, in_native_code=is_native, are_far=are_far
    )
    types = [
        cast(Attribute, batched(a.type)) if a in rows else a.type for a in old.args
    ]
    block = Block(arg_types=types)
    program = Loops(block, entry, varying)
    for before, after in zip(old.args, block.args, strict=True):
        take_place(after, before)
        if before not in rows:
            program.uniform[before] = after
    first = next(a for a, b in zip(block.args, old.args, strict=True) if b in rows)
    places = program.emit.places(program.emit.rows(first))
    root = RowSet(None, places, program.emit.count(first))
    for before, after in zip(old.args, block.args, strict=True):
        if before in rows:
            root.values[before] = after
    program.root = root
    program.results.begin(program)
    program.block(list(ops_in(old)), root)
    program.results.end(program, program.emit)
    _take_over(entry, block, wanted)
    found = program.results.described(_row_bytes(block), numbers, are_far=are_far)
    entry.attributes[ROW_RESULTS] = found


def _take_over(entry: FuncOp, block: Block, rows: list[str]) -> None:
    region = entry.body
    region.detach_block(region.block).erase(safe_erase=False)
    region.add_block(block)
    entry.update_function_type()
    places = tuple((name, 0) for name in rows)
    entry.attributes[SIZES] = sizes_attr([InputSize(SIZE, 0, None, places)])


def _row_bytes(block: Block) -> int:
    """The size of a row in the largest batch."""
    largest = 0
    for op in walk(block):
        for kind in op.result_types:
            sizes = kind.sizes() if isinstance(kind, VTensorType) else None
            if sizes and sizes[0] == DYNAMIC and DYNAMIC not in sizes[1:]:
                element = -(-getattr(dtype_in(kind), "bitwidth", 64) // 8)
                largest = max(largest, prod(sizes[1:]) * element)
    return largest
