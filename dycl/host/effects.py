"""Effects of the host as Python statements.

What Python has under its own name is printed so; the rest goes through `rt`, which
knows the user's place.
"""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.diag import SourceLoc
from dycl.host.literals import literal, quoted
from dycl.ir.dialect.effects import CHECKS

_Texts = Mapping[SSAValue, str]


def statement(op: d.EffectOp | d.RaiseOp, texts: _Texts) -> str:
    """The statement that does what `op` does."""
    if isinstance(op, d.RaiseOp):
        return _raise(op, texts)
    name = op.function_name
    if name == "builtins.print":
        return f"print({_arguments(op, texts)})"
    given = [texts[value] for value in op.positional]
    if name in CHECKS.values():
        error = next(e for e, function in CHECKS.items() if function == name)
        return f"if not {given[0]}: raise {error}({given[1]})"
    if name == "warnings.warn":
        return f"rt.warn({', '.join([*place_arguments(op), *given])})"
    *_, method = name.split(".")
    if not name.startswith("logging.Logger."):
        given.insert(0, quoted(""))
    return f"rt.log({', '.join([*place_arguments(op), quoted(method), *given])})"


def text_expression(op: d.FormatOp, texts: _Texts) -> str:
    """`"{:.2f}".format(v)`."""
    return f"{quoted(op.template_text)}.format({_arguments(op, texts)})"


def _raise(op: d.RaiseOp, texts: _Texts) -> str:
    given = [texts[value] for value in op.values]
    if op.base is None:
        name = op.exception_name.removeprefix("builtins.")
        return f"raise {name}({', '.join(given)})"
    base = op.base_name.removeprefix("builtins.")
    return f"raise rt.exception({', '.join([quoted(op.exception_name), base, *given])})"


def _arguments(op: d.EffectOp | d.FormatOp, texts: _Texts) -> str:
    entries = [texts[value] for value in op.positional]
    for key, value in op.keyword_arguments.items():
        text = texts[value]
        entries.append(f"{key}=rt.stream({text})" if key == "file" else f"{key}={text}")
    return ", ".join(entries)


def place_arguments(op: Operation) -> list[str]:
    """File (without folders) and line, as arguments."""
    location = SourceLoc.of(op)
    if location is None:
        return [quoted("<unknown>"), "0"]
    file = location.file.replace("\\", "/").rpartition("/")[2]
    return [quoted(file), literal(location.line)]
