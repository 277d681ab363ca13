"""The border to torch-mlir, which has no types: everything beyond it is `Any`."""

import importlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from xdsl.context import Context
from xdsl.parser import Parser

from dycl.diag import SourceLoc

ir: Any = importlib.import_module("torch_mlir.ir")
MLIRError: type[Exception] = ir.MLIRError

_torch_mlir: Any = importlib.import_module("torch_mlir._mlir_libs._torchMlir")
_passmanager: Any = importlib.import_module("torch_mlir.passmanager")
_transform: Any = importlib.import_module("torch_mlir.dialects.transform.interpreter")
_engine: Any = importlib.import_module("torch_mlir.execution_engine")

# Ops are looked at by their names: to import the classes of a dialect with its first
# op, thousands in all, takes 0.3 s. Who imports a dialect still has them.
_globals: Any = importlib.import_module("torch_mlir._mlir_libs._mlir").globals
_globals.dialect_search_modules = []

TEXT_NAME = "-"
"""The file name that MLIR gives to text without locations of its own."""


@cache
def _context() -> Any:
    """The context of all that this process parses, and of its children.

    To make one, and to look up in it what passes rewrite, takes longer than to lower a
    small kernel.
    """
    context = ir.Context()
    # The kernels of a model are small: waking MLIR's threads costs more than it gains.
    context.enable_multithreading(False)
    _torch_mlir.register_dialect(context)
    context.get_dialect_descriptor("x86")  # which loads it
    return context


def parse(text: str, *, of_any_stage: bool = False) -> Any:
    """Parse a module. Raises MLIRError.

    `of_any_stage`: the text may be in a dialect that only a conversion loads.
    """
    with _context():
        if of_any_stage:
            run_passes(ir.Module.parse(""), "func.func(convert-torch-to-tmtensor)")
        return ir.Module.parse(text)


def text_of(module: Any) -> str:
    """The module as text, every op with its location inline."""
    return str(module.operation.get_asm(enable_debug_info=True, use_local_scope=True))


def run_passes(module: Any, passes: str, verify: bool = True) -> None:
    """Run a comma-separated list of passes on the module. Raises MLIRError.

    What comes out is verified once, or by the caller: after each pass it is a third
    of the time.
    """
    with module.context as context:
        make = _known_manager if context is _context() else _manager
        make(passes).run(module.operation)
        if verify:
            module.operation.verify()


def _manager(passes: str) -> Any:
    """What runs passes, in the current context."""
    manager = _passmanager.PassManager.parse(f"builtin.module({passes})")
    manager.enable_verifier(False)
    return manager


_known_manager = cache(_manager)
"""One of `_context()`: it has looked up what its passes rewrite at its first run."""


def apply_schedule(module: Any, text: str) -> None:
    """Apply the named sequence `@__transform_main` of a schedule. Raises MLIRError."""
    with module.context, ir.Location.unknown():
        schedule = ir.Module.parse(text)
        sequence = ir.SymbolTable(schedule.operation)["__transform_main"]
        _transform.apply_named_sequence(
            module.operation, sequence.operation, schedule.operation
        )


def engine(module: Any, opt_level: int) -> Any:
    """An ORC JIT for a module in the LLVM dialect; position-independent code."""
    return _engine.ExecutionEngine(module, opt_level, [], True, True)


def functions(module: Any) -> list[Any]:
    """The functions of a module, in order, but for those that are declared only.

    They end with the module: it has to be held for as long as they are looked at.
    """
    return [
        op.operation
        for op in module.body
        if op.operation.name == "func.func" and len(op.operation.regions[0].blocks)
    ]


def set_signature(func: Any, results: Sequence[Any] | None = None) -> None:
    """Make a function's type that of its block arguments; `results`: as they were."""
    kept = func.attributes["function_type"].value.results
    taken = [argument.type for argument in func.regions[0].blocks[0].arguments]
    given = list(kept if results is None else results)
    func.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(taken, given)
    )


def callee(call: Any) -> str:
    """The name of what a call calls; "": a pointer."""
    if "callee" not in call.attributes:
        return ""
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def names_others(op: Any) -> bool:
    """Whether an attribute of an op is the name of a function or a global."""
    attributes = op.attributes
    return any(
        isinstance(attributes[name], ir.FlatSymbolRefAttr | ir.SymbolRefAttr)
        for name in attributes
    )


def ops(root: Any) -> list[Any]:
    """All ops inside `root`, in order; a list, so that they may be erased."""
    result: list[Any] = []
    note, go_on = result.append, ir.WalkResult.ADVANCE

    def visit(op: Any) -> Any:
        note(op)
        return go_on

    root.walk(visit)
    return result


def replaced(op: Any, name: str) -> Any:
    """An op of another name in the place of `op`, which goes."""
    with ir.InsertionPoint(op), op.location:
        new_op = ir.Operation.create(
            name,
            operands=list(op.operands),
            results=[result.type for result in op.results],
        )
    for old, new in zip(op.results, new_op.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return new_op


def location_of(location: Any) -> SourceLoc | None:
    """The user's place for an MLIR location; None if it names no file of theirs."""
    return _location(str(location))


@lru_cache(maxsize=4096)
def _location(text: str) -> SourceLoc | None:
    attr = Parser(Context(), text).parse_optional_location()
    place = None if attr is None else SourceLoc.from_attr(attr)
    return None if place is None or place.file == TEXT_NAME else place
