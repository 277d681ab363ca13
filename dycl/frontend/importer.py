"""The import: functions are lowered when they are asked for.

An `Importer` captures the model's objects at once, for what they hold says what a
program means. Functions it only names: each gets a symbol when something mentions it,
and is lowered when `provide` or `take` asks for it. A model of a large library mentions
thousands of functions and needs some dozens. Who asks is `dycl.driver.importing`, which
knows the passes; `import_model` takes all that is mentioned.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.diag import CompileError, CompileErrors, SourceLoc
from dycl.frontend.arguments import structured
from dycl.frontend.capture import (
    CLASS_NAMES,
    Capture,
    note_class_attributes,
    note_classes,
    note_order,
    note_shared,
    note_tables,
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
from dycl.ir.builtin_nodes import BASES
from dycl.ir.changes import REGISTERS, TABLES, UNCHANGING
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_value
from dycl.ir.datatypes import DATATYPES, Datatype, datatypes_attr
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.input_sizes import SIZES, InputSize, sizes_attr
from dycl.ir.library import resolve_global
from dycl.ir.module_walks import WALKS
from dycl.ir.signature import WRAPPED
from dycl.ir.value_names import value_name
from dycl.ir.values import GlobalRef, ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.prelude import is_ours
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
    datatypes: Sequence[Datatype] = ()
    """Of the trees among the inputs."""


def import_model(
    model: Any,
    input_types: Sequence[Attribute],
    names: Sequence[str] = (),
    structure: Structure | None = None,
) -> Imported:
    """The source level of a module or function, with every function it mentions.

    The arguments are those of `Importer`.
    """
    importer = Importer(model, input_types, names, structure)
    importer.take_all()
    return Imported(importer.module(), importer.params)


def _source_of(function: Callable[..., Any]) -> FunctionSource:
    """The source of what is compiled. CompileErrors: it cannot be read."""
    try:
        return read(function)
    except NoSource as why:
        refusal = unread(why)
        location = SourceLoc.from_attr(first_line(function))
        error = CompileError(refusal.code, refusal.what, location, hint=refusal.help)
        raise CompileErrors([error]) from None


class Importer:
    """Gives each function that is mentioned a symbol, and lowers it when asked to."""

    def __init__(
        self,
        model: Any,
        input_types: Sequence[Attribute],
        names: Sequence[str] = (),
        structure: Structure | None = None,
        sizes: Sequence[InputSize] = (),
        marks: Mapping[str, Attribute] | None = None,
    ):
        """Capture a `torch.nn.Module`, or what a function mentions.

        `input_types` are the types of the inputs, in order, and `names` what to call
        them. Without `structure` they are the arguments of `forward`, or of the
        function, by default named as it does. `sizes` are those that are open in the
        types, `marks` further attributes of the entry. CompileErrors: it has no source.
        """
        self._symbols: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._waiting: dict[str, Callable[[], FuncOp]] = {}
        self._objects: dict[str, ObjectOp] = {}
        self._functions: dict[str, FuncOp | None] = {}
        """What was asked for: functions, and (None) templates of objects."""
        self._asked = _Deferred()
        is_module = hasattr(model, "named_modules")
        function = model.forward if is_module else model
        self.capture = Capture(model if is_module else None, self.symbol)
        if structure is not None:
            self._mention_nodes(structure)
        known: object = ObjectRef("")
        if not is_module:
            known = self.value(function, function.__qualname__)
        source = _source_of(function)
        bound = int(is_module and inspect.ismethod(function))
        callee = ConstantOp(to_attr(known))
        self._entry = self._made_entry(
            callee, input_types, names, source, bound, structure
        )
        if structure is not None and structure.datatypes:
            attribute = datatypes_attr(structure.datatypes)
            self._entry.attributes[DATATYPES] = attribute
        if sizes:
            self._entry.attributes[SIZES] = sizes_attr(sizes)
        self._entry.attributes.update(marks or {})
        self._complete()

    def _mention_nodes(self, structure: Structure) -> None:
        """Note the classes of nodes, which have methods that a function may call."""
        enums = [one for one in structure.datatypes if one.is_enum]
        for cls in [structure.classes[one.name] for one in enums]:
            self.value(cls, cls.__qualname__)
            for member in cast("type[Enum]", cls):
                self.value(member, member.name)
        nodes = [one for one in structure.datatypes if not one.is_enum]
        known = {*BASES, *(name for one in enums for name in one.constructors)}
        names = [name for one in nodes for name in one.constructors]
        classes = {n: structure.classes[n] for n in names if n not in known}
        self.capture.nodes.update(classes.values())
        for name, cls in classes.items():
            self.value(cls, name)

    @property
    def params(self) -> dict[str, Any]:
        """The model's tensors, by name."""
        return self.capture.params

    @property
    def taken(self) -> tuple[str, ...]:
        """The functions that were asked for, in order."""
        return tuple(self._functions)

    def module(self, unchanging: Iterable[str] = ()) -> ModuleOp:
        """A program of what was asked for, and all objects.

        `unchanging`: the attributes that it only sets to what they are.
        """
        entry = clone(self._entry)
        if names := [StringAttr(name) for name in sorted(unchanging)]:
            entry.attributes[UNCHANGING] = ArrayAttr(names)
        objects = [op.copied() for op in self._objects.values()]
        functions = [clone(f) for f in self._functions.values() if f is not None]
        module = ModuleOp([*objects, entry, *functions])
        module.location = entry.location
        return module

    def provide(self, module: ModuleOp, symbol: str) -> bool:
        """Put a function into a module, with the objects it mentions.

        False: there is none of that name. The notes of objects are brought up to date.
        """
        if not self.take(symbol):
            return False
        present = symbol_ops(module)
        if symbol in present:
            return True
        for path, known in self._objects.items():
            if isinstance(op := present.get(path), ObjectOp):
                op.members = known.members
        objects = self._objects.items()
        new = [op.copied() for path, op in objects if path not in present]
        function = self._functions[symbol]
        module.body.block.add_ops([*([clone(function)] if function else ()), *new])
        return True

    def take(self, symbol: str) -> bool:
        """Lower a function, or capture what objects of a class are.

        False: there is none of that name.
        """
        if symbol in self._functions:
            return True
        if self.capture.add_template(symbol):
            self._functions[symbol] = None
            self._complete()
            return True
        if is_ours(symbol) and symbol not in self._waiting:
            self.symbol(cast(Any, resolve_global(symbol)))
        if (lower := self._waiting.get(symbol)) is None:
            return False
        function = self._functions[symbol] = lower()
        del self._waiting[symbol]
        self._asked.note(function)
        self._complete()
        return True

    def take_all(self) -> None:
        """Lower all functions that are mentioned, and those that these mention."""
        while self._waiting:
            self.take(next(iter(self._waiting)))

    def _made_entry(
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
        new_ops: list[Operation] = []
        given: Sequence[SSAValue] = block.args
        keywords: list[str] = []
        if structure is not None:
            classes, capture = structure.classes, self.capture

            def mention(name: str) -> None:
                if name in classes:  # or it is a member of an enum
                    capture.value(classes[name], name)

            new_ops, given, keywords = structured(
                structure.signature, block.args, mention
            )
        call = CallOp(callee.result, given, keywords)
        ops = [callee, *new_ops, call, ReturnOp([call.result])]
        block.add_ops(ops)
        function = FuncOp(ENTRY, (list(input_types), []), Region(block))
        function.attributes["dycl.entry"] = UnitAttr()
        shown = [StringAttr(n) for n in names[: len(input_types)]]
        function.attributes["dycl.params"] = ArrayAttr(shown)
        for op in [function, *ops]:
            op.location = source.location(source.node)
        return function

    def symbol(self, function: Callable[..., Any]) -> str:
        """The symbol of a function, from its first mention on."""
        known_symbol = self._symbols.get(function)
        if known_symbol is None:
            plain: Any = undecorated(function)
            stem = f"{plain.__module__}.{plain.__qualname__}".replace("<locals>.", "")
            symbol = self._symbols[function] = self._fresh(stem)
            self._waiting[symbol] = lambda: self._lowered(symbol, function)
            return symbol
        return known_symbol

    def _lowered(self, symbol: str, function: Callable[..., Any]) -> FuncOp:
        lowered = lower_function(symbol, function, self)
        if hasattr(undecorated(function), "__wrapped__"):
            names = inspect.signature(undecorated(function)).parameters
            lowered.attributes[WRAPPED] = ArrayAttr(map(StringAttr, names))
        return lowered

    def nested(self, name: str, lower: Callable[[str], FuncOp]) -> str:
        """The symbol of a function defined inside a function."""
        symbol = self._fresh(name)
        self._waiting[symbol] = lambda: lower(symbol)
        return symbol

    def value(self, value: object, path: str) -> object:
        """The IR value of a Python object that a function mentions."""
        return self.capture.value(value, path)

    def _complete(self) -> None:
        """Write down all objects mentioned so far, and what is to be noted of them."""
        if self._asked.classes:
            note_classes(self.capture, self._objects)
        while len(self._objects) < len(self.capture.objects):
            for path in [p for p in self.capture.objects if p not in self._objects]:
                self._objects[path] = self.capture.op(path)
            if self._asked.classes:
                note_classes(self.capture, self._objects)
        note_shared(self.capture, self._objects)
        if self._asked.walks:
            note_order(self.capture, self._objects)
        if self._asked.tables:
            note_tables(self.capture, self._objects, sorted(self._asked.tables))
        note_class_attributes(self.capture, self._objects, self._asked.written)

    def _fresh(self, stem: str) -> str:
        symbol, index = stem, 1
        while symbol in self._taken:
            symbol, index = f"{stem}_{index}", index + 1
        self._taken.add(symbol)
        return symbol


class _Deferred:
    """What the functions ask of objects that is written down only then."""

    def __init__(self) -> None:
        self.walks = False
        """A module for its children or parameters, a tensor whether it is one."""
        self.classes = False
        """An object for its class, or a class what it is called."""
        self.tables: set[str] = set()
        """A module for the tables of its submodules, parameters or buffers."""
        self.written: set[str] = set()
        """Attributes that are set."""

    def note(self, function: FuncOp) -> None:
        """Look at one more function."""
        for op in walk(function):
            if isinstance(op, InvokeOp):
                self.walks |= op.method.data in WALKS
                self.tables |= {"_buffers"} if op.method.data == REGISTERS else set()
            elif isinstance(op, GetattrOp | SetattrOp):
                name = op.attribute.data
                self.walks |= isinstance(op, GetattrOp) and name in WALKS
                self.classes |= name in ("__class__", *CLASS_NAMES)
                self.tables |= TABLES & {name}
                if isinstance(op, SetattrOp):
                    self.written.add(name)
            elif isinstance(op, ConstantOp):
                self.walks |= "torch.nn.parameter." in str(op.value)
                self.classes |= constant_value(op.result) == GlobalRef("builtins.type")
