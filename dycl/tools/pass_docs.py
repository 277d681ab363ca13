"""What a pass says about itself: one line, and its options with type and default."""

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from xdsl.passes import ModulePass, get_pass_option_infos

from dycl.pipelines import (
    NORMALISE_LAST,
    NORMALISE_ROUND,
    PHASES,
    REPEAT,
    Entry,
)


class OptionDoc(NamedTuple):
    """One option of a pass, in the words of its command line."""

    name: str
    type: str
    default: str | None
    """None: the option must be given."""
    doc: str


def summary(cls: type[ModulePass]) -> str:
    """The first line of the docstring of a pass."""
    return (inspect.getdoc(cls) or "").split("\n", 1)[0]


def options(cls: type[ModulePass]) -> tuple[OptionDoc, ...]:
    """The options of a pass, each with the docstring below its field."""
    docs = field_docs(cls)
    settable = {field.name for field in dataclasses.fields(cls) if field.init}
    return tuple(
        OptionDoc(
            info.name.replace("_", "-"),
            info.expected_type,
            info.default_value,
            docs.get(info.name, "").partition("\n")[0],
        )
        for info in get_pass_option_infos(cls)
        if info.name in settable
    )


def list_passes(
    passes: Mapping[str, Callable[[], type[ModulePass]]], foreign: Iterable[str]
) -> str:
    """The text of `dycl-opt --list-passes`; `foreign` are named without details."""
    skipped = set(foreign)
    lines: list[str] = []
    for name in sorted(passes.keys() - skipped):
        lines += _describe(name, passes[name])
    lines += ["", "phases (--print-pipeline prints one as text for -p):"]
    for phase, entries in PHASES.items():
        lines += [f"  {phase}", *_steps(entries, "    ")]
    lines += ["", "passes of xDSL:"]
    names = ", ".join(sorted(skipped & passes.keys()))
    lines.append(
        textwrap.indent(textwrap.fill(names, 86, break_on_hyphens=False), "  ")
    )
    return "\n".join(lines)


def _steps(entries: Iterable[Entry], indent: str) -> list[str]:
    """One line for each step of a phase, with its reason; a repeated round below."""
    lines: list[str] = []
    for what, why in entries:
        repeats = what.startswith("dycl-repeat{")
        name = REPEAT if repeats else what
        lines.append(f"{indent}{name:{34 - len(indent)}} {why}")
        if repeats:
            lines += _steps(NORMALISE_ROUND, indent + "  ")
            lines.append(f"{indent}  when a round has changed nothing:")
            lines += _steps(NORMALISE_LAST, indent + "    ")
    return lines


def _describe(name: str, load: Callable[[], type[ModulePass]]) -> list[str]:
    try:
        cls = load()
    except Exception as error:  # one broken plugin must not hide the other passes
        return [f"{name:30} (cannot be loaded: {type(error).__name__}: {error})"]
    lines = [f"{name:30} {summary(cls)}"]
    for option in options(cls):
        default = "" if option.default is None else f" = {option.default}"
        lines.append(f"    {f'{option.name}: {option.type}{default}':40} {option.doc}")
    return lines


def field_docs(cls: type) -> dict[str, str]:
    """Field name -> the string below it, from the source."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except OSError:  # a class made at run time has no source
        return {}
    body = ast.parse(source).body[0]
    if not isinstance(body, ast.ClassDef):
        return {}
    docs: dict[str, str] = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(doc))),
            ):
                docs[name] = inspect.cleandoc(doc)
            case _:
                pass
    return docs
