"""`dycl-specialize-sizes`: the sizes that a user names have versions of the network.

Before                           After
------                           -----
%y = dycl.invoke %batch "exp"()  %n = dycl.dim %batch 0
dycl.return %y                   %is = dycl.compare eq %n, %three
                                 dycl.if %is {
                                   %v = dycl.refine %batch
                                   %z = dycl.invoke %v "exp"()
                                   dycl.return %z
                                 }
                                 %y = dycl.invoke %batch "exp"()
                                 dycl.return %y

Here `dycl.sizes` of the entry has `#dycl.size<"n", 0 to 40 for 3, "batch" 0>`, and `%v`
is a tensor of 3 rows.

Where several sizes have versions, each is for one choice of all of them: `h == 224 and
w == 320`. A call of other sizes runs what was there. All versions have the same
weights, and kernels that come out equal are one (`dycl-share-kernels`).

Needs:  the program as it was imported: an entry without state.
Leaves: the tests of sizes before all else; in each version, inputs of known size.
Skips:  an entry whose sizes have no versions, or that has them (`dycl.specialized`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.ir import BinaryOp, CompareOp, DimOp, IfOp, RefineOp, YieldOp
from dycl.ir.cloning import clone
from dycl.ir.functions import argument_names, entry_function
from dycl.ir.input_sizes import InputSize, sizes_of, versions_of, words
from dycl.ir.rewriting import erase, insert_before, insert_constant, insert_value
from dycl.ir.torch import BoolT, IntT, VTensorType
from dycl.ir.walking import ops_in

_DONE = "dycl.specialized"


@dataclass(frozen=True)
class SpecializeSizesPass(ModulePass):
    """The sizes that a user names have versions of the network."""

    name = "dycl-specialize-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks or _DONE in entry.attributes:
            return
        sizes = sizes_of(entry)
        if not (versions := versions_of(sizes)):
            return
        body = list(ops_in(entry.body.block))
        for version in versions:
            _add(entry, body, sizes, version)
        entry.attributes[_DONE] = UnitAttr()


def _add(
    entry: FuncOp,
    body: Sequence[Operation],
    sizes: Sequence[InputSize],
    version: Mapping[str, int],
) -> None:
    """Put a version in front of what `body` does."""
    arguments = dict(zip(argument_names(entry), entry.body.block.args, strict=True))
    fixed: dict[str, dict[int, int]] = {}
    tests: list[SSAValue] = []
    for size in sizes:
        if (value := version.get(size.name)) is None:
            continue
        for name, dimension in size.places:
            fixed.setdefault(name, {})[dimension] = value
        name, dimension = size.places[0]
        tests.append(_is(arguments[name], dimension, value, body[0]))
    condition = tests[0]
    for test in tests[1:]:
        condition = insert_value(body[0], BinaryOp("and", condition, test, BoolT))
    inner = Block([YieldOp()])
    taken = Region(inner)
    text: dict[str, Attribute] = {"test": StringAttr(words(version))}
    choice = IfOp(condition, [], taken, Region(Block([YieldOp()])), text)
    insert_before(body[0], choice)
    _fill(inner, body, {arguments[name]: known for name, known in fixed.items()})


def _is(argument: SSAValue, dimension: int, value: int, anchor: Operation) -> SSAValue:
    """Whether a dimension of an input has this size."""
    size = insert_value(anchor, DimOp(argument, dimension, IntT))
    number = insert_constant(anchor, value, IntT)
    return insert_value(anchor, CompareOp("eq", size, number, BoolT))


def _fill(
    inner: Block,
    body: Sequence[Operation],
    fixed: Mapping[SSAValue, Mapping[int, int]],
) -> None:
    """Have a block do what `body` does, of inputs with known sizes."""
    end = inner.last_op
    assert end is not None
    values: dict[SSAValue, SSAValue] = {}
    for argument, known in fixed.items():
        assert isinstance(argument.type, VTensorType)
        shape = dict(enumerate(argument.type.sizes() or ())) | dict(known)
        type_ = VTensorType.of(list(shape.values()), argument.type.element_type())
        values[argument] = insert_value(end, RefineOp(argument, type_))
    insert_before(end, *(clone(op, values) for op in body), source=body[0])
    erase(end)
