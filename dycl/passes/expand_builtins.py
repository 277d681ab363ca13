"""`dycl-expand-builtins`: Python's functions of known items become what they do.

Before                    After
------                    -----
%l = dycl.list(%k, %b)    %0 = dycl.to_bool %k
%r = dycl.call %any(%l)   %r = dycl.if %0 -> (T) {
%m = dycl.list(%k, %one)    dycl.yield %true
%s = dycl.call %sum(%m)   } else {
dycl.return %r, %s          %1 = dycl.to_bool %b
                            dycl.yield %1
                          }
                          %s = dycl.builtin "builtins.sum"(%zero, %k, %one)
                          dycl.return %r, %s

`any`, `all`, `min`, `max`, `sum`, `sorted`, `in`, comparisons of lists and tuples,
`list`, `tuple`, `dict`, `slice`, `filter`, `map`, `next`, `divmod`, `pow`, `tolist`,
`copy`, `%` and `join` of a text, `is_integer`, `cast`, `Variable`, `unsqueeze_`,
`split` and `narrow` by lengths of data, tensors that are given as sizes, and ranges and
known masks as indices of tensors: evaluated in Python's order, and no further than
Python does. Of a list as long as the input decides, `min`, `max`, `sum`, `any`, `all`,
`index`, `in`, `v[::-1]`, `x[v]` and differences of sets, as loops.

Needs:  items that are known: `dycl-scalarize-aggregates` gives each call a list as it
        is there. `dycl-infer-shapes`: how many rows a tensor has.
Leaves: of these calls only those whose items depend on data.
Skips:  arguments of which the kind is not known yet, with a remark.
"""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dycl.analysis.folding.iteration import ANNOTATIONS
from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    InvokeOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.functions import entry_function
from dycl.ir.legacy_tensors import CLASSES
from dycl.ir.new_tensors import IN_PLACE_VIEWS
from dycl.ir.number_functions import NUMPY
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk
from dycl.passes.builtins import (
    arguments,
    even_parts,
    folds,
    indices,
    iterators,
    orders,
    outs,
    parts,
    reshaping,
    run_time_lists,
    sequences,
    single,
    sizes,
    tests,
    texts,
    values,
)
from dycl.passes.builtins.alike import alike
from dycl.passes.builtins.items import Site
from dycl.passes.builtins.ordered_dicts import ordered, with_default
from dycl.passes.builtins.slices import part, spelled_out

_CALLS: dict[str, Callable[[Site, CallOp], bool]] = {
    "builtins.any": tests.any_or_all,
    "builtins.all": tests.any_or_all,
    "math.prod": folds.product,
    "builtins.min": orders.min_or_max,
    "builtins.max": orders.min_or_max,
    "builtins.slice": spelled_out,
    "builtins.sorted": orders.sort,
    "builtins.sum": values.total,
    "builtins.list": values.collect,
    "builtins.tuple": values.collect,
    "builtins.dict": values.table,
    "builtins.filter": values.keep,
    "builtins.map": values.apply,
    "builtins.iter": iterators.itself,
    "builtins.next": iterators.advance,
    "builtins.divmod": values.quotient,
    "builtins.pow": values.power,
    "collections.OrderedDict": ordered,
    "collections.defaultdict": with_default,
    "torch.autograd.variable.Variable": values.variable,
    **dict.fromkeys(ANNOTATIONS, values.annotated),
    "torch.nn.functional.pad": sizes.padding,
}

_OF_TENSORS = ("torch.equal", "torch.allclose")

_OF_LISTS: dict[str, Callable[[Site, CallOp], bool]] = {
    "builtins.all": folds.any_or_all,
    "builtins.any": folds.any_or_all,
    **dict.fromkeys(
        ("builtins.min", "builtins.max"),
        lambda site, op: (
            sequences.min_or_max(site, op) or run_time_lists.extremum(site, op)
        ),
    ),
    "builtins.next": iterators.advance_in_list,
    "builtins.sum": folds.total,
    "builtins.list": lambda site, op: (
        sequences.difference(site, op) or run_time_lists.listed(site, op)
    ),
    "builtins.sorted": lambda site, op: (
        sequences.difference(site, op) or run_time_lists.sort(site, op)
    ),
    "builtins.tuple": run_time_lists.as_tuple,
}
"""What is done where the items are not known, but those of a sequence."""


@dataclass(frozen=True)
class ExpandBuiltinsPass(ModulePass):
    """Python's functions of known items become what they do."""

    name = "dycl-expand-builtins"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        environment = environment_of(ctx, op)
        for item in list(walk(entry)):
            if item.parent is not None:
                _expand(Site(item, environment), item)


