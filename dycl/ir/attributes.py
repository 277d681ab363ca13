"""The attributes of Python values that builtin attributes cannot say.

    value ::= true | false | 3 : i64 | 0.5 : f64 | "text" | [value, ...]
            | #dycl.none | #dycl.tuple<[value, ...]> | #dycl.dict<[key, value, ...]>
            | #dycl.range<0, 8, 2>        (start, stop, step)
            | @"path.of.object" | #dycl.function<@name> | #dycl.method<@name, @path>
            | #dycl.property<@getter, @setter> | #dycl.partial<value, tuple, dict>
            | #dycl.global<"torch.relu"> | #dycl.device<"cpu"> | #dycl.logger<"name">
            | #dycl.unsupported<"why"> | #dycl.record<...>
            | dense<...> : tensor<...>        (a small tensor constant)
            | #dycl.numpy<...>            (of NumPy: `dycl.ir.arrays`)
            | #dycl.param<"path.weight", [16, 3, 3, 3], f32>
            | #dycl.leaf<0>               (in a structure: the n-th returned value)

Records are in `dycl.ir.records`; `dycl.ir.values` has the Python value of each.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dycl.ir.classes import ByType


@irdl_attr_definition
class NoneValueAttr(ParametrizedAttribute, metaclass=ByType):
    """Python's None."""

    name = "dycl.none"


@irdl_attr_definition
class TupleAttr(ParametrizedAttribute, metaclass=ByType):
    """A Python tuple of constants."""

    name = "dycl.tuple"
    items: ArrayAttr = param_def()


@irdl_attr_definition
class TorchSizeAttr(ParametrizedAttribute, metaclass=ByType):
    """A `torch.Size` of known sizes, which is a tuple with a class of its own."""

    name = "dycl.torch_size"
    items: ArrayAttr = param_def()


@irdl_attr_definition
class DictAttr(ParametrizedAttribute, metaclass=ByType):
    """A Python dict of constants: key, value, key, value, in insertion order."""

    name = "dycl.dict"
    items: ArrayAttr = param_def()


@irdl_attr_definition
class SetAttr(ParametrizedAttribute, metaclass=ByType):
    """A Python set of constants, in the order of their texts; of which class it is."""

    name = "dycl.set"
    kind: StringAttr = param_def()
    items: ArrayAttr = param_def()


@irdl_attr_definition
class RangeAttr(ParametrizedAttribute, metaclass=ByType):
    """A Python range: start, stop, step."""

    name = "dycl.range"
    start: IntAttr = param_def()
    stop: IntAttr = param_def()
    step: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, parser.parse_integer
        )
        return list(map(IntAttr, numbers))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            numbers = (self.start.data, self.stop.data, self.step.data)
            printer.print_list(numbers, lambda n: printer.print_string(str(n)))


@irdl_attr_definition
class FunctionAttr(ParametrizedAttribute, metaclass=ByType):
    """A function of the user's; its body is in this module if a run may call it."""

    name = "dycl.function"
    symbol: SymbolRefAttr = param_def()


@irdl_attr_definition
class MethodAttr(ParametrizedAttribute, metaclass=ByType):
    """A function of this module bound to an object of this module."""

    name = "dycl.method"
    function: SymbolRefAttr = param_def()
    self_object: SymbolRefAttr = param_def()


@irdl_attr_definition
class PartialAttr(ParametrizedAttribute, metaclass=ByType):
    """A function with some arguments given already: positions, then names."""

    name = "dycl.partial"
    callee: Attribute = param_def()
    args: Attribute = param_def()
    kwargs: Attribute = param_def()


@irdl_attr_definition
class PropertyAttr(ParametrizedAttribute, metaclass=ByType):
    """A property of a class: reading and setting it calls functions of the module."""

    name = "dycl.property"
    getter: SymbolRefAttr = param_def()
    setter: SymbolRefAttr | NoneValueAttr = param_def()

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the getter and, if there is one, the setter."""
        both = (self.getter, self.setter)
        return tuple(s.root_reference.data for s in both if type(s) is SymbolRefAttr)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            getter = SymbolRefAttr(parser.parse_symbol_name())
            if parser.parse_optional_punctuation(",") is None:
                return [getter, NoneValueAttr()]
            return [getter, SymbolRefAttr(parser.parse_symbol_name())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.getter)
            if isinstance(self.setter, SymbolRefAttr):
                printer.print_string(", ")
                printer.print_attribute(self.setter)


@irdl_attr_definition
class GlobalAttr(ParametrizedAttribute, metaclass=ByType):
    """Anything importable, by its full name: a torch function, a type, a module."""

    name = "dycl.global"
    qualified_name: StringAttr = param_def()


@irdl_attr_definition
class DeviceAttr(ParametrizedAttribute, metaclass=ByType):
    """A torch.device."""

    name = "dycl.device"
    device: StringAttr = param_def()


@irdl_attr_definition
class LoggerAttr(ParametrizedAttribute, metaclass=ByType):
    """A logger of the standard library, by its name."""

    name = "dycl.logger"
    logger: StringAttr = param_def()


@irdl_attr_definition
class UnsupportedAttr(ParametrizedAttribute, metaclass=ByType):
    """A value that has no form in the IR, and why; using it is an error."""

    name = "dycl.unsupported"
    reason: StringAttr = param_def()


@irdl_attr_definition
class ParamAttr(ParametrizedAttribute, metaclass=ByType):
    """A parameter or buffer of the model: its name, shape and element type."""

    name = "dycl.param"
    path: StringAttr = param_def()
    shape: ArrayAttr[IntegerAttr] = param_def()
    dtype: Attribute = param_def()


@irdl_attr_definition
class LeafAttr(ParametrizedAttribute, metaclass=ByType):
    """In a structure: the place of the n-th returned value."""

    name = "dycl.leaf"
    index: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.index.data)
