"""`"%d of %s" % (k, name)` and `"-".join((a, b))`: forms of `str.format`.

Before                                After
------                                -----
%t = dycl.tuple(%k)                   %r = dycl.invoke %braces "format"(%k)
%r = dycl.binary mod %percent, %t     dycl.return %r
dycl.return %r

`%percent` stands for `"%d"`, and `%braces` for `"{:d}"`.
"""

import re
from collections.abc import Sequence

from xdsl.ir import SSAValue

from dycl.ir import BinaryOp, InvokeOp
from dycl.ir.constant_values import constant_value
from dycl.ir.torch import FloatT, StrT
from dycl.passes.builtins.items import Site, displayed, is_number

_FIELD = re.compile(r"%(?:%|([-+ 0]*)(\d*)(?:\.(\d+))?([diufFeEgGsr]))")


def remainder(site: Site, op: BinaryOp) -> bool:
    """A text on the left of `%`, and numbers and texts on its right."""
    template = constant_value(op.lhs)
    if not isinstance(template, str):
        return False
    values = displayed(op.rhs)
    if values is None:
        constant = constant_value(op.rhs)
        values = None if isinstance(constant, (dict, tuple)) else [op.rhs]
    if values is None or not all(map(_is_shown, values)):
        return False
    found = _fields(template, values)
    if found is None:
        return False
    text, whole = found
    given = [
        site.call("int", value) if is_whole else value
        for value, is_whole in zip(values, whole, strict=True)
    ]
    return site.done(site.add(InvokeOp(site.constant(text), "format", given)))


def joined(site: Site, op: InvokeOp) -> bool:
    """`between.join(v)` of texts that a run decides."""
    between = constant_value(op.receiver)
    items = site.items(op.arguments[0])
    if not isinstance(between, str) or items is None:
        return False
    values = site.values(items)
    if not all(map(_is_text, values)):
        return False  # Python raises of what is no text
    text = _literal(between).join(["{}"] * len(values))
    return site.done(site.add(InvokeOp(site.constant(text), "format", values)))


def _is_text(value: SSAValue) -> bool:
    return value.type == StrT or isinstance(constant_value(value), str)


def _is_shown(value: SSAValue) -> bool:
    """Whether this is a number, or a text that is known."""
    return is_number(value) or isinstance(constant_value(value), str)


def _fields(template: str, values: Sequence[SSAValue]) -> tuple[str, list[bool]] | None:
    """The text for `str.format`, and which values are to be made ints first.

    None: there are more fields than values or less, or they are of other forms.
    """
    text, at = "", 0
    whole: list[bool] = []
    for match in _FIELD.finditer(template):
        between = template[at : match.start()]
        at = match.end()
        if "%" in between:
            return None
        text += _literal(between)
        if match[0] == "%%":
            text += "%"
            continue
        if len(whole) == len(values):
            return None
        value = values[len(whole)]
        spec = _spec(match, value)
        if spec is None:
            return None
        whole.append(match[4] in "diu" and value.type == FloatT)
        text += f"{{{spec}}}"
    if "%" in template[at:] or len(whole) != len(values):
        return None
    return text + _literal(template[at:]), whole


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _spec(match: re.Match[str], value: SSAValue) -> str | None:
    """A field's form for `str.format`, or None: it has none, or Python raises."""
    flags, width, precision, kind = match.groups()
    if kind in "sr":
        if precision or set(flags) - {"-"}:
            return None
        side = "<" if "-" in flags else ">"
        return f"!{kind}:{side}{width}" if width else f"!{kind}"
    if not is_number(value) or (kind in "diu" and precision):
        return None
    side = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not side else ""
    digits = f".{precision}" if precision else ""
    return f":{side}{sign}{zero}{width}{digits}{'d' if kind in 'diu' else kind}"
