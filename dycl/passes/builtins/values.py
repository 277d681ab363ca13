"""`sum`, `list`, `tuple`, `dict`, `filter`, `next`, `divmod`, `pow`, and others.

Before                    After
------                    -----
%l = dycl.list(%k, %one)  %s = dycl.builtin "builtins.sum"(%zero, %k, %one)
%s = dycl.call %sum(%l)   dycl.return %s
dycl.return %s
"""

from math import prod
from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.folding.iterators import is_used_up_once
from dycl.analysis.tensors.abstract import (
    Kind,
    Scalar,
    Tensor,
    from_type,
    kind_of,
    type_of,
)
from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CallOp,
    DictOp,
    InvokeOp,
    ListOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.number_functions import NUMPY_OF_LISTS, SUM, result_kind
from dycl.ir.rewriting import erase
from dycl.ir.torch import VTensorType
from dycl.passes.builtins.items import MOST_ITEMS, Site, is_number, is_settled


def total(site: Site, op: CallOp) -> bool:
    """`sum(v, start)`: of numbers a call on the host, else one addition after another.

    Python adds floats more exactly than `+` does (from 3.12 on).
    """
    keywords = op.keyword_arguments
    positional = list(op.positional)
    if "start" in keywords:
        positional.append(keywords.pop("start"))
    if keywords or not 1 <= len(positional) <= 2:
        return False
    items = site.items(positional[0])
    if items is None:
        return False
    values = site.values(items)
    start = positional[1] if len(positional) == 2 else site.constant(0)
    if not all(is_settled(v) or isinstance(v.owner, (ListOp, TupleOp)) for v in values):
        return False
    given = [start, *values]
    kinds = [kind for v in given if (kind := _kind(v)) is not None]
    if all(map(is_number, given)) and (kind := result_kind(SUM, kinds)):
        return site.done(site.add(BuiltinOp(SUM, given, type_of(Scalar(kind)))))
    for value in values:
        start = site.add(BinaryOp("add", start, value))
    return site.done(start)


def _kind(value: SSAValue) -> Kind | None:
    return kind_of(constant_value(value)) or kind_of(from_type(value.type))


def collect(site: Site, op: CallOp) -> bool:
    """`list(v)` and `tuple(v)`: of a range, a zip, a tensor's rows, a map; `list()`."""
    if not op.arguments and not op.keyword_names:
        return site.done(site.add(_collection(op)([])))
    if len(op.arguments) != 1 or op.keyword_names:
        return False
    if isinstance(op.arguments[0].owner, (ListOp, DictOp)):
        return False  # `dycl-scalarize-aggregates` follows it
    items = site.items(op.arguments[0])
    if items is None:
        return False
    return site.done(site.add(_collection(op)(site.values(items))))


def copied(site: Site, op: InvokeOp) -> bool:
    """`v.copy()` of a list or dict of plain data that is known: a new one."""
    constant = constant_value(op.receiver)
    if isinstance(constant, list) and all(map(_is_plain, cast(list[object], constant))):
        items = cast(list[object], constant)
        return site.done(site.add(ListOp([site.constant(item) for item in items])))
    if isinstance(constant, dict):
        entries = cast(dict[object, object], constant)
        flat = [each for entry in entries.items() for each in entry]
        if all(map(_is_plain, flat)):
            return site.done(site.add(DictOp([site.constant(each) for each in flat])))
    return False


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _collection(op: CallOp) -> type[ListOp] | type[TupleOp]:
    return ListOp if constant_name(op.callee) == "builtins.list" else TupleOp


_PLAIN = (bool, int, float, str, type(None))


def table(site: Site, op: CallOp) -> bool:
    """`dict(a=1)`, `dict(pairs)`, and a copy of a dict of plain values."""
    flat: list[SSAValue] = []
    if len(op.positional) > 1:
        return False
    for pairs in op.positional:
        if isinstance(pairs.owner, DictOp):
            return False
        if isinstance(known := constant_value(pairs), dict):
            entries = cast("dict[object, object]", known).items()
            if not all(isinstance(v, _PLAIN) for entry in entries for v in entry):
                return False
            flat += [site.constant(v) for entry in entries for v in entry]
            continue
        items = site.items(pairs)
        if items is None:
            return False
        for pair in site.values(items):
            entry = site.items(pair)
            if entry is None or len(entry) != 2:
                return False
            flat += site.values(entry)
    for name, value in op.keyword_arguments.items():
        flat += [site.constant(name), value]
    return site.done(site.add(DictOp(flat)))


