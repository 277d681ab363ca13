"""Writes in place to what a call of a local function hands on.

A function that is kept takes copies of tensors and gives copies. So a tensor that it is
given, or gives without having made it, must not be written to: in eager the caller, or
the model, would see that.
"""

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.memory.families import Families
from dycl.analysis.memory.mutation import written_by
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.ir import CallOp, DictOp, ListOp, LocalCallOp, LocalFunctionOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.values import ParamRef
from dycl.ir.walking import walk
from dycl.passes.lists.recursions import is_given_list


def shared_writes(entry: FuncOp, inference: Inference) -> Iterator[Operation]:
    """The ops that write to what a recursion shares with its callers."""
    functions = local_functions(entry)
    if not functions:
        return
    structures = Structures(inference)
    calls = [op for op in walk(entry) if isinstance(op, LocalCallOp)]
    giving: set[LocalFunctionOp] = set()
    while True:
        families = Families(inference, structures)
        families.collect(entry.body.block)
        for call in calls:
            if call.function in giving:
                _unite_all(families, [*call.arguments, *call.results])
        foreign = {
            families.find(leaf)
            for value in _foreign(functions, calls, giving)
            for leaf in structures.leaves(value)
        }
        foreign |= {families.find(leaf) for leaf in families.known}
        more = {f for f in functions if _gives(f, families, foreign)} - giving
        if not more:
            break
        giving |= more
    inside = {op for function in functions for op in walk(function)}
    for op in walk(entry):
        for value in written_by(op, inference.environment):
            if not _may_be_of_tensor(op, value):
                continue
            for leaf in structures.leaves(value):
                known = isinstance(leaf, Known)
                of_model = known and op in inside and isinstance(leaf.value, ParamRef)
                if of_model or (not known and families.find(leaf) in foreign):
                    yield op


def _may_be_of_tensor(op: Operation, written: SSAValue) -> bool:
    """Whether an op may write to tensors: a call of what nobody knows, and a change of
    a list or dict, are refused as such."""
    if isinstance(op, CallOp):
        return constant_value(op.callee) is not MISSING
    is_made = isinstance(written.owner, (DictOp, ListOp))
    return not is_made and not is_given_list(written)


def _foreign(
    functions: list[LocalFunctionOp],
    calls: list[LocalCallOp],
    giving: set[LocalFunctionOp],
) -> Iterator[SSAValue]:
    """What is in the hands of a caller, too."""
    for function in functions:
        yield from function.params
    for call in calls:
        if call.function in giving:
            yield from call.results


def _gives(function: LocalFunctionOp, families: Families, foreign: set[Leaf]) -> bool:
    """Whether a function may give a tensor that it has not made."""
    return any(
        isinstance(leaf, Known) or families.find(leaf) in foreign
        for end in function.returns
        for value in end.values
        for leaf in families.structures.leaves(value)
    )


def _unite_all(families: Families, values: list[SSAValue]) -> None:
    leaves = [leaf for v in values for leaf in families.structures.leaves(v)]
    tensors = [leaf for leaf in leaves if not isinstance(leaf, Known)]
    for leaf in tensors[1:]:
        families.unite(tensors[0], leaf)
