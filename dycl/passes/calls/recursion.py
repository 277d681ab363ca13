"""Recursion: which call of a function inside its own body gets its body, and when.

Before                      After
------                      -----
%y = dycl.call %deep(%x)    %b = dycl.unary neg %x
dycl.return %y              %c = dycl.call %deep(%b)
func.func @deep(%a) {              {dycl.recursion = ["!dycl.value"]}
  %b = dycl.unary neg %a    dycl.return %c
  %c = dycl.call %deep(%b)
  dycl.return %c
}

A recursion ends by what is known of its arguments: a depth that is a constant, a shape,
another module. A call that is given what a call around it was given, as far as anything
is known of it, would be inlined without end. Its attribute says what those around it
were given; it waits until other passes know more, and of what waits still
`dycl-keep-recursion` makes functions.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    ConstantOp,
    DictOp,
    InvokeOp,
    ListOp,
    NodeType,
    SetattrOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.functions import argument_names
from dycl.ir.walking import walk
from dycl.passes.calls.readings import (
    RECURSION,
    container,
    is_only_read,
    own_parameter,
    read_parameters,
)
from dycl.passes.calls.specializations import OF

_BETWEEN = "; "


class Calls:
    """The functions whose bodies are being inlined, and what each was given."""

    def __init__(self, given: dict[str, frozenset[str]] | None = None):
        """Begin with those around; none by default."""
        self.given = given or {}

    def with_call(self, op: Operation, symbol: str, arguments: str | None) -> "Calls":
        """These, and a call `op` of `symbol`."""
        calls = self.given.get(symbol, frozenset()) | _noted(op)
        if arguments is not None:
            calls |= {arguments}
        return Calls(self.given | {symbol: calls})

    def are_around(self, op: Operation, symbol: str) -> bool:
        """Whether a call is inside the body of its function; if so, that is noted."""
        if symbol not in self.given:
            return False
        self.note(op, symbol)
        return True

    def note(self, op: Operation, symbol: str) -> None:
        """Write down what the calls around a call were given."""
        given = sorted(self.given.get(symbol, frozenset()) | _noted(op))
        op.attributes[RECURSION] = ArrayAttr([StringAttr(text) for text in given])


def calls_around(op: Operation) -> Calls:
    """The functions whose bodies an op is in by `dycl-keep-recursion`."""
    function = function_around(op)
    of = None if function is None else function.attributes.get(OF)
    return Calls({of.data: frozenset()}) if isinstance(of, StringAttr) else Calls()


def waits(op: Operation, arguments: str | None) -> bool:
    """Whether a call is given what one around it was given."""
    return arguments in _noted(op)


def _noted(op: Operation) -> frozenset[str]:
    noted = op.attributes.get(RECURSION)
    if not isinstance(noted, ArrayAttr):
        return frozenset()
    return frozenset(text.data for text in noted if isinstance(text, StringAttr))


def list_parameters(function: FuncOp) -> list[str]:
    """The parameters to which a function adds items, or its recursion: lists, or dicts
    and sets, which `dycl-pair-dicts` makes lists of."""
    params = function.body.block.args
    lists = {p for p in params if any(map(_adds, p.uses))}
    while more := {
        param
        for param in params
        if param not in lists
        and any(own_parameter(use, function) in lists for use in param.uses)
    }:
        lists |= more
    names = zip(argument_names(function), params, strict=False)
    return [name for name, param in names if param in lists]


def _adds(use: Use) -> bool:
    op = use.operation
    if use.index != 0 or not isinstance(op, (InvokeOp, StoreSubscriptOp)):
        return False
    return isinstance(op, StoreSubscriptOp) or op.method.data in _ADDING


_ADDING = ("add", "append", "extend", "insert", "setdefault", "update")


def arguments_of(
    function: FuncOp, positional: Sequence[SSAValue], named: Mapping[str, SSAValue]
) -> str | None:
    """What is known of a call's arguments, as text; None: other things end recursion.

    A list or dict may be another each time, though nothing is known of its items, if it
    is not only read; a function that sets attributes may count in them, but in none of
    a node: that is refused. What a list holds to which it adds decides nothing.
    """
    lists = list_parameters(function)
    pairs = [
        *zip(argument_names(function), positional, strict=False),
        *((name, named[name]) for name in sorted(named)),
    ]
    given = [*positional, *(named[name] for name in sorted(named))]
    held = [(n, v) for n, v in pairs if n not in lists and container(v) is not None]
    read = read_parameters(function) if held else ()
    if len(pairs) < len(given) or not all(
        name in read and is_only_read(value) for name, value in held
    ):
        return None
    nodes = [name for name, value in pairs if isinstance(value.type, NodeType)]
    if _sets(function, nodes):
        return None
    return _BETWEEN.join([*map(_known, given), *sorted(named)])


def _sets(function: FuncOp, nodes: Sequence[str]) -> bool:
    """Whether a function sets attributes of anything but the parameters of `nodes`."""
    names = zip(argument_names(function), function.body.block.args, strict=False)
    params = [param for name, param in names if name in nodes]
    sets = [op for op in walk(function) if isinstance(op, SetattrOp)]
    return any(op.operands[0] not in params for op in sets)


def note_inside(
    op: Operation, positional: Sequence[SSAValue], named: Mapping[str, SSAValue]
) -> None:
    """Write down that a call is in the body of the function that it calls.

    What the call around was given is not known: any numbers, so they may change.
    """
    given = [*positional, *(named[name] for name in sorted(named))]
    texts = [
        _BETWEEN.join([*map(form, given), *sorted(named)])
        for form in (_known, lambda value: str(value.type))
    ]
    op.attributes[RECURSION] = ArrayAttr(map(StringAttr, dict.fromkeys(texts)))


def why_not_kept(function: FuncOp, given: Sequence[SSAValue]) -> str:
    """Why nothing is known of a call's arguments, as the end of a sentence."""
    containers = [o for v in given if (o := container(v)) is not None]
    if containers:
        kind = "list" if isinstance(containers[0], ListOp) else "dict"
        return f"is given a {kind}, which it might change"
    names = [o.attribute.data for o in walk(function) if isinstance(o, SetattrOp)]
    return f"sets `{names[0]}`" if names else "is given what it might change"


def changed_arguments(call: Operation, arguments: Sequence[SSAValue]) -> set[int]:
    """The arguments of which something else is known than of those of calls around."""
    changed: set[int] = set()
    for text in _noted(call):
        given = zip(arguments, text.split(_BETWEEN), strict=False)
        changed |= {i for i, (value, then) in enumerate(given) if _known(value) != then}
    return changed


def _known(value: SSAValue) -> str:
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return str(owner.value)
    if isinstance(owner, TupleOp):
        return f"({', '.join(map(_known, owner.operands))})"
    if isinstance(owner, (DictOp, ListOp)) and is_only_read(value):
        return f"{owner.name}({', '.join(map(_known, owner.operands))})"
    if (part := _part(value)) is not None:
        return part
    return str(value.type)


def _part(value: SSAValue) -> str | None:
    """The text of an item or slice of what is a constant, as `layers[1:]` is.

    It is folded only once what it is given to is inlined: that might change it.
    """
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return str(owner.value)
    if not isinstance(owner, (SliceOp, SubscriptOp)):
        return None
    parts = [part for one in owner.operands if (part := _part(one)) is not None]
    return (
        f"{owner.name}({', '.join(parts)})"
        if len(parts) == len(owner.operands)
        else None
    )
