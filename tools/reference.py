"""What `gen_docs.py` says of dialects: each op with all its parts and an example.

An example is a line of a text test, so the tests parse it.
"""

import argparse
import functools
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xdsl.ir import Dialect, Operation
from xdsl.irdl import OptOperandDef, OptResultDef, VarOperandDef, VarResultDef

from dycl.ir.discardable import DISCARDABLE
from dycl.ir.torch import TorchOp
from dycl.kernels.cpu import opt as kernel_opt
from dycl.tools import run
from dycl.tools.opt import DyclOpt

LIT = Path(__file__).resolve().parents[1] / "test" / "lit"


def dialect_lines(dialect: Dialect) -> list[str]:
    """The ops, attributes and types of a dialect."""
    lines: list[str] = []
    for op in dialect.operations:
        lines += op_lines(op)
    lines += ["", f"### Attributes and types of {dialect.name}", ""]
    for attribute in sorted(dialect.attributes, key=lambda one: one.name):
        parameters = ", ".join(name for name, _ in attribute_parameters(attribute))
        text = f"* `{attribute.name}`{f' ({parameters})' if parameters else ''}: "
        lines.append(text + first_line(attribute))
    return lines


def attribute_parameters(attribute: Any) -> list[tuple[str, Any]]:
    """The parameters of an attribute or type, by name."""
    definition = getattr(attribute, "get_irdl_definition", None)
    return [] if definition is None else list(definition().parameters)


def op_lines(op: type[Operation]) -> list[str]:
    """One op: what it means, its parts, and an example if a test has one.

    The ops of torch follow three patterns and have one line each.
    """
    if issubclass(op, TorchOp):
        return [f"* `{op.name}`: {first_line(op)}"]
    definition: Any = op.get_irdl_definition()
    lines = ["", f"### `{op.name}`", "", inspect.cleandoc(op.__doc__ or ""), ""]
    for title, parts in (
        ("operands", [_part(name, one) for name, one in definition.operands]),
        ("attributes", [*definition.properties, *definition.attributes]),
        ("results", [_part(name, one) for name, one in definition.results]),
        ("regions", [name for name, _ in definition.regions]),
        ("traits", sorted(type(trait).__name__ for trait in _traits(op))),
    ):
        shown = [p for p in parts if p != "operandSegmentSizes"]
        text = ", ".join(f"`{p}`" for p in shown) or "none"
        lines.append(f"* {title}: {text}")
    found = example(op.name)
    if found is not None:
        place, line = found
        lines += ["", f"Example, of `test/lit/{place}`:", "", "```", line, "```"]
    return lines


def _traits(op: type[Operation]) -> Iterable[object]:
    return op.traits.traits


def _part(name: str, definition: object) -> str:
    """`values...` for any number, `value?` for one that may be missing."""
    name = name.rstrip("_")
    if isinstance(definition, OptOperandDef | OptResultDef):
        return f"{name}?"
    if isinstance(definition, VarOperandDef | VarResultDef):
        return f"{name}..."
    return name


def first_line(what: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(what) or "").partition("\n")[0]


@functools.cache
def _lines() -> list[tuple[str, str]]:
    """All lines of IR in text tests that are expected to be right."""
    found: list[tuple[str, str]] = []
    for path in sorted(LIT.rglob("*.mlir")):
        text = path.read_text(encoding="utf-8")
        if "expected-error" in text or "RUN: not" in text:
            continue
        place = str(path.relative_to(LIT))
        lines = [one for one in text.splitlines() if not one.lstrip().startswith("//")]
        found += [(place, one.strip()) for one in lines]
    return sorted(found, key=lambda one: not one[0].startswith("ir/"))


def example(name: str) -> tuple[str, str] | None:
    """A line of a text test that has an op, and the test; its dialect's tests first."""
    form = re.compile(rf'(^|[ "]){re.escape(name)}(?![\w.])')
    return next((one for one in _lines() if form.search(one[1])), None)


def discardable_lines() -> list[str]:
    """The attributes that ops may have besides their own."""
    lines = ["", "## Discardable attributes", ""]
    for name, (ops, what) in DISCARDABLE.items():
        lines.append(f"* `{name}`, of {ops}: {what}")
    return lines


def tools() -> dict[str, argparse.ArgumentParser]:
    """The parsers of the tools besides `dycl`, by their commands."""
    return {
        "dycl-opt": DyclOpt([]).arg_parser,
        "dycl-run": run.make_parser(),
        "dycl-kernel-opt": kernel_opt.make_parser(),
    }
