"""Tensors of numbers of the data's: `torch.tensor([n, 0])` is `cat([ones(1) * n, ..])`.

Kernels take numbers as arguments of an operator on tensors, so a number becomes a
tensor by a multiplication with one, which is exact, signs of zeros and NaN included.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.abstract import Scalar, Tensor, kind_of
from dycl.analysis.shapes import Inference
from dycl.analysis.structures import Known, Structures
from dycl.ir import BinaryOp, CallOp, ConstantOp, InvokeOp, TupleOp
from dycl.ir.dtypes import dtype_name
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes import _edit as edit

Put = Callable[[Operation], SSAValue]
EXACT = {"int": "torch.int64", "float": "torch.float64"}
"""The dtype that has all numbers of a kind."""
_OF_NUMBERS = ("torch.tensor", "torch.as_tensor", "torch.full")


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
        if not isinstance(op, CallOp) or op.is_starred:
            continue
        callee = inference.of(op.callee)
        if not isinstance(callee, GlobalRef) or callee.name not in _OF_NUMBERS:
            continue
        result = inference.of(op.result)
        if isinstance(result, Tensor) and result.is_static:
            done = _expand(op, callee.name, result, inference, structures) or done
    return done


def _expand(
    op: CallOp,
    name: str,
    result: Tensor,
    inference: Inference,
    structures: Structures,
) -> bool:
    if name == "torch.full":
        if len(op.positional) != 2:
            return False
        source = op.positional[1]
    elif len(op.positional) == 1:
        source = op.positional[0]
    else:
        return False
    given = inference.of(source)
    is_list = isinstance(given, (list, tuple)) and name != "torch.full"
    items = cast(
        "list[object]", list(cast("list[object]", given)) if is_list else [given]
    )
    kinds = [kind_of(item) for item in items]
    names = structures.leaves(source)
    if not any(isinstance(item, Scalar) for item in items) or len(names) != len(items):
        return False
    if not all(kind in EXACT for kind in kinds):
        return False
    put = partial(edit.put_before, op)
    dtype = f"torch.{dtype_name(result.dtype)}"
    shape = (1,) if is_list else result.sizes
    parts: list[SSAValue] = []
    for kind, leaf in zip(kinds, names, strict=True):
        value = (
            put(ConstantOp(to_attr(leaf.value))) if isinstance(leaf, Known) else leaf
        )
        if not isinstance(value, SSAValue) or kind is None:
            return False
        parts.append(tensor_of_number(value, kind, dtype, shape, put))
    if len(parts) > 1:
        cat = put(ConstantOp(to_attr(GlobalRef("torch.cat"))))
        parts = [put(CallOp(cat, [put(TupleOp(parts))]))]
    edit.replace(op, parts)
    return True
