"""The functions of a module: which one is run, and where it returns."""

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region

from dycl.ir.dialect import ReturnOp
from dycl.ir.walking import ops_in, walk

BACKEND = "dycl.backend"
"""On a kernel, the name of the backend that compiles it, instead of the network's."""

OURS = "cpu"
"""The backend of what is left to no other one."""


GENERATOR = "dycl.generator"
"""On a function whose call gives a generator, and on such a call."""


MEMOISED = "dycl.memoised"
"""On a function that eager runs once for the same arguments: the attributes that it
reads."""


def entry_function(module: ModuleOp) -> FuncOp | None:
    """The function marked `dycl.entry`, which a compiled model runs, or None."""
    for op in ops_in(module.body.block):
        # Most are objects, and `isinstance` of a class of xDSL's takes long.
        if "dycl.entry" in op.attributes and isinstance(op, FuncOp):
            return op
    return None


def argument_names(entry: FuncOp) -> list[str]:
    """What the arguments are called: as the frontend noted, or the IR's own names."""
    arguments = entry.body.block.args
    noted = entry.attributes.get("dycl.params")
    own = [a.name_hint or f"arg{i}" for i, a in enumerate(arguments)]
    if isinstance(noted, ArrayAttr):
        names = [n.data for n in noted if isinstance(n, StringAttr)]
        # Of a method, `self` has gone; what a pass has added stands behind.
        own[: len(names)] = names[max(0, len(names) - len(arguments)) :]
    return own


def returns_in(body: Block | Region) -> list[ReturnOp]:
    """The returns of a function's body, at any depth, in order."""
    return [op for op in walk(body) if isinstance(op, ReturnOp)]


def set_slot_attribute(
    function: FuncOp, is_result: bool, index: int, name: str, attribute: Attribute
) -> None:
    """Give an argument or a result of a function an attribute."""
    signature = function.function_type
    count = len(signature.outputs if is_result else signature.inputs)
    before = function.res_attrs if is_result else function.arg_attrs
    entries = list(before) if before else [DictionaryAttr({})] * count
    entries[index] = DictionaryAttr({**entries[index].data, name: attribute})
    if is_result:
        function.res_attrs = ArrayAttr(entries)
    else:
        function.arg_attrs = ArrayAttr(entries)


def function_named_by(module: ModuleOp, op: Operation, attribute: str) -> FuncOp | None:
    """The function whose symbol is an attribute of an op; None: there is none."""
    symbol = op.attributes.get(attribute)
    if not isinstance(symbol, SymbolRefAttr):
        return None
    name = symbol.root_reference.data
    for one in module.body.ops:
        if isinstance(one, FuncOp) and one.sym_name.data == name:
            return one
    return None
