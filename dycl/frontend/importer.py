"""The whole import: functions are lowered as they are first mentioned."""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region

from dycl.diag import CompileError, CompileErrors
from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.capture import Capture, object_op
from dycl.frontend.names import constant_of
from dycl.frontend.source import FunctionSource, NoSource, assigned_names, read
from dycl.frontend.statements import lower_statements
from dycl.ir import CallOp, ConstantOp, ReturnOp, UnsupportedOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.values import NotAConstant, ObjectRef, to_attr

ENTRY = "forward"
"""Symbol of the function that a compiled model runs."""

_HARMLESS_DECORATORS = ("no_grad", "inference_mode", "staticmethod", "wraps")


@dataclass(frozen=True)
class Imported:
    """A module in the source storey, and the model's tensors by name."""

    module: ModuleOp
    params: dict[str, Any]


def import_model(
    model: Any, input_types: Sequence[Attribute], names: Sequence[str] = ()
) -> Imported:
    """The source storey of a `torch.nn.Module`.

    `input_types` are the types of `forward`'s arguments, in order; `names` what to call
    them (default: as `forward` does).
    """
    importer = _Importer()
    capture = Capture(model, importer.symbol)
    entry = _entry_function(model, input_types, names)
    objects = _object_ops(capture, importer)
    module = ModuleOp([*objects, entry, *importer.functions()])
    module.location = entry.location
    return Imported(module, capture.params)


def import_function(
    function: Callable[..., Any], input_types: Sequence[Attribute]
) -> ModuleOp:
    """The source storey of a plain Python function, which becomes the entry."""
    importer = _Importer()
    symbol = importer.symbol(function)
    source = _source_of(function)
    constant = ConstantOp(to_attr(constant_of(function, lambda _: symbol)))
    names = [a.arg for a in source.node.args.args]
    entry = _entry(constant, input_types, names, source)
    module = ModuleOp([entry, *importer.functions()])
    module.location = entry.location
    return module


def _object_ops(capture: Capture, importer: "_Importer") -> list[Any]:
    """Objects found while others are captured are captured in turn."""
    ops: list[Any] = []
    done: set[str] = set()
    while len(done) < len(capture.objects):
        for path in [p for p in capture.objects if p not in done]:
            done.add(path)
            target = capture.objects[path]
            ops.append(object_op(path, target, capture.members(path)))
    return ops


def _source_of(function: Callable[..., Any]) -> FunctionSource:
    """The source of what is compiled. CompileErrors: it cannot be read."""
    try:
        return read(function)
    except NoSource as why:
        what = f"the source of `{why}` cannot be read"
        hint = "define it with `def` in a file, not in `exec` or a shell"
        raise CompileErrors([CompileError("DY110", what, hint=hint)]) from None


def _entry_function(
    model: Any, input_types: Sequence[Attribute], names: Sequence[str]
) -> FuncOp:
    source = _source_of(model.forward)
    arguments = [a.arg for a in source.node.args.args]
    if inspect.ismethod(model.forward):
        arguments = arguments[1:]
    shown = [*names, *arguments[len(names) :]]
    return _entry(ConstantOp(to_attr(ObjectRef(""))), input_types, shown, source)


def _entry(
    callee: ConstantOp,
    input_types: Sequence[Attribute],
    names: Sequence[str],
    source: FunctionSource,
) -> FuncOp:
    """`forward`: call the model, return what it returns."""
    block = Block(arg_types=input_types)
    for argument, name in zip(block.args, names, strict=False):
        argument.name_hint = name
    call = CallOp(callee.result, block.args)
    ops = [callee, call, ReturnOp([call.result])]
    block.add_ops(ops)
    function = FuncOp(ENTRY, (list(input_types), []), Region(block))
    function.attributes["dycl.entry"] = UnitAttr()
    shown = [StringAttr(n) for n in names[: len(input_types)]]
    function.attributes["dycl.params"] = ArrayAttr(shown)
    for op in [function, *ops]:
        op.location = source.location(source.node)
    return function


