"""Effects of the host: exceptions and output, as in `dycl`, on scalars."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.effects import EffectLike, FormatLike, RaiseLike
from dycl.ir.host.types import SCALARS, STR


@irdl_op_definition
class RaiseOp(RaiseLike):
    """End the run with an exception of this class and these arguments."""

    name = "host.raise"
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        exception: str,
        values: Sequence[SSAValue],
        base: StringAttr | None,
        *,
        location: LocationAttr,
    ):
        properties: dict[str, Attribute] = {"exception": StringAttr(exception)}
        if base is not None:
            properties["base"] = base
        super().__init__(operands=[values], properties=properties)
        self.location = location

    def verify_(self) -> None:
        super().verify_()
        _need_scalars(self.name, self.operand_types)


@irdl_op_definition
class EffectOp(EffectLike):
    """Call a function of the host for what it does."""

    name = "host.effect"

    def __init__(
        self,
        function: str,
        arguments: Sequence[SSAValue],
        keywords: Sequence[str],
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[arguments],
            properties={
                "function": StringAttr(function),
                "keywords": ArrayAttr(map(StringAttr, keywords)),
            },
        )
        self.location = location

    def verify_(self) -> None:
        _need_scalars(self.name, self.operand_types)


@irdl_op_definition
class FormatOp(FormatLike):
    """`template.format(a, key=b)`, a text."""

    name = "host.format"
    KEY: ClassVar[str] = "template"

    def __init__(
        self,
        template: str,
        arguments: Sequence[SSAValue],
        keywords: Sequence[str],
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[arguments],
            properties={
                "template": StringAttr(template),
                "keywords": ArrayAttr(map(StringAttr, keywords)),
            },
            result_types=[STR],
        )
        self.location = location

    def verify_(self) -> None:
        _need_scalars(self.name, [*self.operand_types, *self.result_types])


def _need_scalars(name: str, types: Sequence[Attribute]) -> None:
    for found in types:
        if found not in SCALARS:
            raise VerifyException(f"{name} works on scalars, not on {found}")
