"""What an op gives where no tensor is computed: constants, structures, sizes, numbers.

All of it is known from the abstract values of the operands alone; torch is not asked.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes import slices
from dycl.analysis.dynamic_sizes.ranges import always, is_of_inputs
from dycl.analysis.dynamic_sizes.size_texts import arithmetic, words
from dycl.analysis.dynamic_sizes.slice_sizes import least_or_most
from dycl.analysis.tensors.abstract import (
    Bound,
    Dim,
    Scalar,
    Tensor,
    Unknown,
    from_type,
    is_container,
    kind_of,
    leaves,
    map_leaves,
    sizes_of,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.abstract import name as words_for
from dycl.analysis.tensors.chosen_items import chosen_item
from dycl.analysis.tensors.fakes import said_by
from dycl.analysis.tensors.joining import join
from dycl.analysis.tensors.outcomes import Outcome, unknown
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    NodeType,
    RecordOp,
    SelectOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.environment import Environment
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.number_functions import NAMES, SUM, result_kind
from dycl.ir.semantics import evaluate
from dycl.ir.torch import TorchOp
from dycl.ir.values import (
    GlobalRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
)

_CALLED = NAMES - {SUM}
"""Functions that users call on numbers."""
BUILD = (TupleOp, ListOp, DictOp, SliceOp, RecordOp)
"""Ops that make a structure of their operands."""
TAKE_APART = (SubscriptOp, UnpackOp, GetattrOp)
"""Ops that give a part of their operand, if that is a structure."""


def makes_size(op: Operation, operands: Sequence[object]) -> bool:
    """Whether an op is `torch.Size` of ints, maybe open ones, in a tuple or list."""
    match op, operands:
        case CallOp(), [GlobalRef(name), tuple() | list() as sizes] if (
            name == TORCH_SIZE and not op.keyword_names
        ):
            return all(kind_of(s) == "int" for s in cast("Sequence[object]", sizes))
        case _:
            return False


def is_exact(found: Outcome, steps: list[slices.Step]) -> bool:
    """Whether a slice has a known size, whatever the size that it is a part of.

    So it is with `x[:, -1:]`, but for an empty whole, which raises.
    """
    if any(map(slices.has_input, steps)):
        return False
    (result,) = found.results
    if not isinstance(result, Tensor) or not result.is_static:
        return False
    return all(r.relation.endswith(" != 0") for r in found.requires)


def sizes_said(op: Operation, operands: Sequence[object]) -> object:
    """What an op says of the sizes of a tensor, some of them open: `len(x)`, `x.shape`,
    `x.size(k)`, `x.numel()`, `len(x.shape)`; None: it is something else.

    torch would reckon with names of two and more, for which `Max(n - 1, 0)` is `n - 1`.
    """
    match op, operands:
        case CallOp(), [GlobalRef("builtins.len"), Tensor(shape=[size, *_]) as x]:
            return None if x.is_static else _int_of(size)
        case CallOp(), [GlobalRef("builtins.len"), tuple() as sizes]:
            return len(cast("tuple[object, ...]", sizes))
        case GetattrOp(), [Tensor(is_static=False) as x]:
            is_shape = op.attribute.data == "shape"
            return sizes_of(map(_int_of, x.shape)) if is_shape else None
        case InvokeOp(), [Tensor(is_static=False) as x, *given]:
            if op.method.data == "size" and not given:
                return sizes_of(map(_int_of, x.shape))
            if op.method.data == "size" and len(given) == 1 and type(given[0]) is int:
                rank = len(x.shape)
                return _int_of(x.shape[given[0]]) if -rank <= given[0] < rank else None
            if op.method.data in ("nelement", "numel") and not given:
                count: int | Dim | None = 1
                for size in x.shape:
                    count = None if count is None else arithmetic("mul", count, size)
                return None if count is None else _int_of(count)
            return None
        case _:
            return None


def _int_of(size: int | Dim) -> int | Scalar:
    """A size as an int."""
    return Scalar("int", size) if isinstance(size, Dim) else size


def arithmetic_on_sizes(op: Operation, operands: Sequence[object]) -> Scalar | None:
    """What an int is that is computed from sizes of tensors."""
    given: list[int | Dim] = []
    if isinstance(op, UnaryOp) and op.kind_name == "neg":
        given.append(0)
    elif not isinstance(op, (BinaryOp, InplaceOp)):
        return None
    for operand in operands:
        if isinstance(operand, Scalar) and operand.size is not None:
            given.append(operand.size)
        elif type(operand) is int:
            given.append(operand)
    texts = [size.text for size in given if isinstance(size, Dim)]
    if len(given) != 2 or not any(w[0] == "d" for t in texts for w in words(t)):
        return None
    if op.kind_name in ("floordiv", "mod"):
        # Of other sizes, an op that takes the quotient is told of an int alone.
        divisor = given[1]
        if type(divisor) is not int or divisor < 1 or not is_of_inputs(texts[0]):
            return None
    kind = "sub" if isinstance(op, UnaryOp) else op.kind_name
    result = arithmetic(kind, given[0], given[1])
    return Scalar("int", result) if isinstance(result, Dim) else None


def settled_by_ranges(op: Operation, operands: Sequence[object]) -> bool | None:
    """What a comparison of sizes of inputs gives, if their ranges say so."""
    if not isinstance(op, CompareOp) or op.kind_name not in _RELATIONS:
        return None
    texts: list[str] = []
    for operand in operands:
        if isinstance(operand, Scalar) and operand.size is not None:
            texts.append(operand.size.text)
        elif type(operand) is int:
            texts.append(str(operand))
    if len(texts) < 2 or not is_of_inputs(" ".join(texts)):
        return None
    for kind, answer in ((op.kind_name, True), (_OPPOSITES[op.kind_name], False)):
        if always(f"({texts[0]}) {_RELATIONS[kind]} ({texts[1]})"):
            return answer
    return None


def _extreme_of_sizes(op: Operation, operands: Sequence[object]) -> Scalar | None:
    """What `max` or `min` of sizes of inputs gives: one of them, where the ranges say
    which. Another one is told to comparisons alone: to an op on tensors it is a number,
    since torch knows little of what is a `Max`."""
    match op, operands:
        case CallOp(), [GlobalRef("builtins.max" | "builtins.min" as name), _, _, *_]:
            given = list(map(_size_of, operands[1:]))
        case _:
            return None
    sizes = [size for size in given if size is not None]
    texts = " ".join(size.text for size in sizes if isinstance(size, Dim))
    if op.keyword_names or len(sizes) < len(given) or not is_of_inputs(texts):
        return None
    found = least_or_most(sizes, name.endswith("min"))
    is_compared = all(isinstance(u.operation, CompareOp) for u in op.results[0].uses)
    if not isinstance(found, Dim) or (found not in sizes and not is_compared):
        return None
    return Scalar("int", found)


def _size_of(value: object) -> int | Dim | None:
    if isinstance(value, Scalar):
        return value.size
    return value if type(value) is int else None


_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OPPOSITES = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def called_on_numbers(op: Operation, operands: list[object]) -> Scalar | None:
    """What a function of Python's gives of numbers one of which is open."""
    if (extreme := _extreme_of_sizes(op, operands)) is not None:
        return extreme
    match op, operands:
        case CallOp(), [GlobalRef(name), *given] if not op.keyword_names:
            kinds = [kind for v in given if (kind := kind_of(v)) is not None]
            if len(kinds) == len(given) and any(isinstance(v, Scalar) for v in given):
                kind = result_kind(name, kinds) if name in _CALLED else None
                return None if kind is None else Scalar(kind)
            return None
        case _:
            return None