class _Importer:
    """Gives each user function a symbol, and lowers it once."""

    def __init__(self) -> None:
        self._symbols: dict[Any, str] = {}
        self._waiting: list[tuple[str, Any]] = []

    def symbol(self, function: Callable[..., Any]) -> str:
        """The symbol of a function; the first mention queues it for lowering."""
        found = self._symbols.get(function)
        if found is None:
            plain: Any = inspect.unwrap(function)
            stem = f"{plain.__module__}.{plain.__qualname__}".replace("<locals>.", "")
            taken = set(self._symbols.values())
            found, index = stem, 1
            while found in taken:
                found, index = f"{stem}_{index}", index + 1
            self._symbols[function] = found
            self._waiting.append((found, function))
        return found

    def functions(self) -> list[FuncOp]:
        """All functions mentioned, and those that they mention."""
        done: list[FuncOp] = []
        while self._waiting:
            symbol, function = self._waiting.pop(0)
            done.append(_lower_function(symbol, function, self.symbol))
        return done


def _lower_function(
    symbol: str, function: Any, function_symbol: Callable[[Any], str]
) -> FuncOp:
    try:
        source = read(function)
    except NoSource as why:
        return _refused_function(symbol, function, str(why))
    arguments = source.node.args
    names = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
    names += [a.arg for a in arguments.kwonlyargs]
    rest = [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
    local_names = {*names, *rest, *assigned_names(source.node.body)}
    b = FunctionBuilder(source, local_names, function_symbol)
    block = Block(arg_types=[VALUE] * len(names))
    b.block = block
    for name, argument in zip(names, block.args, strict=True):
        b.bind(name, argument)
    _refuse_signature(b, wrapped=source.function is not function)
    if lower_statements(b, source.node.body):
        b.emit(ReturnOp([b.constant(None, source.node)]), source.node)
    types = [VALUE] * len(names)
    op = FuncOp(symbol, (types, [VALUE]), Region(block))
    op.location = source.location(source.node)
    op.attributes["dycl.params"] = ArrayAttr(StringAttr(n) for n in names)
    if arguments.vararg is not None or arguments.kwarg is not None:
        op.attributes["dycl.variadic"] = UnitAttr()
    defaults = _defaults(source, function_symbol)
    if defaults:
        op.attributes["dycl.defaults"] = DictionaryAttr(defaults)
    return op


def _refuse_signature(b: FunctionBuilder, wrapped: bool) -> None:
    """A decorator that gave the function itself back hides nothing."""
    node = b.source.node
    for argument in (node.args.vararg, node.args.kwarg):
        if argument is not None:
            b.bind(argument.arg, b.refuse(refusals.star_arguments(), argument))
    for decorator in node.decorator_list if wrapped else []:
        text = ast.unparse(decorator)
        name = text.partition("(")[0].rpartition(".")[2]
        if name not in _HARMLESS_DECORATORS:
            b.refuse(refusals.decorated(text), decorator)


def _defaults(
    source: FunctionSource, function_symbol: Callable[[Any], str]
) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for parameter in inspect.signature(source.function).parameters.values():
        if parameter.default is inspect.Parameter.empty:
            continue
        try:
            known = to_attr(constant_of(parameter.default, function_symbol))
        except NotAConstant:
            continue
        found[parameter.name] = known
    return found


def _refused_function(symbol: str, function: Any, name: str) -> FuncOp:
    from xdsl.dialects.builtin import FileLineColLoc, IntAttr

    refusal = refusals.no_source(name)
    op = UnsupportedOp(refusal.code, refusal.what, refusal.help)
    names = list(inspect.signature(function).parameters)
    block = Block(arg_types=[VALUE] * len(names))
    block.add_ops([op, ReturnOp([op.result])])
    result = FuncOp(symbol, ([VALUE] * len(names), [VALUE]), Region(block))
    result.attributes["dycl.params"] = ArrayAttr(StringAttr(n) for n in names)
    code = getattr(function, "__code__", None)
    file = StringAttr(getattr(code, "co_filename", "<unknown>"))
    place = FileLineColLoc(
        file, IntAttr(getattr(code, "co_firstlineno", 0)), IntAttr(1)
    )
    for one in (result, *block.ops):
        one.location = place
    return result
