"""`x.new(size)` and `torch.Tensor(size)` are `new_empty` and `empty` of that size.

Before                           After
------                           -----
%y = dycl.invoke %x "new"(%two)  %y = dycl.invoke %x "new_empty"(%two)
dycl.return %y                   dycl.return %y

What `new` makes of a size has no values yet; a trace of it would have those that the
memory had at compile time. Of a size that a run decides, `numel()` is a product.
"""

from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import VALUE, OpenSizes, Tensor, kind_of
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    BinaryOp,
    CallOp,
    InvokeOp,
    SubscriptOp,
    legacy_tensors,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.values import GlobalRef, is_torch_size


def make_empty(op: CallOp | InvokeOp, inference: Inference) -> bool:
    """Rewrite a call, if it is one of these and is of a size; done?"""
    if isinstance(op, InvokeOp) and op.method.data == "numel":
        return _multiply(op, inference)
    if op.keyword_names or not _are_sizes(list(op.arguments), inference):
        return False
    if isinstance(op, InvokeOp):
        is_tensor = isinstance(inference.of(op.receiver), Tensor)
        if not is_tensor or op.method.data != legacy_tensors.METHOD:
            return False
        replace(op, InvokeOp(op.receiver, "new_empty", list(op.arguments), []))
        return True
    name = constant_name(op.callee)
    if name not in legacy_tensors.CLASSES:
        return False
    arguments, keywords = list(op.arguments), list[str]()
    if dtype := legacy_tensors.CLASSES[name]:
        arguments.append(insert_constant(op, GlobalRef(dtype)))
        keywords.append("dtype")
    empty = insert_constant(op, GlobalRef("torch.empty"))
    replace(op, CallOp(empty, arguments, keywords))
    return True


def _multiply(op: InvokeOp, inference: Inference) -> bool:
    """`x.shape.numel()` of open sizes is their product; done?"""
    sizes = inference.of(op.receiver)
    if op.arguments or is_torch_size(sizes) or not _is_shape(op.receiver, inference):
        return False
    assert isinstance(sizes, tuple)
    total = insert_constant(op, 1)
    for i in range(len(cast("tuple[object, ...]", sizes))):
        item = SubscriptOp(op.receiver, insert_constant(op, i))
        total = insert_value(op, BinaryOp("mul", total, insert_value(op, item), VALUE))
    replace(op, [total])
    return True


def _are_sizes(arguments: list[SSAValue], inference: Inference) -> bool:
    """Whether these are ints, or a `torch.Size`."""
    if len(arguments) == 1 and _is_shape(arguments[0], inference):
        return True
    return bool(arguments) and all(
        kind_of(inference.of(argument)) == "int" for argument in arguments
    )


def _is_shape(value: SSAValue, inference: Inference) -> bool:
    """Whether a value is a `torch.Size`, or a tensor's of which a size is open."""
    known = inference.of(value)
    return is_torch_size(known) or isinstance(known, OpenSizes)