def constant(op: ConstantOp) -> object:
    """The abstract value of a constant: a tensor by its shape and dtype, a None that
    stands for a node by its type."""
    if isinstance(op.result.type, NodeType):
        return from_type(op.result.type)
    try:
        value = from_attr(op.value)
    except NotAConstant as error:
        return Unknown(str(error))
    return map_leaves(value, _as_tensor)


def _as_tensor(leaf: object) -> object:
    if isinstance(leaf, (TensorConstant, ParamRef)):
        return Tensor.contiguous(leaf.shape, leaf.dtype)
    return leaf


def asks_for_gradients(op: GetattrOp, value: object) -> bool:
    """Whether a parameter may be meant: all else has no gradients, as in no_grad."""
    if not isinstance(value, (Tensor, ParamRef)):
        return False
    if op.attribute.data not in _OF_GRADIENTS:
        return False
    if isinstance(value.dtype, IntegerType):
        return False  # neither ints nor truths have gradients
    owner = op.operand.owner
    if isinstance(owner, Operation):
        return not isinstance(owner, (BinaryOp, CallOp, UnaryOp, TorchOp))
    above = owner.parent_op()
    return above is None or "dycl.entry" not in above.attributes


_OF_GRADIENTS = ("grad", "grad_fn", "is_leaf", "requires_grad")