def keep(site: Site, op: CallOp) -> bool:
    """`filter(f, v)`: a list that the items are appended to which pass."""
    if len(op.arguments) != 2 or op.keyword_names or not is_used_up_once(op.result):
        return False
    function, iterable = op.arguments
    items = site.items(iterable)
    if items is None:
        return False
    kept = site.add(ListOp([]))
    for value in site.values(items):
        asked = value
        if constant_value(function) is not None:
            asked = site.add(CallOp(function, [value]))

        def append(value: SSAValue = value) -> list[SSAValue]:
            site.add(InvokeOp(kept, "append", [value]))
            return []

        site.branch(site.to_bool(asked), "filter", append, list)
    return site.done(kept)


_USE_ALL = frozenset(
    f"builtins.{name}"
    for name in ("list", "max", "min", "set", "sorted", "sum", "tuple")
)


def apply(site: Site, op: CallOp) -> bool:
    """`map(f, v)` whose one reader takes all items at once: calls in front of it."""
    uses = list(op.result.uses)
    if len(uses) != 1 or uses[0].operation.parent is not op.parent:
        return False
    reader = uses[0].operation
    name = constant_name(reader.callee) if isinstance(reader, CallOp) else ""
    if name not in _USE_ALL and not isinstance(reader, UnpackOp):
        return False
    items = site.items(op.result)
    if items is None:
        return False
    there = Site(reader, site.environment)
    reader.operands[uses[0].index] = there.add(ListOp(there.values(items)))
    erase(op)
    return True


def quotient(site: Site, op: CallOp) -> bool:
    """`divmod(a, b)` of numbers."""
    if len(op.arguments) != 2 or not all(map(is_number, op.arguments)):
        return False
    parts = [
        site.add(BinaryOp(kind, op.arguments[0], op.arguments[1]))
        for kind in ("floordiv", "mod")
    ]
    return site.done(site.add(TupleOp(parts)))


def of_numpy(site: Site, op: CallOp, name: str) -> bool:
    """`np.exp(a)` and `np.mean([a, b])` of numbers: a call on the host."""
    if op.keyword_names:
        return False
    given = list(op.arguments)
    if name in NUMPY_OF_LISTS:
        items = site.items(given[0]) if len(given) == 1 else None
        if items is None or not isinstance(given[0].owner, (ListOp, TupleOp)):
            return False
        given = site.values(items)
    kinds = [kind for v in given if (kind := _kind(v)) is not None]
    if not all(map(is_number, given)) or len(kinds) < len(given):
        return False
    if (kind := result_kind(name, kinds)) is None:
        return False
    return site.done(site.add(BuiltinOp(name, given, type_of(Scalar(kind)))))


def power(site: Site, op: CallOp) -> bool:
    """`pow(a, b)` is `a ** b`."""
    if len(op.arguments) != 2 or op.keyword_names:
        return False
    return site.done(site.add(BinaryOp("pow", op.arguments[0], op.arguments[1])))


def annotated(site: Site, op: CallOp) -> bool:
    """`typing.cast(T, v)` and `torch.jit.annotate(T, v)` are `v`."""
    if len(op.positional) != 2 or op.keyword_names:
        return False
    return site.done(op.positional[1])


def variable(site: Site, op: CallOp) -> bool:
    """`torch.autograd.Variable(x, requires_grad=False)` is the tensor `x`."""
    data = [
        *op.positional,
        *(v for k, v in op.keyword_arguments.items() if k == "data"),
    ]
    if not data or not isinstance(data[0].type, VTensorType):
        return False
    return site.done(data[0])


def to_list(site: Site, op: InvokeOp) -> bool:
    """`t.tolist()`: a list of lists of numbers, or one number."""
    tensor = from_type(op.receiver.type)
    if not isinstance(tensor, Tensor) or not tensor.is_static:
        return False
    if prod(tensor.sizes) > MOST_ITEMS:
        return False

    def nested(value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        if not shape:
            return site.add(InvokeOp(value, "item", []))
        rows = [site.add(SubscriptOp(value, site.constant(i))) for i in range(shape[0])]
        return site.add(ListOp([nested(row, shape[1:]) for row in rows]))

    return site.done(nested(op.receiver, tensor.sizes))