def _expand(site: Site, op: Operation) -> None:
    match op:
        case CallOp() if constant_name(op.callee) in _OF_TENSORS:
            alike(site, op, constant_name(op.callee).removeprefix("torch."))
        case InvokeOp() if f"torch.{op.method.data}" in _OF_TENSORS:
            alike(site, op, op.method.data)
        case BinaryOp() if op.kind_name == "mod":
            texts.remainder(site, op)
        case CallOp():
            _expand_function(site, op, constant_name(op.callee))
        case SubscriptOp() | StoreSubscriptOp() if indices.index(site, op):
            pass
        case SubscriptOp():
            known = folds.turned_around(site, op) or part(site, op)
            if not (known or run_time_lists.stepped(site, op)):
                sequences.subscript(site, op)
        case CompareOp() if op.kind_name in ("in", "not_in"):
            if not tests.membership(site, op):
                sequences.membership(site, op)
        case CompareOp():
            if not tests.lexicographic(site, op):
                run_time_lists.compared(site, op)
        case BinaryOp():
            run_time_lists.multiplied(site, op)
        case UnpackOp():
            run_time_lists.unpacked(site, op)
        case InvokeOp() if op.method.data in IN_PLACE_VIEWS:
            if not reshaping.replace_by_view(site, op):
                remark(op, "not a view", "something else may be this tensor")
        case InvokeOp() if op.method.data in sizes.SIZED_METHODS:
            sizes.read_sizes(site, op)
            if op.method.data == "narrow":
                parts.narrow(site, op)
        case InvokeOp() if op.method.data in (*parts.SPLIT_METHODS, *even_parts.NAMES):
            _expand_parts(site, op, op.method.data)
        case InvokeOp() if op.method.data == "squeeze":
            single.squeeze(site, op)
        case InvokeOp() | ToBoolOp() | UnaryOp() if single.read(site, op):
            pass
        case InvokeOp() if op.method.data == "tolist" and not op.arguments:
            tensor = isinstance(op.receiver.type, VTensorType)
            if tensor and not values.to_list(site, op):
                sequences.to_list(site, op)
        case InvokeOp() if op.method.data == "is_integer" and not op.arguments:
            tests.is_whole(site, op)
        case InvokeOp() if op.method.data == "copy" and not op.arguments:
            values.copied(site, op)
        case InvokeOp() if op.method.data == "index" and len(op.arguments) > 1:
            run_time_lists.method(site, op)
        case InvokeOp() if len(op.arguments) == 1 and not op.keyword_names:
            _expand_method(site, op)
        case _:
            pass


def _expand_method(site: Site, op: InvokeOp) -> None:
    """A method of a list, a text or a tensor that is called with one argument."""
    if op.method.data == "extend":
        sequences.extend(site, op)
    elif op.method.data == "index":
        if not sequences.place(site, op):
            run_time_lists.method(site, op)
    elif op.method.data == "count":
        run_time_lists.method(site, op)
    elif op.method.data == "join":
        texts.joined(site, op)
    elif op.method.data == "masked_select":
        indices.masked_select(site, op)


def _expand_parts(site: Site, op: CallOp | InvokeOp, name: str) -> None:
    is_split = name not in even_parts.NAMES
    if is_split and parts.split(site, op):
        return
    if name != "split_with_sizes":
        even_parts.parts_of(site, op, name)


def _expand_function(site: Site, op: CallOp, name: str) -> None:
    if name in sizes.SIZED_CALLS:
        sizes.read_sizes(site, op)
        if name == "torch.arange" and not outs.without_out(site, op):
            sizes.count(site, op)
    elif name in parts.SPLIT_CALLS or name.removeprefix("torch.") in even_parts.NAMES:
        _expand_parts(site, op, name.rpartition(".")[2])
    elif name == "builtins.len":
        run_time_lists.of_set(site, op)
    elif name == "torch.squeeze":
        single.squeeze(site, op)
    elif single.read(site, op):
        pass
    elif name == "torch.tensor" or name in CLASSES:
        sequences.tensor_of(site, op, name)
    elif name in _CALLS:
        _expand_call(site, op, name)
    elif name in NUMPY:
        values.of_numpy(site, op, name)


def _expand_call(site: Site, op: CallOp, name: str) -> None:
    if op.is_starred and not arguments.least_or_most(site, op):
        remark(op, "not expanded", "what `*` or `**` stands for is not known")
    if op.is_starred:
        return
    done = _CALLS[name](site, op)
    if not done and name in _OF_LISTS:
        done = _OF_LISTS[name](site, op)
    if not done:
        remark(op, "not expanded", "what it is given is not known, or not its kind")
