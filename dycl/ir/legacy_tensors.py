"""`torch.Tensor(v)` and `x.new(v)`: of a `torch.Size` a size, else the elements.

A size with an open part is a tuple like any other in the IR. So a call of one is
written `x.new_empty(v)` while it is known to be one (`dycl-infer-shapes`), and a call
of any other tuple with an open size is not evaluated: it may have been one.
"""

from collections.abc import Sequence
from typing import cast

from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.values import GlobalRef

METHOD = "new"
"""The method of tensors."""
CLASSES = {
    "torch.Tensor": "",
    "torch.BFloat16Tensor": "torch.bfloat16",
    "torch.BoolTensor": "torch.bool",
    "torch.ByteTensor": "torch.uint8",
    "torch.CharTensor": "torch.int8",
    "torch.DoubleTensor": "torch.float64",
    "torch.FloatTensor": "torch.float32",
    "torch.HalfTensor": "torch.float16",
    "torch.IntTensor": "torch.int32",
    "torch.LongTensor": "torch.int64",
    "torch.ShortTensor": "torch.int16",
}
"""The classes that are called, each with its dtype, or "" for the default."""


def refuse_maybe_size(callee: object, arguments: Sequence[object]) -> None:
    """NotEvaluated: a call of one of these, on a tuple of which a size is open."""
    if len(arguments) != 1 or type(arguments[0]) is not tuple or not _is_one(callee):
        return
    items = cast("tuple[object, ...]", arguments[0])
    if any(type(item).__name__ == "SymInt" for item in items):
        raise NotEvaluated(
            "a tensor of a tuple, which may be its size or its elements: write "
            "`x.new_empty(size)`, `torch.empty(size)`, or `torch.tensor(elements)`"
        )


def _is_one(callee: object) -> bool:
    if isinstance(callee, GlobalRef):
        return callee.name in CLASSES
    owner = getattr(callee, "__self__", None)
    return getattr(callee, "__name__", "") == METHOD and hasattr(owner, "new_empty")
