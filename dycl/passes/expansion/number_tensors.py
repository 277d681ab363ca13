"""Tensors of numbers of the data's: `torch.tensor([n, 0])` is `cat([ones(1) * n, ..])`.

Rows within rows, `torch.tensor([[n, 0], [1, n]])`, are laid out one after the other.

Kernels take numbers as arguments of an operator on tensors, so a number becomes a
tensor by a multiplication with one, which is exact, signs of zeros and NaN included.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Scalar, Tensor, kind_of, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Structures
from dycl.ir import BinaryOp, CallOp, ConstantOp, InvokeOp, TupleOp
from dycl.ir.dtypes import dtype_name
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.values import GlobalRef, to_attr

Put = Callable[[Operation], SSAValue]
EXACT = {"int": "torch.int64", "float": "torch.float64"}
"""The dtype that has all numbers of a kind."""
_MAKERS = ("tensor", "as_tensor", "full", "new_tensor", "new_full")
_LEGACY = (
    *("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor"),
    *("LongTensor", "IntTensor", "ShortTensor", "CharTensor", "BoolTensor"),
)
"""Classes of old: of a list they make what `torch.tensor` does, of their own dtype."""


def tensor_of_number(
    value: SSAValue, kind: str, dtype: str, shape: Sequence[int], put: Put
) -> SSAValue:
    """A tensor of an open int or float, of `dtype`: `torch.float32`, say."""

    def constant(value: object) -> SSAValue:
        return put(ConstantOp(to_attr(value)))

    exact = EXACT[kind]
    given = [constant(tuple(shape)), constant(GlobalRef(exact))]
    ones = put(CallOp(constant(GlobalRef("torch.ones")), given, ["dtype"]))
    found = put(BinaryOp("mul", ones, value))
    if exact != dtype:
        found = put(InvokeOp(found, "to", [constant(GlobalRef(dtype))]))
    return found


def expand_number_tensors(
    ops: Iterable[Operation], inference: Inference, structures: Structures
) -> bool:
    """Expand the calls that make a tensor of numbers of the data's; any done?"""
    done = False
    for op in list(ops):
        source = _source(op, inference)
        if source is None:
            continue
        (made,) = op.results
        result = inference.of(made)
        if isinstance(result, Tensor) and result.is_static:
            done = _expand(op, source, result, inference, structures) or done
    return done


def _source(op: Operation, inference: Inference) -> SSAValue | None:
    """Of what an op makes a tensor: a number, or numbers in rows."""
    match op:
        case CallOp() if not op.is_starred:
            callee = inference.of(op.callee)
            if not isinstance(callee, GlobalRef):
                return None
            name = callee.name.removeprefix("torch.")
            if name in _LEGACY and len(op.operands) == 2:
                listed = isinstance(inference.of(op.positional[0]), (list, tuple))
                return op.positional[0] if listed else None
        case InvokeOp() if isinstance(inference.of(op.receiver), Tensor):
            name = op.method.data
        case _:
            return None
    if name not in _MAKERS:
        return None
    given = op.positional
    return given[-1] if len(given) == (2 if name.endswith("full") else 1) else None


def _expand(
    op: Operation,
    source: SSAValue,
    result: Tensor,
    inference: Inference,
    structures: Structures,
) -> bool:
    given = inference.of(source)
    is_list = isinstance(given, (list, tuple))
    items = list(leaves(given))
    names = structures.leaves(source)
    if not any(isinstance(item, Scalar) for item in items) or len(names) != len(items):
        return False
    put = partial(insert_value, op)
    shape = (1,) if is_list else result.sizes
    dtype = f"torch.{dtype_name(result.dtype)}"
    parts: list[SSAValue] = []
    for item, leaf in zip(items, names, strict=True):
        value = (
            put(ConstantOp(to_attr(leaf.value))) if isinstance(leaf, Known) else leaf
        )
        kind = kind_of(item)
        if not isinstance(value, SSAValue):
            return False
        if isinstance(item, Tensor) and is_list and not item.shape:
            parts.append(_converted(value, dtype, shape, put))
        elif kind in EXACT:
            parts.append(tensor_of_number(value, kind, dtype, shape, put))
        elif kind == "bool":
            whole = put(
                CallOp(put(ConstantOp(to_attr(GlobalRef("builtins.int")))), [value])
            )
            parts.append(tensor_of_number(whole, "int", dtype, shape, put))
        else:
            return False
    if len(parts) > 1:
        cat = put(ConstantOp(to_attr(GlobalRef("torch.cat"))))
        parts = [put(CallOp(cat, [put(TupleOp(parts))]))]
    if is_list and len(result.shape) > 1:
        sizes = put(ConstantOp(to_attr(result.sizes)))
        parts = [put(InvokeOp(parts[0], "reshape", [sizes]))]
    replace(op, parts)
    return True


def _converted(value: SSAValue, dtype: str, shape: Sequence[int], put: Put) -> SSAValue:
    """A tensor of one element, of another dtype and shape."""
    given = [put(ConstantOp(to_attr(GlobalRef(dtype))))]
    found = put(InvokeOp(value, "to", given))
    return put(InvokeOp(found, "reshape", [put(ConstantOp(to_attr(tuple(shape))))]))