def structural(
    op: Operation, operands: list[object], environment: Environment
) -> Outcome | None:
    """Putting together and taking apart: done on abstract values as they are."""
    open_ = (Tensor, Scalar, ListOf, Unknown)
    if isinstance(op, CallOp) and operands[0] == GlobalRef("functools.partial"):
        parts = [leaf for value in operands for leaf in leaves(value)]
        is_known = not any(isinstance(part, Unknown) for part in parts)
        return Outcome((Bound() if is_known else Unknown(),))
    if isinstance(op, CompareOp) and op.kind_name in ("is", "is_not"):
        # Fake tensors have no identity that means anything.
        if all(isinstance(o, Tensor) for o in operands):
            return unknown(op, "whether two tensors are one object is not known")
        kinds = {kind_of(o) for o in operands if isinstance(o, Scalar)}
        if all(isinstance(o, Scalar) for o in operands) and kinds != {"bool"}:
            return unknown(op, "whether two numbers are one object is not known")
    if isinstance(op, SelectOp):
        condition = operands[0]
        if isinstance(condition, open_):
            return Outcome((join(operands[1], operands[2]),))
        return Outcome((operands[1 if condition else 2],))
    if makes_size(op, operands):
        return Outcome((sizes_of(cast("Sequence[object]", operands[1])),))
    if (chosen := chosen_item(op, operands, _WHICH)) is not None:
        return chosen
    build = isinstance(op, BUILD)
    if isinstance(op, DictOp) and any(isinstance(k, open_) for k in operands[::2]):
        return unknown(op, "a dict key depends on the input")
    if not build and not (isinstance(op, TAKE_APART) and is_container(operands[0])):
        return None
    if isinstance(op, SubscriptOp) and isinstance(operands[1], open_):
        return _any_item(op, operands)
    try:
        return Outcome(tuple(evaluate(op, operands, environment)))
    except Exception as error:
        return unknown(op, said_by(error, str(error)))


def recorded(op: GetattrOp, ref: ObjectRef, environment: Environment) -> Outcome:
    """What the model's object has recorded; never cached: models differ."""
    try:
        value = environment.getattr(ref, op.attribute.data)
    except (AttributeError, NotEvaluated) as error:
        return unknown(op, said_by(error, str(error)))
    if isinstance(value, (TensorConstant, ParamRef)):
        return Outcome((Tensor.contiguous(value.shape, value.dtype),))
    return Outcome((value,))


def _any_item(op: Operation, operands: list[object]) -> Outcome:
    if any(isinstance(o, Unknown) for o in operands):
        return unknown(op)
    what = words_for(operands[1])
    if isinstance(operands[0], dict) and isinstance(operands[1], Tensor):
        return unknown(op, f"{what} cannot be a dict key: keys are numbers or strings")
    if not isinstance(operands[0], dict) and kind_of(operands[1]) == "float":
        return unknown(op, f"{what} cannot be an index: indices are integers")
    return unknown(op, _WHICH)


_WHICH = "which item of a Python list or dict is meant depends on the input"
