"""Objects that are dicts or lists: methods of the base class that only read.

Before                                  After
------                                  -----
%v = dycl.invoke %registry "get"(%key)  %d = dycl.constant #dycl.dict<["a", 1 : i64]>
dycl.return %v                          %v = dycl.invoke %d "get"(%key)
                                        dycl.return %v

`super().get(key)` inside the class is such a call, too. What changes the object is no
method of these, and is refused.
"""

from dycl.ir import InvokeOp
from dycl.ir.constant_values import constant_value
from dycl.ir.containers import reading_method
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_constant
from dycl.ir.values import ObjectRef


def read_of_container(op: InvokeOp, environment: Environment) -> InvokeOp | None:
    """The call on the plain dict or list that an object is; None: it is another."""
    owner = constant_value(op.receiver)
    if not isinstance(owner, ObjectRef):
        return None
    members = environment.members(owner.path)
    method = reading_method(members, op.method.data)
    if method is None:
        return None
    items = insert_constant(op, members["__items__"])
    return InvokeOp(items, method, list(op.arguments), op.keyword_names)
