"""The model's objects, and the ops of the typed and hcfg levels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dycl.ir import number_functions
from dycl.ir.classes import ByType
from dycl.ir.cloning import clone
from dycl.ir.dialect.scalars import ScalarOp
from dycl.ir.dialect.syntax import (
    RunsOnHost,
    ValueOp,
    parse_operand_list,
    print_operand_list,
    string_property,
)
from dycl.ir.walking import ops_in

T = TypeVar("T")
_DERIVED = "_derived"


@dataclass
class _Derived:
    """What is known of an object for as long as these are its members."""

    members: Attribute
    answers: dict[object, object] = field(default_factory=dict[object, object])


@irdl_op_definition
class ObjectOp(IRDLOperation, metaclass=ByType):
    """One object of the model: its class, and each attribute that has an IR form."""

    name = "dycl.object"
    sym_name = prop_def(StringAttr)
    class_name = prop_def(StringAttr)
    members = prop_def(DictionaryAttr)
    traits = traits_def(SymbolOpInterface())

    def __init__(self, path: str, class_name: str, members: Mapping[str, Attribute]):
        super().__init__(
            properties={
                "sym_name": StringAttr(path),
                "class_name": StringAttr(class_name),
                "members": DictionaryAttr(dict(members)),
            }
        )

    def derived(self, work_out: Callable[[DictionaryAttr], T]) -> T:
        """What follows from the members alone, worked out once while they stay.

        Every pass asks, and objects rarely change. Not to be changed by who asks.
        """
        members = self.properties["members"]
        known: _Derived | None = vars(self).get(_DERIVED)
        if known is None or known.members is not members:
            known = vars(self)[_DERIVED] = _Derived(members)
        if work_out not in known.answers:
            known.answers[work_out] = work_out(self.members)
        return cast(T, known.answers[work_out])

    def copied(self) -> "ObjectOp":
        """A copy, which knows what has been derived of this one."""
        copy = clone(self)
        if (known := vars(self).get(_DERIVED)) is not None:
            vars(copy)[_DERIVED] = known
        return copy

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" ")
        printer.print_attribute(self.class_name)
        printer.print_string(" ")
        printer.print_attribute(self.members)

    @classmethod
    def parse(cls, parser: Parser) -> "ObjectOp":
        path = parser.parse_symbol_name()
        class_name = parser.parse_str_literal()
        return cls(path.data, class_name, parser.parse_optional_attr_dict())


@irdl_op_definition
class ParamOp(ValueOp):
    """A parameter or buffer of the model, by its name in the state dict."""

    name = "dycl.param"
    path = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, path: str, result_type: Attribute):
        super().__init__(
            properties={"path": StringAttr(path)}, result_types=[result_type]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.path)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> "ParamOp":
        path = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(path, parser.parse_type())
        op.attributes.update(attributes)
        return op


class _OneTensorOp(ValueOp):
    operand = operand_def()
    result = result_def()

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return [parser.parse_unresolved_operand()]


@irdl_op_definition
class ItemOp(_OneTensorOp):
    """Read a one-element tensor to the host as a Python number (`t.item()`)."""

    name = "dycl.item"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        from dycl.ir.torch import DYNAMIC, TensorType

        operand_type = self.operand.type
        sizes = operand_type.sizes() if isinstance(operand_type, TensorType) else None
        if sizes is not None and DYNAMIC not in sizes and prod(sizes) != 1:
            raise VerifyException(
                f"{self.name} needs one element, {operand_type} has others"
            )


@irdl_op_definition
class BuiltinOp(ScalarOp):
    """A function of Python's on numbers, called on the host: `"math.sqrt"(%a)`.

    The names are those of `dycl.ir.number_functions`. Not Pure: it may raise, so it
    stays where the user wrote it.
    """

    name = "dycl.builtin"
    function = prop_def(StringAttr)
    arguments = var_operand_def()
    result = result_def()

    def __init__(
        self, function: str, arguments: Sequence[SSAValue], result_type: Attribute
    ):
        super().__init__(
            operands=[arguments],
            properties={"function": StringAttr(function)},
            result_types=[result_type],
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f' "{self.function.data}"')
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["function"] = StringAttr(parser.parse_str_literal())
        return parse_operand_list(parser)

    @property
    def spelling(self) -> str:
        return self.function.data

    def evaluate(self, *operands: Any) -> object:
        return number_functions.function(self.function.data)(*operands)

    def python_text(self, operands: Sequence[str]) -> str:
        return number_functions.python_text(self.function.data, operands)

    def verify_(self) -> None:
        if self.function.data not in number_functions.NAMES:
            raise VerifyException(f"no function of numbers: {self.function.data}")


@irdl_op_definition
class ViewOp(_OneTensorOp):
    """A tensor's data in another shape, without a copy (contiguous tensors only)."""

    name = "dycl.view"
    traits = traits_def(Pure())


