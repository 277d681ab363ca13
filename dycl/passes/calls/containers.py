"""Objects that are dicts or lists: methods of the base class that only read.

Before                                  After
------                                  -----
%v = dycl.invoke %registry "get"(%key)  %d = dycl.constant #dycl.dict<["a", 1 : i64]>
dycl.return %v                          %v = dycl.invoke %d "get"(%key)
                                        dycl.return %v

`super().get(key)` inside the class is such a call, too, and `super().__getitem__(key)`
a subscript. What changes the object is no
method of these, and is refused.
"""

from dycl.ir import InvokeOp, SubscriptOp
from dycl.ir.constant_values import constant_value
from dycl.ir.containers import reading_method
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_constant
from dycl.ir.values import ObjectRef


def read_of_container(
    op: InvokeOp, environment: Environment
) -> InvokeOp | SubscriptOp | None:
    """The read of the plain dict or list that an object is; None: it is another."""
    owner = constant_value(op.receiver)
    if not isinstance(owner, ObjectRef):
        return None
    members = environment.members(owner.path)
    method = reading_method(members, op.method.data)
    is_subscript = method == "__getitem__"
    if method is None or (is_subscript and len(op.operands) != 2):
        return None
    items = insert_constant(op, members["__items__"])
    if is_subscript:
        return SubscriptOp(items, op.operands[1])
    return InvokeOp(items, method, list(op.arguments), op.keyword_names)
