"""The other door: a `torch.export.ExportedProgram` becomes the source level.

    ep = torch.export.export(model, (x,))
    net = dycl.compile(ep, (x,))

Its graph of aten ops, with `torch.cond` and `torch.while_loop` where the model decides,
becomes one function of calls, ifs and whiles; from there on it goes the way of a model
that is read from source.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NoReturn, cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dycl.diag import CompileError, CompileErrors, SourceLoc
from dycl.frontend import refusals
from dycl.frontend.exported_graph import GraphImporter
from dycl.frontend.exported_locations import NOWHERE, location_of
from dycl.frontend.exported_sizes import DerivedSize, ExportedSizes, is_one_of
from dycl.frontend.importer import ENTRY, Imported
from dycl.ir import CompareOp, DictOp, ListOp, ReturnOp, TupleOp
from dycl.ir.dtypes import element_type_of
from dycl.ir.input_sizes import SIZES
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.value_names import value_name
from dycl.ir.values import NotAConstant, ParamRef, UnsupportedRef

_NUMBERS: dict[Attribute, type] = {BoolT: bool, IntT: int, FloatT: float}
_FIT = "give the inputs that `torch.export.export` was given, one by one"
_OF_ITS_OWN = "export it with a Dim of its own: what sizes have to be is checked"


def is_exported(model: Any) -> bool:
    """Whether this is an exported program and no module or function."""
    cls = type(model)
    return (
        cls.__name__ == "ExportedProgram"
        and cls.__module__ == "torch.export.exported_program"
    )


def import_exported(program: Any, input_types: Sequence[Attribute]) -> Imported:
    """The source level of an exported program.

    `input_types` are the types of its arguments, in order: those by position, then
    those by name. Raises CompileErrors if they are not what it was exported for.
    """
    return _Program(program).run(input_types)


class _Program:
    """One exported program on its way into the IR."""

    def __init__(self, program: Any):
        if _mutates(program.graph_module):
            program = _functional(program)
        self.program = program
        self.signature = program.graph_signature
        self.nodes = {node.name: node for node in program.graph.nodes}
        self.params: dict[str, Any] = {}
        self.sizes = ExportedSizes(program)
        self.start = NOWHERE
        for node in reversed(program.graph.nodes):
            self.start = location_of(node, self.start)

    def run(self, input_types: Sequence[Attribute]) -> Imported:
        """The whole import."""
        inputs = [s for s in self.signature.input_specs if _kind(s) == "USER_INPUT"]
        names = [spec.arg.name for spec in inputs]
        types = self._check(inputs, input_types)
        block = Block(arg_types=types)
        importer = GraphImporter(block, self.start)
        arguments = dict(zip(names, block.args, strict=True))
        for name, argument in arguments.items():
            argument.name_hint = value_name(name)
        for spec in inputs:
            if type(spec.arg).__name__ == "ConstantArgument":
                _require_same(importer, arguments[spec.arg.name], spec.arg)
        given = [
            arguments[name]
            if name in arguments
            else self._placeholder_value(spec, importer)
            for spec in self.signature.input_specs
            for name in [spec.arg.name]
        ]
        outputs = importer.run(self.program.graph_module, given)
        returned = self._returned(importer, outputs)
        return_op = ReturnOp([returned])
        return_op.location = self.start
        block.add_op(return_op)
        return Imported(self._module(block, names), self.params)

    def _module(self, block: Block, names: Sequence[str]) -> ModuleOp:
        types = [argument.type for argument in block.args]
        function = FuncOp(ENTRY, (types, []), Region(block))
        function.attributes["dycl.entry"] = UnitAttr()
        function.attributes["dycl.params"] = ArrayAttr(map(StringAttr, names))
        if self.sizes:
            function.attributes[SIZES] = self.sizes.attr()
        module = ModuleOp([function])
        function.location = module.location = self.start
        return module

    def _placeholder_value(self, spec: Any, importer: GraphImporter) -> SSAValue:
        """What a placeholder stands for that is no argument of the user's."""
        node = self.nodes[spec.arg.name]
        kind = _kind(spec)
        if kind not in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            what = f"`{spec.target or spec.arg.name}`, {_words(kind)},"
            return importer.refuse(refusals.exported(what))
        if not node.users:
            return importer.constant(None)
        path: str = spec.target
        program = self.program
        held = program.state_dict if path in program.state_dict else program.constants
        tensor: Any = held[path]
        self.params[path] = tensor
        try:
            dtype = element_type_of(tensor.dtype)
        except KeyError:
            return importer.constant(UnsupportedRef(f"a tensor of type {tensor.dtype}"))
        return importer.constant(ParamRef(path, tuple(tensor.shape), dtype))

    def _check(
        self, inputs: Sequence[Any], types: Sequence[Attribute]
    ) -> list[Attribute]:
        """The types that the program takes: with `?` for sizes that calls decide.

        CompileErrors: these are not the inputs that the program takes.
        """
        taken_types: list[Attribute] = []
        taken = self._kinds_of_arguments()
        if taken:
            self._refuse(f"its argument {taken[0]}", "take tensors and numbers")
        if len(inputs) != len(types):
            self._refuse(f"it takes {len(inputs)} inputs, not {len(types)}", _FIT)
        for spec, given in zip(inputs, types, strict=True):
            name = spec.arg.name
            if type(spec.arg).__name__ == "ConstantArgument":
                wanted, known = type(spec.arg.value), _NUMBERS.get(given)
                if wanted is not known:
                    what = f"`{name}` is {spec.arg.value!r}"
                    self._refuse(f"{what}, not a {_shown(given)}", _FIT)
                taken_types.append(given)
                continue
            value = self.nodes[name].meta.get("val")
            if not hasattr(value, "shape"):
                what = f"`{name}` is a number that the export left symbolic"
                self._refuse(what, "take it as a tensor of no dimensions")
            try:
                sizes = self.sizes.of(name, _sizes(value))
                expected = VTensorType.of(sizes, element_type_of(value.dtype))
            except KeyError:
                self._refuse(f"`{name}` has the type {value.dtype}", _FIT)
            except DerivedSize as size:
                self._refuse(f"`{name}` has the size {size}", _OF_ITS_OWN)
            if not is_one_of(given, expected):
                what = f"`{name}` is a {_shown(expected)}, not a {_shown(given)}"
                self._refuse(what, _FIT)
            taken_types.append(expected)
        return taken_types

    def _kinds_of_arguments(self) -> list[str]:
        """Arguments that are containers, in words."""
        spec = self.program.call_spec.in_spec
        args, kwargs = spec.children()
        named = [
            *enumerate(args.children()),
            *zip(kwargs.context, kwargs.children(), strict=True),
        ]
        return [
            f"{name!r} is a {inner.type.__name__}"
            for name, inner in named
            if inner.type is not None
        ]

    def _refuse(self, what: str, hint: str) -> NoReturn:
        at = None if self.start is NOWHERE else SourceLoc.from_attr(self.start)
        what = f"the inputs do not fit the exported program: {what}"
        raise CompileErrors([CompileError("DY123", what, at, hint=hint)])

    def _returned(self, importer: GraphImporter, outputs: list[SSAValue]) -> SSAValue:
        """The outputs in the structure that the user's `forward` returns."""
        results = list[SSAValue]()
        for spec, value in zip(self.signature.output_specs, outputs, strict=True):
            if _kind(spec) == "USER_OUTPUT":
                results.append(value)
                continue
            importer.location = self.start
            if (node := self.nodes.get(spec.arg.name)) is not None:
                importer.location = location_of(node, self.start)
            what = f"`{spec.target}`" if spec.target else _words(_kind(spec))
            importer.refuse(refusals.exported_update(what))
        importer.location = self.start
        waiting = iter(results)
        return _build(importer, self.program.call_spec.out_spec, waiting)


