"""`dycl-expand-number-tensors`: tensors of numbers of the data's are computed.

Before                      After
------                      -----
%t = dycl.tuple(%k, %zero)  %0 = dycl.constant #dycl.tuple<[1 : i64]>
%y = dycl.call %tensor(%t)  %1 = dycl.call %ones(%0, dtype = %int64)
dycl.return %y              %2 = dycl.binary mul %1, %k
                            %3 = dycl.constant #dycl.tuple<[1 : i64]>
                            %4 = dycl.call %ones(%3, dtype = %int64)
                            %5 = dycl.binary mul %4, %zero
                            %6 = dycl.tuple(%2, %5)
                            %y = dycl.call %cat(%6)
                            dycl.return %y

`torch.tensor`, `as_tensor`, `full`, `new_tensor`, `new_full` and classes of old.
Rows within rows, `torch.tensor([[n, 0], [1, n]])`, are laid out one after the other.
Kernels take numbers as arguments of an operator on tensors, so a number becomes a
tensor by a multiplication with one, which is exact, signs of zeros and NaN included.

Needs:  types (`dycl-infer-shapes`).
Leaves: no such call whose numbers the run knows; other calls of torch as before.
Skips:  tensors of a shape that only a run knows, and rows that hold other things than
        numbers and tensors of rank 0: a remark says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.tensors.abstract import OpenSizes, Scalar, Tensor, kind_of, leaves
from dycl.analysis.tensors.number_ranges import AS_ELEMENT, AS_LISTED
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import Known, Part, Structures, structures_of
from dycl.diag import remark
from dycl.ir import CallOp, ConstantOp, InvokeOp, SubscriptOp, TupleOp
from dycl.ir.constant_values import constant_name
from dycl.ir.dtypes import dtype_name
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.values import GlobalRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.expansion.number_as_tensor import EXACT, Put, tensor_of_number

_MAKERS = ("tensor", "as_tensor", "full", "new_tensor", "new_full")
_FULL = ("full", "new_full")
_LEGACY = (
    *("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor"),
    *("LongTensor", "IntTensor", "ShortTensor", "CharTensor", "BoolTensor"),
)
"""Classes of old: of a list they make what `torch.tensor` does, of their own dtype."""

_Item = tuple[object, object]
"""A number or tensor of the rows, and the leaf that it is."""


@dataclass(frozen=True)
class ExpandNumberTensorsPass(ModulePass):
    """Tensors of numbers of the data's are computed."""

    name = "dycl-expand-number-tensors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand the calls in the entry function that make tensors of numbers."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        calls = [o for o in walk(entry) if _makes_tensor(o)]
        if not calls:
            return
        analyses = analyses_of(ctx)
        inference = analyses.get(infer, op)
        structures = analyses.ask(structures_of, op)
        for call in calls:
            source = _source(call, inference)
            if source is None:
                continue
            items = _items(source, inference, structures)
            if not any(isinstance(item, Scalar) for item, _ in items):
                continue
            if (why := _cannot(call, source, items, inference)) is not None:
                remark(call, "not computed from numbers", why)
            else:
                _expand(call, source, items, inference)


def _makes_tensor(op: Operation) -> bool:
    """A quick look: whether an op is a call by one of the names."""
    return (name := _name(op)) in _MAKERS or name in _LEGACY


def _name(op: Operation) -> str:
    match op:
        case CallOp():
            return constant_name(op.callee).removeprefix("torch.")
        case InvokeOp():
            return op.method.data
        case _:
            return ""


def _source(op: Operation, inference: Inference) -> SSAValue | None:
    """Of what an op makes a tensor: a number, or numbers in rows."""
    match op:
        case CallOp() if not op.is_starred:
            name = constant_name(op.callee).removeprefix("torch.")
            if name in _LEGACY and len(op.operands) == 2:
                listed = isinstance(inference.of(op.positional[0]), (list, tuple))
                return op.positional[0] if listed else None
        case InvokeOp() if isinstance(inference.of(op.receiver), Tensor):
            name = op.method.data
        case _:
            return None
    if name not in _MAKERS:
        return None
    positional = op.positional
    return (
        positional[-1]
        if len(positional) == (2 if name.endswith("full") else 1)
        else None
    )


def _items(
    source: SSAValue, inference: Inference, structures: Structures
) -> list[_Item]:
    """What is in the rows, one after the other; nothing if that is not known."""
    items = list(leaves(inference.of(source)))
    names = structures.leaves(source)
    return list(zip(items, names, strict=True)) if len(names) == len(items) else []


def _cannot(
    op: Operation, source: SSAValue, items: list[_Item], inference: Inference
) -> str | None:
    """The reason to leave a call alone, or None."""
    result = inference.of(op.results[0])
    if not isinstance(result, Tensor) or not result.is_static:
        return "the shape of the tensor is not known"
    is_list = isinstance(inference.of(source), (list, tuple))
    for item, leaf in items:
        if isinstance(leaf, Part) and not _is_size(leaf, inference):
            return "an item comes from what is not known"
        if isinstance(item, Tensor) and is_list and not item.shape:
            continue
        if kind_of(item) not in (*EXACT, "bool"):
            return "an item is neither a number nor a tensor of rank 0"
    return None


def _is_size(part: Part, inference: Inference) -> bool:
    """Whether a part is one number of a `torch.Size`."""
    return isinstance(inference.of(part.of), OpenSizes)


def _expand(
    op: Operation, source: SSAValue, items: list[_Item], inference: Inference
) -> None:
    result = inference.of(op.results[0])
    assert isinstance(result, Tensor)
    is_list = isinstance(inference.of(source), (list, tuple))
    put = partial(insert_value, op)
    shape = (1,) if is_list else result.sizes
    dtype = f"torch.{dtype_name(result.dtype)}"
    how = AS_ELEMENT if _name(op) in _FULL else AS_LISTED
    parts = [_part(item, leaf, dtype, shape, how, put) for item, leaf in items]
    if len(parts) > 1:
        cat = put(ConstantOp(to_attr(GlobalRef("torch.cat"))))
        parts = [put(CallOp(cat, [put(TupleOp(parts))]))]
    if is_list and len(result.shape) > 1:
        sizes = put(ConstantOp(to_attr(result.sizes)))
        parts = [put(InvokeOp(parts[0], "reshape", [sizes]))]
    replace(op, parts)


def _part(
    item: object, leaf: object, dtype: str, shape: Sequence[int], how: str, put: Put
) -> SSAValue:
    """One item as a tensor."""
    match leaf:
        case Known():
            value = put(ConstantOp(to_attr(leaf.value)))
        case Part():
            value = put(SubscriptOp(leaf.of, put(ConstantOp(to_attr(leaf.leaf)))))
        case _:
            assert isinstance(leaf, SSAValue)
            value = leaf
    if isinstance(item, Tensor):
        return _converted(value, dtype, shape, put)
    kind = kind_of(item)
    assert kind is not None
    if kind == "bool":
        whole = put(ConstantOp(to_attr(GlobalRef("builtins.int"))))
        value, kind = put(CallOp(whole, [value])), "int"
    return tensor_of_number(value, kind, dtype, shape, put, how)


def _converted(value: SSAValue, dtype: str, shape: Sequence[int], put: Put) -> SSAValue:
    """A tensor of one element, of another dtype and shape."""
    given = [put(ConstantOp(to_attr(GlobalRef(dtype))))]
    converted = put(InvokeOp(value, "to", given))
    return put(InvokeOp(converted, "reshape", [put(ConstantOp(to_attr(tuple(shape))))]))
