"""The program as it was before a pass tried something, kept to be put back.

It is a function of its own, which an attribute of the entry function names:

    func.func @forward(%x: T) attributes {dycl.entry, dycl.before = @forward.before}
    func.func @forward.before(%x: T)
"""

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region

from dycl.ir.cloning import clone
from dycl.ir.functions import function_named_by
from dycl.ir.rewriting import append, erase

_ATTRIBUTES = ("dycl.before", "dycl.unchanged", "dycl.unguessed", "dycl.unordered")
"""What may name such a function; `dycl.ir.discardable` says what each is from."""


def set_aside(module: ModuleOp, entry: FuncOp, attribute: str) -> None:
    """Keep a copy of the entry function, which `attribute` names."""
    before = clone(entry)
    for name in ("dycl.entry", *_ATTRIBUTES):
        before.attributes.pop(name, None)
    name = f"{entry.sym_name.data}.{attribute.removeprefix('dycl.')}"
    before.properties["sym_name"] = StringAttr(name)
    entry.attributes[attribute] = SymbolRefAttr(name)
    append(module.body.block, before, source=entry)


def names_set_aside(entry: FuncOp) -> list[str]:
    """The attributes that name what the program was, each of another pass."""
    return [name for name in _ATTRIBUTES if name in entry.attributes]


def put_back(module: ModuleOp, entry: FuncOp, attribute: str) -> bool:
    """Make the program what it was; False: that has not been set aside."""
    before = function_named_by(module, entry, attribute)
    if before is None:
        return False
    body = before.detach_region(before.body)
    before.add_region(Region())
    entry.detach_region(entry.body)
    entry.add_region(body)
    now = ("dycl.entry", *_ATTRIBUTES)
    noted = {name: v for name, v in entry.attributes.items() if name in now}
    entry.attributes = {**before.attributes, **noted}
    forget(module, entry, attribute)
    return True


def forget(module: ModuleOp, entry: FuncOp, attribute: str) -> None:
    """What was set aside is not needed any more."""
    if (before := function_named_by(module, entry, attribute)) is not None:
        erase(before)
        del entry.attributes[attribute]
