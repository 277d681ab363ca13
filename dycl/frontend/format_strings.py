"""Format strings: `f"{a}"` is a call of `str.format`."""

import ast
from typing import cast

from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.comprehensions import Lower
from dycl.ir import InvokeOp


def lower_format(b: FunctionBuilder, node: ast.JoinedStr, lower: Lower) -> SSAValue:
    """`f"{a:.2f}"` is `"{:.2f}".format(a)`."""
    text = ""
    arguments: list[SSAValue] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
            continue
        field = cast(ast.FormattedValue, part)
        arguments.append(lower(b, field.value))
        spec = _format_spec(b, field, arguments, lower)
        if spec is None:
            return b.refuse(refusals.format_spec(), node)
        text += "{" + spec + "}"
    return b.value(InvokeOp(b.constant(text, node), "format", arguments), node)


def _format_spec(
    b: FunctionBuilder,
    field: ast.FormattedValue,
    arguments: list[SSAValue],
    lower: Lower,
) -> str | None:
    """The format of a field; the values of fields in it join `arguments`.

    None: `str.format` does not know such a format, as one in a field in a format.
    """
    conversion = "" if field.conversion < 0 else f"!{chr(field.conversion)}"
    if field.format_spec is None:
        return conversion
    text = f"{conversion}:"
    for part in cast(ast.JoinedStr, field.format_spec).values:
        if isinstance(part, ast.Constant):
            if "{" in str(part.value) or "}" in str(part.value):
                return None
            text += str(part.value)
            continue
        inner = cast(ast.FormattedValue, part)
        if inner.format_spec is not None:
            return None
        arguments.append(lower(b, inner.value))
        shown = "" if inner.conversion < 0 else f"!{chr(inner.conversion)}"
        text += "{" + shown + "}"
    return text
