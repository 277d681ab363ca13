"""The reference of the Python interface, from its docstrings."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import dycl
from dycl import runtime
from dycl.compiled import CompiledModel
from dycl.tools.pass_docs import field_docs

CLASSES = (CompiledModel, runtime.Decision, runtime.InputSpec)
"""What public functions return, besides what `dycl` itself exports."""
FIRST = ("compile", "load", "explain", "CompileOptions")
"""What most readers look for."""


def python() -> str:
    """One section for each name of `dycl`, and for each class it gives back."""
    lines = ["# Python", "", "```", inspect.getdoc(dycl) or "", "```"]
    for name in [*FIRST, *sorted(set(dycl.__all__) - {*FIRST})]:
        lines += _section(f"dycl.{name}", getattr(dycl, name))
    for cls in CLASSES:
        package = ".".join(cls.__module__.split(".")[:2])
        lines += _section(f"{package}.{cls.__name__}", cls)
    lines += ["", "## Errors of a call", ""]
    lines += [
        f"* `dycl.runtime.{name}`: {_first_line(getattr(runtime, name))}"
        for name in sorted(runtime.__all__)
        if _is_exception(getattr(runtime, name))
    ]
    return "\n".join(lines) + "\n"


def _section(name: str, thing: Any) -> list[str]:
    lines = ["", f"## {name}", "", *_text(name.rpartition(".")[2], thing)]
    if inspect.isclass(thing) and not _is_exception(thing):
        lines += _fields(thing)
        for member, value in vars(thing).items():
            if not member.startswith("_") and _is_documented(value):
                lines += ["", f"### {name}.{member}", "", *_text(member, value)]
    return lines


def _fields(cls: type) -> list[str]:
    """The fields of a dataclass, with their defaults and what is below them."""
    if not dataclasses.is_dataclass(cls):
        return []
    docs = field_docs(cls)
    lines = [""]
    for field in dataclasses.fields(cls):
        default = field.default
        shown = "" if default is dataclasses.MISSING else f" = {default!r}"
        doc = " ".join(docs.get(field.name, "").split())
        lines.append(f"* `{field.name}{shown}`{f': {doc}' if doc else ''}")
    return lines


def _text(name: str, thing: Any) -> list[str]:
    """The signature, where it has one, and the docstring as text."""
    function = thing.fget if isinstance(thing, property) else thing
    head = [f"class {name}" if inspect.isclass(thing) else name]
    if inspect.isfunction(function) and not isinstance(thing, property):
        head = [f"{name}{_signature(function)}"]
    return ["```", *head, "", inspect.getdoc(function) or "", "```"]


def _signature(function: Callable[..., Any]) -> str:
    """One parameter a line, without the modules that types come from."""
    parameters = inspect.signature(function).parameters.values()
    shown = [
        f"    {parameter}," for parameter in parameters if parameter.name != "self"
    ]
    return "\n".join(["(", *shown, ")"]) if shown else "()"


def _is_documented(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, property)


def _is_exception(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]
