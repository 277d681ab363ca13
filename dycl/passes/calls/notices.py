"""Notices of libraries: methods that they give to Python's loggers.

Before                                    After
------                                    -----
%n = dycl.invoke %log "warning_once"(%s)  dycl.return %none
dycl.return %n

They tell once in a process how the library is used, and change no value. Python's own
methods of a logger are effects of the run.
"""

from xdsl.ir import SSAValue

from dycl.diag import remark
from dycl.ir import InvokeOp
from dycl.ir.constant_values import constant_value
from dycl.ir.rewriting import insert_constant
from dycl.ir.values import LoggerRef

_ONCE = {
    "info_once": "transformers: `info`, the first time in a process",
    "warning_advice": "transformers: `warning`, unless an environment variable is set",
    "warning_once": "transformers: `warning`, the first time in a process",
}
"""By name, what the method does: no number and no tensor depends on it."""


def without_notice(op: InvokeOp) -> SSAValue | None:
    """None in the place of a notice; no value: it is another call."""
    if op.method.data not in _ONCE:
        return None
    if not isinstance(constant_value(op.receiver), LoggerRef):
        return None
    remark(op, "left out", "a notice of a library")
    return insert_constant(op, None)
