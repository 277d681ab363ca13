"""Operands that are there only if what was assumed of them holds in the run.

Before                                  After
------                                  -----
%y = dycl.invoke %x "select"(%one, %k)  %i = dycl.position %k in 4 : i64 else ".."
%z = dycl.binary add %batch, %x         %y = torch.aten.select.int %x, %int1, %i
dycl.return %y, %z                      %n = dycl.dim %batch 0
                                        %c = dycl.compare eq %n, %three
                                        %u = dycl.checked %batch, %c ".."
                                        %z = torch.aten.add.Tensor %u, %x, %int1
                                        dycl.return %y, %z

Each function gives operands in place of others, by leaf.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import Scalar, Tensor, kind_of
from dycl.analysis.tracing.graph import Input, Trace, Untraceable
from dycl.analysis.tracing.open_numbers import INDEXED
from dycl.ir import CheckedOp
from dycl.ir.rewriting import insert_before, insert_value
from dycl.passes.expansion.jobs import Job, ValueOf
from dycl.passes.expansion.number_as_tensor import fitting
from dycl.passes.expansion.size_messages import message_of
from dycl.passes.expansion.sizes import Named, emit_size
from dycl.passes.expansion.slices import in_range, narrowed

_SCATTERS = ("torch.aten.select_scatter", "torch.aten.slice_scatter")
UNKNOWN_SIZE = "a size here depends on the input in an unknown way"


def indices_in_range(job: Job, found: Trace, value_of: ValueOf) -> dict[int, SSAValue]:
    """An index of `select` or `narrow`, by leaf: a kernel reads where it says."""
    op, given = job.op, job.abstract_leaves
    for node in found.nodes:
        places = [p.leaf for p in node.operands[1:] if isinstance(p, Input)]
        if not places or isinstance(given[places[0]], Tensor):
            continue
        if node.op in _SCATTERS:
            raise Untraceable(f"{node.op[6:]} at a data-dependent index")
        if node.op not in INDEXED:
            continue
        source, dim, index = node.operands[0], node.operands[1], node.operands[2]
        tensor = given[source.leaf] if isinstance(source, Input) else None
        if not isinstance(tensor, Tensor) or not isinstance(index, Input):
            raise Untraceable(UNKNOWN_SIZE)
        dim = cast(int, dim) % len(tensor.shape)
        size = tensor.shape[dim]
        if not isinstance(size, int):
            continue
        number = value_of(job.leaves[index.leaf], op)
        if node.op == "torch.aten.narrow":
            length = node.operands[3]
            if not isinstance(length, int):
                continue
            return {index.leaf: narrowed(number, length, size, op)}
        error = "IndexError: select(): index {} out of range for tensor of size "
        error += f"{list(tensor.shape)} at dimension {dim}"
        return {index.leaf: in_range(number, size, number, error, op)}
    return {}


def fitting_numbers(
    job: Job, found: Trace, value_of: Callable[[int], SSAValue]
) -> dict[int, SSAValue]:
    """Numbers that become elements, by leaf: they are there only if they fit."""
    result: dict[int, SSAValue] = {}
    for one in found.converted:
        kind = kind_of(job.abstract_leaves[one.leaf])
        number = result.get(one.leaf) or value_of(one.leaf)
        if kind is not None:
            put = partial(insert_value, job.op)
            result[one.leaf] = fitting(number, kind, one.dtype, one.how, put)
    return result


def checked_sizes(
    job: Job,
    value_of: ValueOf,
    size_of: Named,
    input_names: Mapping[str, str],
    named: Mapping[str, tuple[SSAValue, int]],
) -> dict[int, SSAValue]:
    """An operand of the op, by leaf, that is there only if the sizes fit.

    `input_names`: what the user calls sizes of inputs; `named`: what all names are.
    """
    assert job.outcome is not None
    op, requires = job.op, job.outcome.requires
    if not requires:
        return {}
    number, _ = next(
        (n, leaf)
        for n, leaf in enumerate(job.abstract_leaves)
        if isinstance(leaf, (Tensor, Scalar))
    )
    value = value_of(job.leaves[number], op)
    for required in requires:
        condition = emit_size(required.relation, op, size_of)
        message = message_of(required, op, input_names, named)
        checked = CheckedOp(value, condition, message)
        insert_before(op, checked)
        value = checked.result
    return {number: value}
