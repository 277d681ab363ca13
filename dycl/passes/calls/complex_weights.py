"""Complex weights: a record of two real ones is read in the place of such a tensor.

The frontend has a complex parameter or buffer as an object with two attributes, `real`
and `imag`, which are parameters of the IR. Where an op is given that object, or reads
an attribute that is one, it is given a `dycl.record` of `Complex` with these two
instead, as of the tensors that the network makes.

Before                          After
------                          -----
%y = dycl.call %sigmoid(%wave)  %t = dycl.tuple(%wave_real, %wave_imag)
dycl.return %y                  %w = dycl.record %t as #Complex
                                %y = dycl.call %sigmoid(%w)
                                dycl.return %y
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from xdsl.ir import Operation, SSAValue

from dycl.ir import GetattrOp, RecordOp, SetattrOp, TupleOp
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.records import DATACLASS, RecordType
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.values import ObjectRef
from dycl.passes.calls.refusals import Refused
from dycl.prelude import COMPLEX_RECORD

_MAKER = f"{COMPLEX_RECORD.rpartition('.')[0]}.view_as_complex"
"""A function that mentions the class, which nothing may have done before: where it is
in the module, the class is."""


def open_complex(
    op: Operation, environment: Environment, function: Callable[[str], object]
) -> None:
    """Put records in the place of complex weights among the operands of an op, and of
    the one that an attribute is.

    `function` finds functions in the module, or raises Absent. Refused: one is set.
    """
    weights = [environment.members(v.path) for v in _weights(op.operands, environment)]
    found = None
    if isinstance(op, (GetattrOp, SetattrOp)):
        found = _attribute(op, environment)
    if found is not None and isinstance(op, SetattrOp):
        raise Refused("DY206", _SET.format(op.attribute.data), _HELP)
    if not weights and found is None:
        return
    try:
        environment.members(_TYPE.path)
    except NotEvaluated:
        function(_MAKER)
    for index, operand in enumerate(op.operands):
        for weight in _weights([operand], environment):
            op.operands[index] = _record(op, environment.members(weight.path))
    if found is not None:
        op.results[0].replace_all_uses_with(_record(op, found))


_SET = "the complex tensor `{}` of the model is set while the network runs"
_HELP = "keep its `real` and its `imag` in two buffers, and set these"


def _attribute(
    op: GetattrOp | SetattrOp, environment: Environment
) -> Mapping[str, object] | None:
    """The parts of the complex weight that an attribute is; None: it is none."""
    owner, name = constant_value(op.operands[0]), op.attribute.data
    if not isinstance(owner, ObjectRef):
        return None
    value = environment.members(owner.path).get(name)
    if not isinstance(value, ObjectRef) or not _is_weight(value, environment):
        return None
    if isinstance(op, GetattrOp) and environment.changes(owner.path, name):
        return None
    return environment.members(value.path)


def _weights(
    values: Iterable[SSAValue], environment: Environment
) -> Iterator[ObjectRef]:
    for value in values:
        constant = constant_value(value)
        if isinstance(constant, ObjectRef) and _is_weight(constant, environment):
            yield constant


def _is_weight(value: ObjectRef, environment: Environment) -> bool:
    is_class = value.path.startswith("class ")
    return not is_class and environment.class_name(value.path) == COMPLEX_RECORD


def _record(op: Operation, parts: Mapping[str, object]) -> SSAValue:
    """The record of a complex weight, in front of an op."""
    values = [insert_constant(op, parts[name]) for name in _TYPE.fields]
    return insert_value(op, RecordOp(insert_value(op, TupleOp(values)), _TYPE))


_TYPE = RecordType(COMPLEX_RECORD, DATACLASS, ("real", "imag"))
