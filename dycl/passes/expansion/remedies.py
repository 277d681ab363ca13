"""What to do instead, for each reason that `dycl-expand-modules` refuses an op for."""

import difflib
import re
import sys
from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.symbol_words import OF_INPUT
from dycl.analysis.memory.aliases import OVERLAPS, REPEATED
from dycl.analysis.tensors.refused import NO_NODE
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    FormatOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    NodeType,
    SubscriptOp,
    ToBoolOp,
    UpdateSubscriptOp,
)
from dycl.ir.builtin_nodes import BASES, DICT
from dycl.ir.constant_values import constant_name
from dycl.ir.datatypes import datatype_around, datatypes_of, is_identity
from dycl.ir.dialect.operators import BINARY_KINDS, COMPARE_KINDS
from dycl.ir.functions import entry_function
from dycl.ir.input_sizes import sizes_of
from dycl.ir.library import UNFOLLOWED_ITERATOR
from dycl.ir.new_tensors import IN_PLACE_VIEWS
from dycl.ir.walking import outwards
from dycl.prelude import COMPLEX_RECORD
from dycl.support.reasons import (
    EAGER_RAISES,
    FOREIGN,
    RANDOM,
    UNORDERED,
    code_of,
)

_OUT = "write the result to a new name: `y = x + 1` instead of `x += 1`"
_COPY = "store into a copy that has no other name or view: `y = y.clone()` before"
_READ_COPY = "read a copy: `y.add_(y[0].clone())`"
_NOT_REPEATED = "write to a copy: `y = x.expand(3, 4).clone()`"
_ONE_TRUTH = "say what is asked: `.all()`, `.any()`, or one element of it"
_HELP = "write it with other torch operations, or move it out of the compiled network"
_ONE_SIZE = "where one size alone fits, leave it out of dynamic_shapes (`--dim`)"
_HELPS = {
    RANDOM: "draw the numbers before, and give them to the network as an input",
    UNORDERED: "keep a dict: `seen[key] = True`, `key in seen`, `len(seen)`",
    FOREIGN: _HELP,
}
_OPERATOR = re.compile(r"torch op ([a-z]\w*)\.(\w+)(?:\.\w+)? has no lowering")
_NO_NAME = re.compile(
    r"'Tensor' object has no attribute '(?P<name>\w+)'"
    r"|there is no `(?P<owner>torch[\w.]*)\.(?P<name_>\w+)`"
)
_AS_TEXT = "as text"
_OF_KIND = "ask first which kind it is of: `if isinstance(v, torch.Tensor):`"
OF_ITERATOR = "keep a list instead, and take its items by number: `items[0]`"


def of_write(op: Operation, why: str) -> str:
    """Where a write is seen elsewhere; `why` is what `visible_writes` says."""
    if why == OVERLAPS:
        return _READ_COPY
    if why == REPEATED:
        return _NOT_REPEATED
    name = IN_PLACE_VIEWS.get(op.method.data) if isinstance(op, InvokeOp) else None
    if name is not None:
        return f"take what it gives under a name: `y = y.{name}(...)`"
    return _COPY if isinstance(op, UpdateSubscriptOp) else _OUT


def of_unknown(op: Operation, reason: str, fails: bool = False) -> tuple[str, str]:
    """Where the analysis of types says why it does not know what an op gives: a code,
    and what to do.

    `fails`: eager raises there, too, with any elements.
    """
    code = code_of(reason)
    if reason == NO_NODE:
        return code, _of_node(op)
    if (help_ := _of_words(reason)) is not None:
        return code, help_
    if reason.endswith(OF_INPUT) and _has_dynamic_shapes(op):
        return code, _ONE_SIZE
    is_own = code not in _HELPS and not isinstance(op, ToBoolOp)
    if code == EAGER_RAISES or (fails and is_own):
        return EAGER_RAISES, "eager raises this, too: look at what is given here"
    return code, _ONE_TRUTH if isinstance(op, ToBoolOp) else help_of(code)


def _has_dynamic_shapes(op: Operation) -> bool:
    """Whether sizes of the inputs are left to each call."""
    *_, module = outwards(op)
    entry = entry_function(module) if isinstance(module, ModuleOp) else None
    return entry is not None and bool(sizes_of(entry))


def of_stand_in(op: Operation, record: str) -> tuple[str, str]:
    """What to say of an op on a tensor for which a record of `dycl.prelude` stands, and
    what to do: no call of ours takes the place of this one."""
    match op:
        case CallOp() if name := constant_name(op.callee):
            asked = f"`{name.removeprefix('builtins.')}`"
        case InvokeOp():
            asked = f"the method `{op.method.data}`"
        case GetattrOp():
            asked = f"the attribute `{op.attribute.data}`"
        case BinaryOp() | InplaceOp():
            asked = f"`{BINARY_KINDS[op.kind_name]}`"
        case CompareOp():
            asked = f"`{COMPARE_KINDS[op.kind_name]}`"
        case _:
            asked = "this"
    if record == COMPLEX_RECORD:
        help_ = "compute with its `real` and its `imag`"
        return f"{asked} of a complex tensor is not compiled", help_
    return f"{asked} of a sparse tensor is not compiled", "use what `to_dense` gives"


def help_of(code: str) -> str:
    """What to do about a reason of which its code alone is known."""
    return _HELPS.get(code, _HELP)


