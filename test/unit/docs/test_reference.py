"""The generated reference is complete: ops, attributes, passes, options of tools."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from dycl.ir.discardable import DISCARDABLE
from dycl.passes import PASSES
from dycl.universe import DYCL_UNIVERSE

ROOT = Path(__file__).resolve().parents[3]
OURS = [
    op
    for name in ("dycl", "host")
    for op in DYCL_UNIVERSE.all_dialects[name]().operations
]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        generator = runpy.run_path(str(ROOT / "tools" / "gen_docs.py"))
    finally:
        sys.path.remove(str(ROOT / "tools"))
    return {name: page() for name, page in generator["PAGES"].items()}


@pytest.mark.parametrize("op", OURS, ids=lambda op: op.name)
def test_each_op_has_its_parts_and_an_example(op, pages) -> None:
    [section] = re.findall(
        rf"^### `{re.escape(op.name)}`\n(.*?)(?=^##|\Z)",
        pages["dialects"],
        re.MULTILINE | re.DOTALL,
    )
    for part in ("operands", "attributes", "results", "regions", "traits"):
        assert f"* {part}: " in section
    for name, _ in op.get_irdl_definition().operands:
        assert f"`{name.rstrip('_')}" in section
    assert re.search(
        rf"Example, of `test/lit/.*\n\n```\n.*{re.escape(op.name)}", section
    )


def test_attributes_types_passes_and_options_are_there(pages) -> None:
    for name in DYCL_UNIVERSE.all_dialects:
        for attribute in DYCL_UNIVERSE.all_dialects[name]().attributes:
            assert f"* `{attribute.name}`" in pages["dialects"]
    for name in PASSES:
        assert f"## {name}\n" in pages["passes"]
    for tool, flags in (
        (
            "dycl-opt",
            ("--reduce", "--same-answer", "--print-ir-before", "--stop-after"),
        ),
        ("dycl-run", ("--same-after", "--weights")),
        ("dycl-kernel-opt", ("--stage", "--target")),
        ("dycl compile", ("--weights", "--pipeline", "--start-from", "--output")),
        ("dycl show", ("--level", "--locations")),
    ):
        text = pages["commands"].partition(f"## {tool}\n")[2].partition("\n## ")[0]
        for flag in flags:
            assert flag in text, (tool, flag)


def test_discardable_attributes_are_those_of_the_sources() -> None:
    """What passes read or write by a name of its own is in the table, and no other."""
    found: set[str] = set()
    for folder in ("ir", "frontend", "passes", "analysis", "host", "report"):
        for path in sorted((ROOT / "dycl" / folder).rglob("*.py")):
            if path.name == "discardable.py":
                continue
            text = path.read_text(encoding="utf-8")
            found |= set(
                re.findall(r'attributes(?:\.get\(|\.pop\(|\[)"([a-z_.]+)"', text)
            )
            found |= set(re.findall(r'"([a-z_.]+)" (?:not )?in \w*\.?attributes', text))
            found |= set(
                re.findall(r'^[A-Z_]+ = "(dycl\.[a-z_]+)"$', text, re.MULTILINE)
            )
            found |= set(re.findall(r'\["(dycl\.[a-z_]+)"\] = ', text))
    named = {"arena", "offset", "test", "name", "structure", "numbers", "zero"}
    operator = "dycl.first"  # It is of torch.ops, in what is traced.
    dycl = {one for one in found if one.startswith("dycl.")} - {operator}
    assert dycl | named == set(DISCARDABLE)
    properties = {"sym_name", "cases"}  # Parsers have them in a dictionary.
    assert {one for one in found if "." not in one} <= named | properties
