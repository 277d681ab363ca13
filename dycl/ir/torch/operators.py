"""One class per operation of the torch dialect, made from its name on first use.

torch-mlir has 846 operations; nearly all of them follow one syntax and differ in
their names only, so their classes are derived from three patterns. The number of
operands and results is verified; whether types fit is asked by `dycl-check-shapes`.
"""

import functools
from collections.abc import Sequence
from importlib.resources import files
from typing import ClassVar, Self

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.torch.base import TorchOp
from dycl.ir.torch.ops import OPS

# Every other namespace has operations with a syntax of their own.
_PLAIN_NAMESPACES = frozenset(
    ("aten", "prims", "quantized", "quantized_decomposed", "torchvision", "valsem")
)
_PLAIN = frozenset(
    f"torch.{name}"
    for name in (
        "per_tensor_affine.create",
        "prim.ListUnpack",
        "prim.NumToTensor.Scalar",
        "prim.RaiseException",
        "prim.TupleIndex",
        "prim.TupleUnpack",
        "prim.abs.Scalar",
        "prim.device",
        "prim.dtype",
        "prim.layout",
        "prim.max.int",
        "prim.max.self_int",
        "prim.min.int",
        "prim.min.self_int",
        "prim.unchecked_cast",
    )
)
# Takes any number of operands, in parentheses.
_FORMAT = "torch.aten.format"
# Effects that the name does not show. `scaled_dot_product_attention` is left out: it
# draws random numbers in training only.
_EFFECTS = frozenset(
    f"torch.{name}"
    for name in (
        # Writes to an operand.
        "aten.Delete.Dict_str",
        "aten._set_item.str",
        "aten._set_item.t",
        "aten.append.t",
        "aten.arange.start_out",
        "aten.insert.t",
        "aten.rrelu_with_noise",
        "aten.sort.int",
        # Raises or prints.
        "aten._assert_scalar",
        "aten._assert_tensor_metadata",
        "aten.sym_constrain_range",
        "aten.sym_constrain_range_for_size",
        "aten.warn",
        "prim.RaiseException",
        # Draws random numbers.
        "aten.bernoulli",
        "aten.bernoulli.Tensor",
        "aten.bernoulli.p",
        "aten.dropout",
        "aten.exponential",
        "aten.multinomial",
        "aten.native_dropout",
        "aten.normal_functional",
        "aten.rand",
        "aten.rand_like",
        "aten.randint",
        "aten.randint.low",
        "aten.randn",
        "aten.randn.generator",
        "aten.randn_like",
        "aten.random",
        "aten.random.from",
        "aten.rrelu",
        "aten.rrelu_with_noise_functional",
        "aten.uniform",
        "valsem.aten.bernoulli.float",
    )
)
_TERMINATORS = ("terminator", "yield", "yield.shapes", "yield.dtypes", "condition")


@irdl_op_definition
class PlainOp(TorchOp):
    """`torch.x %a, %b {attributes} : A, B -> R, S`."""

    name = "torch.plain"
    inputs = var_operand_def()
    outputs = var_result_def()

    COUNTS: ClassVar[tuple[int | None, int | None]] = (None, None)
    """How many operands and results there are; None: any number."""

    def __init__(
        self,
        inputs: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        *,
        location: LocationAttr,
    ):
        """The operation on these operands, in the order of torch's schema.

        All operands of the schema are given, defaults too (`torch.constant.none`).
        """
        super().__init__(operands=[inputs], result_types=[result_types])
        self.location = location

    def verify_(self) -> None:
        """VerifyException: the number of operands or results is another."""
        operands, results = self.COUNTS
        for what, wanted, actual in (
            ("operand", operands, len(self.operands)),
            ("result", results, len(self.results)),
        ):
            if wanted is not None and actual != wanted:
                plural = "" if wanted == 1 else "s"
                raise VerifyException(
                    f"{self.name} has {wanted} {what}{plural}, not {actual}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse what follows the name."""
        position = parser.pos
        inputs = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        operands: Sequence[SSAValue] = ()
        if inputs:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_type
            )
            operands = parser.resolve_operands(inputs, types, position)
        results: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_type
            )
        return cls.create(
            operands=operands, result_types=results, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        """Print what follows the name."""
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list(self.operand_types, printer.print_attribute)
        if self.results:
            printer.print_string(" -> ")
            printer.print_list(self.result_types, printer.print_attribute)


class PurePlainOp(PlainOp):
    """A plain operation without effects."""

    traits = traits_def(Pure())


@irdl_op_definition
class OpaqueOp(TorchOp):
    """An operation that is read and written in MLIR's generic form only.

    These are TorchScript's objects and control flow, which DyCL never makes.
    """

    name = "torch.opaque"
    inputs = var_operand_def()
    outputs = var_result_def()
    bodies = var_region_def()


class OpaqueTerminatorOp(OpaqueOp):
    """The end of a region of an opaque operation."""

    traits = traits_def(IsTerminator())


def _verify_nothing(op: Operation) -> None:
    """Accept any properties, which the definition of a pattern cannot name."""


def is_pure(name: str) -> bool:
    """Whether an operation of the plain syntax has no effect but its results.

    By torch's convention a name ends in `_` (`add_.Tensor`) if the operation writes
    to its operand; `__and__` and its like are Python's operators.
    """
    mutates = any(
        part.endswith("_") and not part.startswith("__") for part in name.split(".")
    )
    return not mutates and name not in _EFFECTS


def _pattern(name: str) -> type[TorchOp]:
    in_namespace = name.split(".")[1] in _PLAIN_NAMESPACES and name != _FORMAT
    if name in _PLAIN or in_namespace:
        return PurePlainOp if is_pure(name) else PlainOp
    return OpaqueTerminatorOp if name.endswith(_TERMINATORS) else OpaqueOp


@functools.cache
def op_counts() -> dict[str, tuple[int | None, int | None]]:
    """By name, sorted, how many operands and results each operation of torch-mlir's
    dialect has; None: any number. `tools/torch_op_counts.py` asks torch-mlir."""
    text = files("dycl.ir.torch").joinpath("op_names.txt").read_text(encoding="utf-8")
    rows = [line.split() for line in text.splitlines()]
    return {
        name: (_count(operands), _count(results)) for name, operands, results in rows
    }


def _count(text: str) -> int | None:
    return None if text == "-" else int(text)


def op_names() -> tuple[str, ...]:
    """The names of all operations of torch-mlir's dialect, sorted."""
    return tuple(op_counts())


_classes: dict[str, type[TorchOp]] = {op.name: op for op in OPS}


def torch_op(name: str) -> type[TorchOp]:
    """The class of the operation `torch.<...>`, always the same one.

    Raises KeyError if torch-mlir has no such operation.
    """
    if name in _classes:
        return _classes[name]
    if name not in op_counts():
        raise KeyError(f"torch-mlir has no operation '{name}'")
    pattern = _pattern(name)
    members: dict[str, object] = {"name": name, "__module__": __name__}
    if issubclass(pattern, OpaqueOp):
        members["verify_"] = _verify_nothing
    else:
        members["COUNTS"] = op_counts()[name]
    cls = type(name, (pattern,), members)
    assert issubclass(cls, TorchOp)
    return _classes.setdefault(name, cls)


def plain_op(name: str) -> type[PlainOp]:
    """The class of an operation of the plain syntax, such as all of `torch.aten`.

    Raises KeyError if torch-mlir has no such operation, ValueError if its syntax is
    another.
    """
    op = torch_op(name)
    if not issubclass(op, PlainOp):
        raise ValueError(f"'{name}' has a syntax of its own")
    return op