def _of_node(op: Operation) -> str:
    """What to do instead of an op that is not done with a node of a tree."""
    match op:
        case _ if any(is_identity(value.type) for value in op.operands):
            return _NODE_IDENTITY
        case CallOp() if (name := constant_name(op.callee)) in _NODE_HELPS:
            return _NODE_HELPS[name]
        case _ if _is_of_table(op):
            return _NODE_TABLE
        case FormatOp():
            return _NODE_TEXT
        case InvokeOp() if op.method.data == "format":
            return _NODE_TEXT
        case CompareOp() if op.kind_name in ("is", "is_not"):
            return _NODE_NUMBER
        case _ if _asks_dict(op) and _may_be(op, (DICT,)):
            return _NODE_KEYS
        case _ if _may_be(op, BASES):
            return _OF_KIND
        case CompareOp() if op.kind_name in ("eq", "ne", "in", "not_in"):
            return _NODE_NUMBER
        case InvokeOp() if op.method.data in ("count", "index", "remove"):
            return _NODE_NUMBER
        case _:
            return _NODE_VALUE


def _is_of_table(op: Operation) -> bool:
    """Whether an op reads a dict that a node holds, or does something with one."""
    reads = [op, *(value.owner for value in op.operands)]
    reads += [one.receiver.owner for one in reads if isinstance(one, InvokeOp)]
    for read in reads:
        if isinstance(read, GetattrOp):
            datatype = datatype_around(read, read.operand.type)
            if datatype is not None and datatype.has_table(read.attribute.data):
                return True
    return False


def _asks_dict(op: Operation) -> bool:
    """Whether an op is one that dicts take, of all keys or of one that a run knows."""
    match op:
        case InvokeOp():
            return op.method.data in ("get", "items", "keys", "values")
        case CallOp():
            return constant_name(op.callee) in _OF_DICTS
        case CompareOp():
            return op.kind_name in ("in", "not_in")
        case _:
            return isinstance(op, SubscriptOp)


def _may_be(op: Operation, constructors: Collection[str]) -> bool:
    """Whether a node that an op is given may be of one of these constructors."""
    around = op
    while (above := around.parent_op()) is not None and not isinstance(around, FuncOp):
        around = above
    known = datatypes_of(around) if isinstance(around, FuncOp) else {}
    kinds = [v.type for v in op.operands if isinstance(v.type, NodeType)]
    names = [one.datatype.data for one in kinds if one.datatype.data in known]
    wanted = {*constructors}
    return any(not wanted.isdisjoint(known[one].constructors) for one in names)


_OF_DICTS = tuple(f"builtins.{name}" for name in ("dict", "len", "list", "sorted"))
_NODE_KEYS = (
    "of a dict in a tree, ask for keys that the program names: `d['left']`, "
    "`'left' in d`, `d.get('left')`; keep what is gone over in a list of nodes"
)
_NODE_TABLE = (
    "a dict that a node holds is gone over, and asked for keys: `d.items()`, `d[k]`, "
    "`d.get(k)`, `k in d`, `len(d)`; it is never changed; make a dict of it: "
    "`dict(d)`"
)
_NODE_NUMBER = "give each node a number of its own, and ask for that: `node.number`"
_NODE_IN_ORDER = (
    "compare nodes by `is`; for what shared ones give, number them, list them with "
    "children first, and keep it in a list: `done[node.left.number]`"
)
_NODE_IDENTITY = (
    "what `id` gives is another number in each run: compare it by `==`, or let it be a "
    "key of a dict or set, as in `memo[id(node)]`"
)
_NODE_TEXT = "write what it holds, its texts and numbers"
_NODE_VALUE = "do it with what the node holds: `node.value`"
_NODE_HELPS = {
    **dict.fromkeys(
        ("builtins.getattr", "builtins.hasattr"),
        "give an example in which a node has it, or ask `isinstance(node, C)`",
    ),
    **dict.fromkeys(("builtins.hash", "builtins.id"), _NODE_IN_ORDER),
    **dict.fromkeys(("builtins.repr", "builtins.str"), _NODE_TEXT),
    "builtins.type": "compare it with a class: `type(node) is C`",
}


def _of_words(reason: str) -> str | None:
    """What to do by what a reason says; None: that is not enough."""
    if (match := _NO_NAME.search(reason)) is not None:
        name = match["name"] or match["name_"]
        return _close_to(name, match["owner"] or "torch.Tensor")
    if _AS_TEXT in reason:
        return of_text(reason)
    if reason == UNFOLLOWED_ITERATOR:
        return OF_ITERATOR
    if reason.startswith(("an OrderedDict", "a defaultdict")):
        return "use a plain dict, which keeps its order too"
    return None


def _close_to(name: str, owner: str) -> str:
    """What may be meant by a name that something of torch does not have."""
    root, *parts = owner.split(".")
    known: object = sys.modules.get(root)
    for part in parts:
        known = getattr(known, part, None)
    names = [
        member for member in dir(known) if member.endswith("_") is name.endswith("_")
    ]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    return f"did you mean `{close[0]}`?" if close else "torch has none of this name"


def of_operator(reason: str) -> str:
    """Where torch cannot trace an op: one that it knows can be given a lowering."""
    match = _OPERATOR.search(reason)
    if match is None:
        return help_of(code_of(reason))
    return f'write how it is computed: @dycl.lowering("{match[1]}::{match[2]}")'


def of_text(reason: str) -> str:
    """Where a text, or a call that writes one, is not taken."""
    if _AS_TEXT in reason:
        return "write its numbers: `t.item()`, for example in an f-string"
    return "use `print`, a logger or `warnings.warn` with numbers and texts"
