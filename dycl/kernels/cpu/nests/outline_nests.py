"""`cpu-outline-nests`: equal nests of all kernels become one function, compiled once.

A network's kernels are mostly the same few nests on other memory. The name of a nest is
from here on a digest of what it does, so kernels that are compiled apart have one.

Before (module attribute `dycl.apart = "..."`: with what settings):
    func.func @k(...) { func.call @nest.0(%x, %w, %out) }
    func.func private @nest.0(...) { scf.for ... }

After:
    func.func @k(...) { func.call @nest_4f1c(%x, %w, %out) }
    func.func private @nest_4f1c(...)
    builtin.module { func.func @nest_4f1c(...) { scf.for ... } }

Needs:  memrefs; `cpu-split-nests`, for parts of a nest are a part of what it does.
Leaves: declarations, which still say that threads share a nest; `take_nests` takes the
        modules out.
Skips:  a module without the attribute; functions that are not worth an object of their
        own, that give values, or that name others.
"""

import hashlib
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from dycl.kernels.cpu.mlir import (
    callee,
    functions,
    ir,
    names_others,
    ops,
    run_passes,
)
from dycl.kernels.cpu.nests.split_nests import SPLIT

APART = "dycl.apart"
"""On a module whose nests are to be compiled apart: with what settings."""
_FEW = 40
"""Operations that LLVM compiles in less time than it takes to set it up once more."""
_MODULE = "builtin.module"
_NAME = "nest"
"""How a nest is called while its digest is taken."""


def note_apart(module: Any, how: str) -> None:
    """Say that the nests of a module are to be compiled apart, with these settings."""
    with module.context:
        module.operation.attributes[APART] = ir.StringAttr.get(how)


def outline_nests(module: Any) -> None:
    """Move every nest of `module` that is worth it to a module of its own."""
    attributes = module.operation.attributes
    if APART not in attributes:
        return
    how = str(attributes[APART].value)
    del attributes[APART]
    names: dict[str, str] = {}
    for func in filter(_is_worth_it, functions(module)):
        old = str(func.attributes["sym_name"].value)
        names[old] = _outline(module, func, how, [*names.values()])
    for func in functions(module):
        for op in ops(func):
            if op.name == "func.call" and callee(op) in names:
                name = names[callee(op)]
                op.attributes["callee"] = ir.FlatSymbolRefAttr.get(name)


def take_nests(module: Any) -> dict[str, Any]:
    """Take the nests out of a module: by name, a module with each."""
    inner = [op.operation for op in module.body if op.operation.name == _MODULE]
    taken: dict[str, Any] = {}
    for op in inner:
        (func,) = op.regions[0].blocks[0].operations
        with func.location:
            apart = ir.Module.create()
        func.operation.clone(ir.InsertionPoint(apart.body))
        taken[str(func.attributes["sym_name"].value)] = apart
        op.erase()
    return taken


def _is_worth_it(func: Any) -> bool:
    if "llvm.linkage" not in func.attributes:
        return False  # a kernel
    if len(func.attributes["function_type"].value.results):
        return False
    inside = ops(func)  # first what it is inside of, last what ends it
    return len(inside) >= _FEW and not any(map(names_others, inside[1:]))


def _outline(module: Any, func: Any, how: str, known: Sequence[str]) -> str:
    """Put a declaration in the place of a function, and that into a module, if it is
    not `known` yet; its name."""
    with func.location, ir.InsertionPoint(module.body):
        inner = ir.Operation.create(_MODULE, regions=1)
    apart = func.clone(ir.InsertionPoint(inner.regions[0].blocks.append())).operation
    for attribute in ("llvm.linkage", "sym_visibility", SPLIT):
        if attribute in apart.attributes:
            del apart.attributes[attribute]
    apart.attributes["sym_name"] = ir.StringAttr.get(_NAME)
    # Where a nest comes from is no part of what it does.
    run_passes(inner, "strip-debuginfo", verify=False)
    name = f"{_NAME}_{_digest(apart, how)}"
    apart.attributes["sym_name"] = ir.StringAttr.get(name)
    if name in known:
        inner.erase()
    else:
        _declare(func, name)
    func.erase()
    return name


def _digest(func: Any, how: str) -> str:
    written = BytesIO()
    func.write_bytecode(written)  # in a sixth of the time that text takes
    return hashlib.sha256(how.encode() + written.getvalue()).hexdigest()[:32]


def _declare(func: Any, name: str) -> None:
    """Declare a function by another name, before it; threads share it as before."""
    attributes = {
        "sym_name": ir.StringAttr.get(name),
        "sym_visibility": ir.StringAttr.get("private"),
        "function_type": func.attributes["function_type"],
    }
    if SPLIT in func.attributes:
        attributes[SPLIT] = func.attributes[SPLIT]
    with func.location, ir.InsertionPoint(func):
        ir.Operation.create("func.func", attributes=attributes, regions=1)
