"""A call of an enum's class gives the member that has the value.

Before                      After
------                      -----
%m = dycl.call %Level(%two) dycl.return %high
dycl.return %m
"""

from collections.abc import Sequence

from dycl.diag import remark
from dycl.ir import CallOp, InvokeOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.rewriting import insert_constant, replace
from dycl.ir.values import ObjectRef
from dycl.passes.calls.refusals import Refused, name_of

_PLAIN = (bool, int, float, str, tuple)


def choose_member(
    op: CallOp | InvokeOp,
    callee: ObjectRef,
    members: Sequence[tuple[object, ObjectRef]],
) -> None:
    """Replace the call where its argument is known. Refused: no member has it."""
    if len(op.positional) != 1 or op.keyword_arguments or op.is_starred:
        what = f"{name_of(callee)} is called with more than a value"
        raise Refused("DY201", what, "give it the value of a member")
    value = constant_value(op.positional[0])
    if value is MISSING:
        remark(op, "not inlined", "which member this is is not known")
        return
    for known, member in members:
        if value == member or (isinstance(known, _PLAIN) and known == value):
            replace(op, [insert_constant(op, member)])
            return
    what = f"no member of {name_of(callee)} is known to have this value"
    raise Refused("DY201", what, "eager may raise ValueError here: give it another")