@irdl_op_definition
class CastOp(_OneTensorOp):
    """The same tensor under a type that leaves more of its sizes open."""

    name = "dycl.cast"
    traits = traits_def(Pure())


@irdl_op_definition
class RefineOp(_OneTensorOp):
    """The same tensor under a type that says more of its sizes, known to be so."""

    name = "dycl.refine"
    traits = traits_def(Pure())


@irdl_op_definition
class DimOp(ValueOp):
    """The size of a dimension of a tensor, an int that the run decides."""

    name = "dycl.dim"
    dim = prop_def(IntegerAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, operand: SSAValue, dim: int, result_type: Attribute):
        """`dim` counts from the front: it is not negative."""
        super().__init__(
            operands=[operand],
            properties={"dim": IntegerAttr(dim, i64)},
            result_types=[result_type],
        )

    @property
    def dimension(self) -> int:
        """Which dimension."""
        return self.dim.value.data

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        printer.print_string(f" {self.dimension}")

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        number = parser.parse_integer(allow_boolean=False, allow_negative=False)
        properties["dim"] = IntegerAttr(number, i64)
        return [operand]


INDEX_ERROR = "IndexError: "
INPUT_ERROR = "InputError: "


@irdl_op_definition
class CheckedOp(ValueOp):
    """The value, if the condition is true; else a RuntimeError with the message.

    A message that begins with `IndexError: ` is that of an IndexError; with
    `InputError: `, that of a `dycl.runtime.InputError`.
    What sizes have to be for an op is checked on the value that the op uses, so that it
    cannot run before.
    """

    name = "dycl.checked"
    message = prop_def(StringAttr)
    value = operand_def()
    condition = operand_def()
    result = result_def()
    traits = traits_def(RunsOnHost())

    def __init__(self, value: SSAValue, condition: SSAValue, message: str):
        super().__init__(
            operands=[value, condition],
            properties={"message": StringAttr(message)},
            result_types=[value.type],
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(" ")
        printer.print_attribute(self.message)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        condition = parser.parse_unresolved_operand()
        properties["message"] = StringAttr(parser.parse_str_literal())
        return [value, condition]


WEIGHT = "dycl.weight"
"""On an argument of a kernel: it is a parameter of the model at every launch."""


@irdl_op_definition
class LaunchOp(ValueOp):
    """Run a kernel of this module (a public function with attribute `dycl.kernel`).

    Not `func.call`: its verifier scans the symbol table at every call, which is
    quadratic in the number of kernels.
    """

    name = "dycl.launch"
    RESULTS: ClassVar[int] = 0
    kernel = prop_def(SymbolRefAttr)
    arguments = var_operand_def()
    results_ = var_result_def()
    traits = traits_def(Pure())

    def __init__(
        self,
        kernel: str,
        arguments: Sequence[SSAValue],
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[arguments],
            properties={"kernel": SymbolRefAttr(kernel)},
            result_types=[result_types],
        )

    @property
    def kernel_name(self) -> str:
        """The kernel's symbol."""
        return self.kernel.root_reference.data

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.kernel_name)
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["kernel"] = SymbolRefAttr(parser.parse_symbol_name())
        return parse_operand_list(parser)


def objects_in(module: Operation) -> dict[str, ObjectOp]:
    """The model's objects, by path."""
    ops = ops_in(module.regions[0].block)
    found = [op for op in ops if type(op) is ObjectOp]
    return {cast(StringAttr, op.properties["sym_name"]).data: op for op in found}


def symbol_ops(module: Operation) -> dict[str, Operation]:
    """The module's top-level symbols, by name (later ones do not hide earlier)."""
    result: dict[str, Operation] = {}
    for op in ops_in(module.regions[0].block):
        if "sym_name" in op.properties:
            result.setdefault(string_property(op, "sym_name"), op)
    return result
