"""`x.new(size)` and `torch.Tensor(size)` are `new_empty` and `empty` of that size.

Before                           After
------                           -----
%y = dycl.invoke %x "new"(%two)  %y = dycl.invoke %x "new_empty"(%two)
dycl.return %y                   dycl.return %y

What `new` makes of a size has no values yet; a trace of it would have those that the
memory had at compile time. Of a size that a run decides, `numel()` is a product, and
`x.shape + (3,)` a `torch.Size` of all items. Where the paths of a branch forward sizes
from anywhere, each path makes its size of a tuple, which `dycl-split-tuples` splits.
"""

from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import (
    VALUE,
    Scalar,
    Tensor,
    is_size,
    kind_of,
    sizes_of,
)
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    BinaryOp,
    CallOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ScopeOp,
    SelectOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
    legacy_tensors,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.operators import BINARY
from dycl.ir.rewriting import (
    insert_after,
    insert_before,
    insert_constant,
    insert_value,
    replace,
)
from dycl.ir.values import GlobalRef, is_torch_size, torch_size
from dycl.ir.walking import walk


def rewrite_sizes(module: ModuleOp, inference: Inference) -> bool:
    """Rewrite what makes tensors of sizes, and sizes of sizes; was there any?"""
    changed = False
    made: dict[SSAValue, object] = {}
    for op in list(walk(module)):
        if isinstance(op, (CallOp, InvokeOp)):
            changed |= _make_empty(op, inference)
        elif isinstance(op, (BinaryOp, InplaceOp)):
            _keep_class(op, inference, made)
        elif isinstance(op, (IfOp, ScopeOp)):
            for index in range(len(op.results)):
                changed |= _make_on_each_path(op, index, inference)
    return changed or bool(made)


def _make_empty(op: CallOp | InvokeOp, inference: Inference) -> bool:
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


def _keep_class(
    op: BinaryOp | InplaceOp, inference: Inference, made: dict[SSAValue, object]
) -> None:
    """Make `x.shape + (n,)` and `x.shape * 2` a `torch.Size`, if torch does.

    Which items it has, and of which class it is, says the same of places of items.
    What is `made` is noted there: inference does not know it yet.
    """
    given = [made.get(v) or inference.of(v) for v in op.operands]
    if not any(map(is_size, given)) or not any(map(_is_open, given)):
        return
    start = len(_items(given[0]))
    try:
        places = BINARY[op.kind_name](_places(given[0]), _places(given[1], start))
    except TypeError:
        return  # eager raises as well
    if not is_torch_size(places):
        return
    items: list[SSAValue] = []
    for operand, value in zip(op.operands, given, strict=True):
        if count := len(_items(value)):
            unpack = UnpackOp(operand, count)
            insert_before(op, unpack)
            items += unpack.items
    whole = insert_value(op, TupleOp([items[place] for place in places]))
    new = CallOp(insert_constant(op, GlobalRef(TORCH_SIZE)), [whole])
    replace(op, new)
    known = [item for value in given for item in _items(value)]
    made[new.result] = sizes_of(known[place] for place in places)


def _make_on_each_path(op: IfOp | ScopeOp, index: int, inference: Inference) -> bool:
    """Have each path make the `torch.Size` that it forwards of a tuple; done?

    So `size_behind` takes it apart, wherever each comes from: `x.shape`, a constant.
    """
    given = [(end, end.forwarded[index]) for end in op.exits]
    found = [inference.of(value) for _, value in given]
    if not op.results[index].uses or not all(map(is_size, found)):
        return False
    if not any(map(_is_open, found)) or len(set(map(len, map(_items, found)))) > 1:
        return False
    changed = False
    for (end, value), sizes in zip(given, found, strict=True):
        if _tuple_of(value) is None:
            places = range(len(_items(sizes)))
            items = [SubscriptOp(value, insert_constant(end, i)) for i in places]
            whole = TupleOp([insert_value(end, item) for item in items])
            of_torch = insert_constant(end, GlobalRef(TORCH_SIZE))
            made = insert_value(end, CallOp(of_torch, [insert_value(end, whole)]))
            values = list(end.forwarded)
            values[index] = made
            end.forward(values)
            changed = True
    return changed


def size_behind(op: IfOp | ScopeOp, index: int) -> None:
    """Forward a tuple where all paths make a `torch.Size`, and make it behind the op.

    So `Size((n, a)) if p else Size((n, b))` is `Size((n, a) if p else (n, b))`, of
    which `dycl-split-tuples` makes a choice for each item.
    """
    ends = list(op.exits)
    tuples = [_tuple_of(end.forwarded[index]) for end in ends]
    result = op.results[index]
    if not result.uses or None in tuples:
        return
    for end, items in zip(ends, tuples, strict=True):
        values = list(end.forwarded)
        values[index] = cast(SSAValue, items)
        end.forward(values)
    made = CallOp(insert_constant(op, GlobalRef(TORCH_SIZE)), [result])
    insert_after(op, made)
    made.result.name_hint = result.name_hint
    result.replace_uses_with_if(made.result, lambda use: use.operation is not made)


def choose_size(op: SelectOp) -> SelectOp:
    """Choose between tuples where both sides are a `torch.Size`; the choice by now."""
    sides = [_tuple_of(side) for side in (op.if_true, op.if_false)]
    if None in sides:
        return op
    one, other = cast("list[SSAValue]", sides)
    choice = SelectOp(op.condition, one, other)
    choice.attributes.update(op.attributes)
    whole = insert_value(op, choice)
    replace(op, CallOp(insert_constant(op, GlobalRef(TORCH_SIZE)), [whole]))
    return choice


def _tuple_of(size: SSAValue) -> SSAValue | None:
    """The tuple that a `torch.Size` is made of; None: it is none, or not made here."""
    call = size.owner
    if not isinstance(call, CallOp) or constant_name(call.callee) != TORCH_SIZE:
        return None
    given = call.positional
    is_tuple = len(given) == 1 and isinstance(given[0].owner, TupleOp)
    return given[0] if is_tuple else None


def _is_open(value: object) -> bool:
    """Whether a value is a tuple of which a run decides a number."""
    return any(isinstance(item, Scalar) for item in _items(value))


def _items(value: object) -> tuple[object, ...]:
    """The items of a tuple; of anything else none."""
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _places(value: object, start: int = 0) -> object:
    """The places of the items of a tuple, in a tuple of its class; or the value."""
    if not isinstance(value, tuple):
        return value
    places = tuple(range(start, start + len(_items(value))))
    return torch_size(places) if is_size(value) else places


def _are_sizes(arguments: list[SSAValue], inference: Inference) -> bool:
    """Whether these are ints, or a `torch.Size`."""
    if len(arguments) == 1 and _is_shape(arguments[0], inference):
        return True
    return bool(arguments) and all(
        kind_of(inference.of(argument)) == "int" for argument in arguments
    )


def _is_shape(value: SSAValue, inference: Inference) -> bool:
    """Whether a value is a `torch.Size`, or a tensor's of which a size is open."""
    return is_size(inference.of(value))