def _build(importer: GraphImporter, spec: Any, leaves: Any) -> SSAValue:
    """The value of a tree specification, with the next leaves in it."""
    if spec.is_leaf():
        return next(leaves)
    items = [_build(importer, inner, leaves) for inner in spec.children()]
    if spec.type is tuple:
        return importer.add(TupleOp(items))
    if spec.type is list:
        return importer.add(ListOp(items))
    if spec.type is dict:
        try:
            keys = [importer.constant(key) for key in spec.context]
        except NotAConstant as why:
            return importer.refuse(refusals.exported_output(f"a dict with {why}"))
        pairs = [x for pair in zip(keys, items, strict=True) for x in pair]
        return importer.add(DictOp(pairs))
    return importer.refuse(refusals.exported_output(f"a {spec.type.__name__}"))


def _require_same(importer: GraphImporter, value: SSAValue, argument: Any) -> None:
    """A number that the program was exported for must be that one in every run."""
    wanted = argument.value
    test = importer.add(CompareOp("eq", value, importer.constant(wanted)))
    text = f"{argument.name} == {wanted!r}"
    importer.require(test, f"Guard failed: {text}", text, "AssertionError")


def _sizes(value: Any) -> list[Any]:
    return list(value.shape) if hasattr(value, "shape") else []


def _shown(kind: Attribute) -> str:
    """`f32[1,4]`, as the command line takes it, or the kind of a number."""
    if isinstance(kind, VTensorType):
        return f"{kind.dtype}{list(kind.sizes() or [])}".replace(" ", "")
    return _NUMBERS[kind].__name__


def _mutates(graph: Any) -> bool:
    """Whether a node of a graph, or of one inside, writes to a tensor."""
    return any(
        node.target._schema.is_mutable and node.target._schema.name != "aten::detach_"
        for module in graph.modules()
        if hasattr(module, "graph")
        for node in module.graph.nodes
        if hasattr(node.target, "_schema")
    )


def _functional(program: Any) -> Any:
    """The program without writes to tensors; what outlives a call becomes outputs."""
    with warnings.catch_warnings():  # torch's own, about its own code
        warnings.simplefilter("ignore")
        return program.run_decompositions({})


def _kind(spec: Any) -> str:
    return cast(str, spec.kind.name)


def _words(kind: str) -> str:
    return {
        "CUSTOM_OBJ": "an object of a class of its own",
        "TOKEN": "an effect token",
        "LOSS_OUTPUT": "a loss",
    }.get(kind, kind.lower().replace("_", " "))
