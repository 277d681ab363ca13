"""The whole import: functions are lowered as they are first mentioned."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.diag import CompileError, CompileErrors, SourceLoc
from dycl.frontend.arguments import structured
from dycl.frontend.capture import (
    Capture,
    note_class_attributes,
    note_modules,
    note_order,
    note_shared,
)
from dycl.frontend.functions import lower_function
from dycl.frontend.refusals import unread
from dycl.frontend.source import (
    FunctionSource,
    NoSource,
    first_line,
    read,
    undecorated,
)
from dycl.ir import (
    CallOp,
    ConstantOp,
    GetattrOp,
    InvokeOp,
    ObjectOp,
    ReturnOp,
    SetattrOp,
)
from dycl.ir.module_walks import WALKS
from dycl.ir.value_names import value_name
from dycl.ir.values import ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.runtime.signature import Signature

ENTRY = "forward"
"""Symbol of the function that a compiled model runs."""


@dataclass(frozen=True)
class Imported:
    """A module in the source level, and the model's tensors by name."""

    module: ModuleOp
    params: dict[str, Any]


@dataclass(frozen=True)
class Structure:
    """What is around the inputs, and the classes of records in it by full name."""

    signature: Signature
    classes: Mapping[str, type]


def import_model(
    model: Any,
    input_types: Sequence[Attribute],
    names: Sequence[str] = (),
    structure: Structure | None = None,
) -> Imported:
    """The source level of a `torch.nn.Module`.

    `input_types` are the types of the inputs, in order, and `names` what to call them.
    Without `structure` they are `forward`'s arguments, by default named as it does.
    """
    importer = _Importer(model)
    callee = ConstantOp(to_attr(ObjectRef("")))
    source = _source_of(model.forward)
    bound = int(inspect.ismethod(model.forward))
    entry = importer.entry(callee, input_types, names, source, bound, structure)
    importer.finish()
    module = ModuleOp([*importer.objects, entry, *importer.functions])
    module.location = entry.location
    return Imported(module, importer.capture.params)


def import_function(
    function: Callable[..., Any],
    input_types: Sequence[Attribute],
    names: Sequence[str] = (),
    structure: Structure | None = None,
) -> Imported:
    """The source level of a plain Python function, which the entry calls.

    The arguments are those of `import_model`.
    """
    importer = _Importer(None)
    known = importer.capture.value(function, function.__qualname__)
    source = _source_of(function)
    callee = ConstantOp(to_attr(known))
    entry = importer.entry(callee, input_types, names, source, 0, structure)
    importer.finish()
    module = ModuleOp([*importer.objects, entry, *importer.functions])
    module.location = entry.location
    return Imported(module, importer.capture.params)


def _source_of(function: Callable[..., Any]) -> FunctionSource:
    """The source of what is compiled. CompileErrors: it cannot be read."""
    try:
        return read(function)
    except NoSource as why:
        refusal = unread(why)
        place = SourceLoc.from_attr(first_line(function))
        error = CompileError(refusal.code, refusal.what, place, hint=refusal.help)
        raise CompileErrors([error]) from None


def _walks_modules(function: FuncOp) -> bool:
    """Whether a function may ask a module for its children or parameters."""
    return any(
        (isinstance(op, InvokeOp) and op.method.data in WALKS)
        or (isinstance(op, GetattrOp) and op.attribute.data in WALKS)
        for op in walk(function)
    )


class _Importer:
    """Gives each user function a symbol, and lowers it once; so for each object."""

    def __init__(self, model: Any) -> None:
        self._symbols: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._waiting: list[Callable[[], FuncOp]] = []
        self.capture = Capture(model, self.symbol)
        self.objects: list[ObjectOp] = []
        self.functions: list[FuncOp] = []

    def entry(
        self,
        callee: ConstantOp,
        input_types: Sequence[Attribute],
        names: Sequence[str],
        source: FunctionSource,
        bound: int,
        structure: Structure | None,
    ) -> FuncOp:
        """`forward`: call the model, return what it returns. `bound`: what it has."""
        parameters = source.node.args
        own = [a.arg for a in [*parameters.posonlyargs, *parameters.args]][bound:]
        if parameters.vararg is not None:
            rest = range(len(input_types) - len(own))
            own += [f"{parameters.vararg.arg}_{i}" for i in rest]
        names = [*names, *own[len(names) :]]
        block = Block(arg_types=input_types)
        for argument, name in zip(block.args, names, strict=False):
            argument.name_hint = value_name(name)
        made: list[Operation] = []
        given: Sequence[SSAValue] = block.args
        keywords: list[str] = []
        if structure is not None:
            classes, capture = structure.classes, self.capture
            made, given, keywords = structured(
                structure.signature,
                block.args,
                lambda name: capture.value(classes[name], name),
            )
        call = CallOp(callee.result, given, keywords)
        ops = [callee, *made, call, ReturnOp([call.result])]
        block.add_ops(ops)
        function = FuncOp(ENTRY, (list(input_types), []), Region(block))
        function.attributes["dycl.entry"] = UnitAttr()
        shown = [StringAttr(n) for n in names[: len(input_types)]]
        function.attributes["dycl.params"] = ArrayAttr(shown)
        for op in [function, *ops]:
            op.location = source.location(source.node)
        return function

    def symbol(self, function: Callable[..., Any]) -> str:
        """The symbol of a function; the first mention queues it for lowering."""
        found = self._symbols.get(function)
        if found is None:
            plain: Any = undecorated(function)
            stem = f"{plain.__module__}.{plain.__qualname__}".replace("<locals>.", "")
            symbol = self._symbols[function] = self._fresh(stem)
            self._waiting.append(lambda: lower_function(symbol, function, self))
            return symbol
        return found

    def nested(self, name: str, lower: Callable[[str], FuncOp]) -> str:
        """The symbol of a function defined inside a function; queued likewise."""
        symbol = self._fresh(name)
        self._waiting.append(lambda: lower(symbol))
        return symbol

    def value(self, value: object, path: str) -> object:
        """The IR value of a Python object that a function mentions."""
        return self.capture.value(value, path)

    def finish(self) -> None:
        """All objects and functions mentioned, and those that they mention."""
        done: set[str] = set()
        while self._waiting or len(done) < len(self.capture.objects):
            for path in [p for p in self.capture.objects if p not in done]:
                done.add(path)
                self.objects.append(self.capture.op(path))
            if self._waiting:
                self.functions.append(self._waiting.pop(0)())
        ops = {o.sym_name.data: o for o in self.objects}
        note_shared(self.capture, ops)
        if any(map(_walks_modules, self.functions)):
            note_order(self.capture, ops)
        accesses = [
            op
            for function in self.functions
            for op in walk(function)
            if isinstance(op, GetattrOp | SetattrOp)
        ]
        if any(op.attribute.data == "_modules" for op in accesses):
            note_modules(self.capture, ops)
        written = {op.attribute.data for op in accesses if isinstance(op, SetattrOp)}
        note_class_attributes(self.capture, ops, written)

    def _fresh(self, stem: str) -> str:
        found, index = stem, 1
        while found in self._taken:
            found, index = f"{stem}_{index}", index + 1
        self._taken.add(found)
        return found
