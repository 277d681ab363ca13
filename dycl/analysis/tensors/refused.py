"""Ops that are not run on fake tensors, and what to say of each."""

from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.analysis.memory.effects import TEXT_OF, why_not_called
from dycl.analysis.tensors.abstract import (
    Bound,
    Node,
    Scalar,
    Tensor,
    Unknown,
    leaves,
    name,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.ir import BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp, UnaryOp
from dycl.ir.environment import Environment
from dycl.ir.records import Record
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    UnsupportedRef,
)
from dycl.prelude import TENSORS
from dycl.support.reasons import EAGER_RAISES, UNORDERED, Reason, code_of

NO_NODE = "this cannot be done with a node of a tree"


def _is_stand_in(value: object) -> bool:
    return isinstance(value, Record) and value.type.name in TENSORS


def _asks_python(op: Operation, operands: Sequence[object]) -> bool:
    """Whether Python would run what the class of a record says, or torch be given one.

    What is asked of the record itself is no such thing, nor is what it is put into.
    """
    match op, operands:
        case CompareOp(), _:
            return op.kind_name not in ("is", "is_not")
        case CallOp(), [GlobalRef("builtins.isinstance"), _, classes]:
            return "torch." in repr(classes)
        case CallOp(), [GlobalRef() | ObjectRef(), *_]:
            return True
        case _:
            return isinstance(op, (BinaryOp, InplaceOp, InvokeOp, UnaryOp))


def refusal(
    op: Operation, operands: Sequence[object], environment: Environment
) -> str | None:
    """Why an op cannot be run on abstract values; "" for "not yet", None if it can."""
    parts = [leaf for tree in operands for leaf in leaves(tree)]
    kinds = set(map(type, parts))
    if any(issubclass(kind, (Bound, Unknown)) for kind in kinds):
        return ""
    if ListOf in kinds:
        return "this cannot be done with a list whose length the input decides"
    if Node in kinds and _compares_items(op):
        return NO_NODE
    if UnsupportedRef in kinds:
        return next(leaf.reason for leaf in parts if isinstance(leaf, UnsupportedRef))
    if Tensor in kinds and _makes_text(op, operands):
        return "a tensor cannot be written as text without torch"
    if any(map(_is_stand_in, operands)) and _asks_python(op, operands):
        return "what this does with a tensor that a record stands for is not known"
    match op, operands:
        case CallOp(), [ObjectRef(path), *_]:
            return None if environment.is_leaf(path) else ""
        case InvokeOp(), [ObjectRef(path), *_]:
            forward = op.method.data == "forward" and environment.is_leaf(path)
            return None if forward else ""
        case CallOp(), [FunctionRef() | MethodRef(), *_]:
            return ""
        case CallOp(), [GlobalRef("builtins.isinstance"), Tensor(), classes]:
            # What a fake one is says nothing.
            if "torch.nn.parameter." in repr(classes):
                return "whether this tensor is a parameter of the model is not known"
        case CallOp(), [GlobalRef("builtins.set" | "builtins.frozenset"), *_]:
            what = (
                "a set that is changed, that holds what the input decides, or whose "
                "order matters, cannot be compiled"
            )
            return Reason(what, UNORDERED)
        case CallOp(), [GlobalRef("collections.OrderedDict"), *_]:
            return "an OrderedDict that is handed on cannot be compiled"
        case CallOp(), [GlobalRef("collections.defaultdict"), *_]:
            return "a defaultdict that is handed on cannot be compiled"
        case CallOp(), [GlobalRef(function), *_]:
            return why_not_called(function)
        case InvokeOp(), [Tensor() | ParamRef(), *_] if op.method.data == "data_ptr":
            return "where a tensor lies in memory is not known"
        case InvokeOp(), [GlobalRef(root), *_]:
            return why_not_called(f"{root}.{op.method.data}")
        case CallOp(), [callee, *_]:
            return f"{name(callee)} cannot be called"
        case _:
            pass
    return None


def _compares_items(op: Operation) -> bool:
    """Whether an op asks which of its operands, or of their items, are equal: nodes are
    alike here where their data types are, and not in a run."""
    match op:
        case CompareOp():
            return op.kind_name not in ("is", "is_not")
        case InvokeOp():
            return op.method.data in _COMPARING
        case _:
            return False


_COMPARING = ("count", "index", "remove", "__contains__", "__eq__", "__ne__")


def _makes_text(op: Operation, operands: Sequence[object]) -> bool:
    match op, operands:
        case CallOp(), [GlobalRef(name), *_]:
            return name in TEXT_OF
        case InvokeOp() | BinaryOp(), [str(), *_]:
            return True
        case _:
            return False


def without_samples(reason: str, operands: Sequence[object]) -> str:
    """The reason, unless it is an error of a sample that stands for a number or text of
    the run: eager has another one there."""
    is_open = any(
        isinstance(leaf, Scalar) for tree in operands for leaf in leaves(tree)
    )
    if is_open and code_of(reason) == EAGER_RAISES:
        return "this cannot be done with a number or text that the input decides"
    return reason
