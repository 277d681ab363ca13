"""Functions that are kept as such, and the program from before they were inlined.

Before                                           After
------                                           -----
%double = dycl.constant #dycl.function<@double>  %b = dycl.binary add %x, %x
%y = dycl.call %double(%x)                       dycl.return %b
dycl.return %y
func.func @double(%a: T) -> T
  attributes {dycl.params = ["a"]} {
  %b = dycl.binary add %a, %a
  dycl.return %b
}

That the data ends a recursion shows when bodies have been put into bodies, up to forty
deep. The program from before it began is set aside, so that nothing of that remains: it
takes the place of the entry function, and the function is not inlined again.
"""

from collections.abc import Iterable

from xdsl.dialects.builtin import (
    DenseArrayBase,
    ModuleOp,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from dycl.ir import CallOp, ConstantOp, GetattrOp, InvokeOp
from dycl.ir import set_aside as aside
from dycl.ir.walking import walk

_BEFORE = "dycl.before"
"""On the entry function: the program from before a recursion was inlined."""
_KEPT = "dycl.kept"
"""On a function that is not inlined: its parameters that calls change the number of."""


def is_kept(function: FuncOp) -> bool:
    """Whether a function is not to be inlined."""
    return _KEPT in function.attributes


def changed_in(function: FuncOp) -> set[int]:
    """The parameters of a kept function that are given changing numbers."""
    changed = function.attributes.get(_KEPT)
    return set(changed.iter_values()) if isinstance(changed, DenseArrayBase) else set()


def keep_function(function: FuncOp, changed: Iterable[int]) -> None:
    """Do not inline a function from now on."""
    numbers = sorted(changed_in(function) | {*changed})
    function.attributes[_KEPT] = DenseArrayBase.from_list(i64, numbers)


def set_aside(module: ModuleOp, entry: FuncOp, function: FuncOp) -> None:
    """Keep a copy of the program in which `function` is about to be inlined.

    Only of the first that may call itself: the program is then small.
    """
    if _BEFORE not in entry.attributes and _may_call_itself(function):
        aside.set_aside(module, entry, _BEFORE)


def put_back(module: ModuleOp, entry: FuncOp) -> bool:
    """Make the program what it was before; False: that has not been kept."""
    return aside.put_back(module, entry, _BEFORE)


def forget(module: ModuleOp, entry: FuncOp) -> None:
    """What was set aside is not needed any more."""
    aside.forget(module, entry, _BEFORE)


def _may_call_itself(function: FuncOp) -> bool:
    """Whether something in a body has the name of its function."""
    symbol = function.sym_name.data
    name = symbol.rpartition(".")[2]
    for op in walk(function.body):
        match op:
            case InvokeOp() if op.method.data == name:
                return True
            case GetattrOp() if op.attribute.data == name:
                return True
            case CallOp() if isinstance(op.callee, BlockArgument):
                return True  # `self(x)`, in its `forward`
            case ConstantOp() if f"@{symbol}>" in str(op.value):
                return True
            case _:
                pass
    return False
