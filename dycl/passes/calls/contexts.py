"""Context managers that change no value: what `with` calls of them is taken away.

Before                                               After
------                                               -----
%m = dycl.call %nullcontext(%x)                      dycl.return %x
%v = dycl.invoke %m "__enter__"()
%e = dycl.invoke %m "__exit__"(%none, %none, %none)
dycl.return %v
"""

from xdsl.ir import SSAValue

from dycl.ir import CallOp, ConstantOp, InvokeOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.contexts import AUTOCASTS, ENTER, EXIT, FILTERS, HARMLESS, NULL
from dycl.ir.rewriting import insert_before, insert_constant
from dycl.ir.values import GlobalRef, to_attr

_OTHER_DEVICES = ("cuda", "mps", "xpu")


def without_manager(op: InvokeOp) -> SSAValue | None:
    """What a call of `__enter__` or `__exit__` gives; None: it is another call."""
    manager = op.receiver.owner
    if op.method.data not in (ENTER, EXIT) or not isinstance(manager, CallOp):
        return None
    callee = constant_value(manager.callee)
    if not isinstance(callee, GlobalRef) or manager.is_starred:
        return None
    if callee.name == NULL:
        given = [*manager.positional, *manager.keyword_arguments.values()]
        if op.method.data == ENTER and given:
            return given[0]
    elif callee.name in AUTOCASTS:
        if op.result.uses or not _is_off(manager, AUTOCASTS[callee.name]):
            return None
    elif callee.name not in HARMLESS or (
        "record_function" in callee.name and op.result.uses
    ):
        return None
    constant = ConstantOp(to_attr(None))
    insert_before(op, constant)
    return constant.result


def without_filter(op: CallOp) -> SSAValue | None:
    """What a call gives that only says which warnings Python shows; None: another."""
    if constant_name(op.callee) not in FILTERS or op.is_starred:
        return None
    return insert_constant(op, None)


def _is_off(manager: CallOp, device: str | None) -> bool:
    """Whether an autocast is known to leave what runs on the CPU alone."""
    names = ["enabled", "dtype"]
    if device is None:
        names = ["device_type", "dtype", "enabled"]
    given = dict(zip(names, manager.positional, strict=False))
    given |= manager.keyword_arguments
    if device is None:
        device = (
            str(constant_value(given["device_type"])) if "device_type" in given else ""
        )
    enabled = constant_value(given["enabled"]) if "enabled" in given else True
    return device in _OTHER_DEVICES or (isinstance(enabled, int) and not enabled)
