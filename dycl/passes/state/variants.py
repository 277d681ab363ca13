"""State whose kind differs between calls: the body once more for each kind.

Before                       After
------                       -----
%r = dycl.getattr %self "h"  %p = dycl.compare eq %state_kind, %zero
dycl.setattr %self "h", %x   dycl.if %p {
dycl.return %r                 %s = dycl.tuple(%x)
                               %t = dycl.tuple(%none, %s)
                               dycl.return %t
                             } {dycl.variant}
                             %u = dycl.tuple(%x)
                             %v = dycl.tuple(%h, %u)
                             dycl.return %v

A function is *closed* when every return leaves the state as one of the kinds that the
function is compiled for.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.analysis.tensors.abstract import (
    Scalar,
    Sequence,
    Tensor,
    Unbound,
    Unknown,
    kind_of,
    leaves,
    map_leaves,
    name,
    of_any_size,
    signature,
)
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    CompareOp,
    ConstantOp,
    IfOp,
    ListOp,
    ReturnOp,
    TupleOp,
    UnboundOp,
    UnsupportedOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.functions import function_named_by, returns_in
from dycl.ir.rewriting import append, erase, insert_before
from dycl.ir.state import NO_VALUE, State, kept_as_text, state_of
from dycl.ir.torch import IntT
from dycl.ir.values import LeafRef, ObjectRef, TensorConstant, to_attr
from dycl.passes.state.arguments import Arguments
from dycl.passes.state.attributes import Key, Values
from dycl.passes.state.kept_sizes import confused, from_structure
from dycl.passes.state.promotion import TEMPLATE, promote, set_state
from dycl.passes.state.sizes import is_taken, with_open_sizes

_VARIANT = "dycl.variant"
_CONFUSED = (
    "call and a tuple of ints after another, and the next call cannot tell which"
)
_ONE_CLASS = "keep a `torch.Size` each time, or `tuple(x.shape)` each time"


def close(
    module: ModuleOp, entry: FuncOp, inferred: Callable[[], Inference], limit: int
) -> None:
    """Add the kinds that returns leave and that are not there yet.

    Does nothing while a kind is not known: a later round may know it.
    """
    template = function_named_by(module, entry, TEMPLATE)
    state = state_of(entry)
    if template is None or state is None:
        return
    inference = inferred()
    kept = [i for i, v in enumerate(state.variables) if v.mode == "keep"]
    known = [_variant_inputs(entry, state, kept, n) for n in range(state.variants)]
    new: dict[object, tuple[ReturnOp, list[object]]] = {}
    for end in returns_in(entry.body.block):
        row = _left(end, kept, inference)
        if row is None or any(map(_is_open, row)):
            return
        for i, value in zip(kept, row, strict=True):
            if (why := _not_carried(value)) is not None:
                what = f"a call leaves the attribute `{state.variables[i].name}` as "
                _refuse_kind(end, what + why[0], why[1])
                _drop(entry, template)
                return
        row = [_general(value) for value in row]
        if not is_taken(row, known):
            if (which := confused(row, known)) is not None:
                name_of_it = state.variables[kept[which]].name
                what = f"the attribute `{name_of_it}` may be a `torch.Size` after one "
                _refuse_kind(end, what + _CONFUSED, _ONE_CLASS)
                _drop(entry, template)
                return
            row = with_open_sizes(row, known)
            new.setdefault(_signature(row), (end, row))
    if not new:
        _drop(entry, template)
        return
    end, row = next(iter(new.values()))
    # All that are left now are going to be variants, and leave others in their turn.
    if state.variants + len(new) > limit:
        _refuse(entry, state, kept, end, row)
        _drop(entry, template)
        return
    _add(entry, template, state, row)


def _left(end: ReturnOp, kept: list[int], inference: Inference) -> list[object] | None:
    """What a return leaves the kept variables as."""
    if end.structure is not None or len(end.values) != 1:
        return None
    both = end.values[0].owner
    last = both.operands[-1].owner if isinstance(both, TupleOp) else None
    if isinstance(last, TupleOp):
        return [inference.of(last.items[i]) for i in kept]
    whole = inference.of(end.values[0])
    if not isinstance(whole, tuple):
        return None
    values = cast("tuple[object, ...]", whole)[-1]
    if not isinstance(values, tuple):
        return None
    return [cast("tuple[object, ...]", values)[i] for i in kept]


def _is_open(value: object) -> bool:
    return any(isinstance(leaf, (Unknown, Unbound)) for leaf in leaves(value))


def _general(value: object) -> object:
    """A value as its kind: of a number not which, of a tensor not the strides.

    A text is a kind of its own, and so is each `torch.Size` of known sizes.
    """

    def one(leaf: object) -> object:
        if isinstance(leaf, (Tensor, TensorConstant)):
            return of_any_size(Tensor.contiguous(leaf.shape, leaf.dtype).type)
        kind = kind_of(leaf)
        return leaf if kind is None or kind == "str" else Scalar(kind)

    return map_leaves(value, one)


def _variant_inputs(
    entry: FuncOp, state: State, kept: list[int], variant: int
) -> list[object]:
    """The kinds that a variant takes."""
    arguments = entry.body.block.args

    def one(leaf: object) -> object:
        if isinstance(leaf, LeafRef):
            return of_any_size(arguments[leaf.index].type)
        return leaf

    given = (from_structure(state.variables[i].given[variant]) for i in kept)
    return [map_leaves(value, one) for value in given]


def _signature(row: list[object]) -> object:
    return signature(tuple(row))


def _add(entry: FuncOp, template: FuncOp, state: State, row: list[object]) -> None:
    """One more variant: for a state of these kinds."""
    arguments = Arguments(entry)
    block = entry.body.block
    kind = state.kind
    if kind is None:
        kind = len(block.args)
        arguments.add(IntT, "state_kind")
    _guard(entry, block.args[kind], state)
    body = clone(template)
    first = body.body.block.first_op
    assert first is not None
    rest = iter(row)
    keys = _keys(template)
    start: Values = {}
    variables = list(state.variables)
    for i, (key, variable) in enumerate(zip(keys, state.variables, strict=True)):
        if variable.mode == "keep":
            value, structure = arguments.start(next(rest), variable.name, first)
            variables[i] = replace(variable, given=(*variable.given, structure))
        else:
            initial = ListOp([]) if variable.mode == "grow" else UnboundOp(key[1])
            insert_before(first, initial, source=entry)
            value = initial.results[0]
        start[key] = value
    promote(body, keys, start)
    for old, new in zip(body.body.block.args, block.args, strict=False):
        old.replace_all_uses_with(new)
    for op in list(body.body.block.ops):
        op.detach()
        block.add_op(op)
    set_state(entry, State(state.inputs, kind, tuple(variables)))


def _guard(entry: FuncOp, kind: SSAValue, state: State) -> None:
    """Put the last variant so far under the question whether it is the one."""
    block = entry.body.block
    guards = [op for op in block.ops if _VARIANT in op.attributes]
    first = guards[-1].next_op if guards else block.first_op
    ops: list[Operation] = []
    while first is not None:
        ops.append(first)
        first = first.next_op
    number = ConstantOp(to_attr(len(guards)), IntT)
    question = CompareOp("eq", kind, number.result)
    for op in ops:
        op.detach()
    guard = IfOp(
        question.result,
        [],
        Region(Block(ops)),
        Region(Block([YieldOp()])),
        {"test": StringAttr(_words(entry, state, len(guards))), _VARIANT: UnitAttr()},
    )
    append(block, number, question, guard, source=entry)


def _words(entry: FuncOp, state: State, variant: int) -> str:
    """What a variant is for: `self.hidden is None`."""
    kept = [v for v in state.variables if v.mode == "keep"]
    for variable in kept:
        given = variable.given[variant]
        if given == NO_VALUE:
            return f"self.{variable.name} has no value"
        if not isinstance(given, LeafRef):
            words = name(from_structure(given))
            if given is None or isinstance(given, str):
                words = repr(given)
            elif isinstance(given, ObjectRef):
                words = kept_as_text(given)
            return f"self.{variable.name} is {words}"
    if len(kept) == 1:
        leaf = cast(LeafRef, kept[0].given[variant])
        given = of_any_size(entry.body.block.args[leaf.index].type)
        return f"self.{kept[0].name} is {given}"
    return f"self.{kept[0].name} is of kind {variant}"


def _sized(value: object) -> str:
    if value == NO_VALUE:
        return "without a value"
    if not isinstance(value, (tuple, list, dict)):
        return name(value)
    return f"{name(value)} of {len(cast('list[object]', value))} items"


def _keys(template: FuncOp) -> list[Key]:
    rows = template.attributes["dycl.keys"]
    assert isinstance(rows, ArrayAttr)
    result: list[Key] = []
    for row in rows:
        assert isinstance(row, ArrayAttr)
        path, attribute = (part.data for part in row if isinstance(part, StringAttr))
        result.append((path, attribute))
    return result


def _refuse(
    entry: FuncOp, state: State, kept: list[int], end: ReturnOp, row: list[object]
) -> None:
    """Say which variable never settles, and stop."""
    last = _variant_inputs(entry, state, kept, state.variants - 1)
    which = next(
        i
        for i, (a, b) in enumerate(zip(row, last, strict=True))
        if signature(a) != signature(b)
    )
    variable = state.variables[kept[which]]
    apart = list(_apart(variable.name, last[which], row[which]))
    apart.sort(key=lambda one: not _is_none_once(one))
    place, before, after = apart[0]
    what = (
        f"the attribute `{place}` is of another kind after each call: "
        f"{_sized(before)}, then {_sized(after)}"
    )
    hint = "let every call leave it with the same shape, dtype and number of items"
    if _is_none_once(apart[0]):
        hint = "let it be a tensor from the start, an empty one such as"
        hint = f"{hint} `torch.zeros(0, 4)`, where it is None now"
    elif isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        hint = "keep one tensor that grows, as `torch.cat([self.cache, x])` does; or"
        hint = f"{hint} let every call leave the same number of items"
    refusal = UnsupportedOp("DY208", what, hint)
    insert_before(end, refusal)


def _apart(
    place: str, before: object, after: object
) -> Iterator[tuple[str, object, object]]:
    """Where two kinds differ, in the user's words: `cache[1]`, and what is there."""
    is_list = isinstance(before, (list, tuple)) and type(before) is type(after)
    if is_list or (isinstance(before, dict) and isinstance(after, dict)):
        ours, others = (_entries(value) for value in (before, after))
        if list(ours) == list(others):
            for key, value in ours.items():
                yield from _apart(f"{place}[{key!r}]", value, others[key])
            return
    if signature(before) != signature(after):
        yield place, before, after


def _entries(value: object) -> dict[object, object]:
    if isinstance(value, dict):
        return cast("dict[object, object]", value)
    return dict(enumerate(cast("list[object]", value)))


def _is_none_once(one: tuple[str, object, object]) -> bool:
    """Whether one of two kinds is None, and the other a tensor."""
    _, before, after = one
    kinds = (before, after)
    is_none = any(kind is None for kind in kinds)
    return is_none and any(isinstance(kind, Tensor) for kind in kinds)


def _not_carried(value: object) -> tuple[str, str] | None:
    """Why no input can carry a value from call to call, and what to do; or None."""
    for leaf in leaves(value):
        if isinstance(leaf, Sequence):
            hint = "let every call leave it with the same number of items"
            return str(leaf), f"{hint}, or keep a tensor"
        if leaf == Scalar("str"):
            return "a text that depends on the data", "keep a number or a bool"
    return None


def _refuse_kind(end: ReturnOp, what: str, hint: str) -> None:
    refusal = UnsupportedOp("DY208", what, hint)
    insert_before(end, refusal)


def _drop(entry: FuncOp, template: FuncOp) -> None:
    """The function is closed: no further variant is made."""
    del entry.attributes[TEMPLATE]
    erase(template)
