"""Before / After in the head of a pass file, and of its parts, is what happens.

Where Before ends in `dycl.return` it is a program (`snippets` puts a frame around it):
the pass rewrites it, and what it gives must be After. Other texts are sketches, which
leave out what does not matter, and are compared by their ops: those of Before are in an
input of the pass's lit tests, those of After in what the pass makes of one.
"""

import ast
import re
from pathlib import Path

import pytest
import snippets

from dycl.diag.errors import CodedError, CompileErrors
from dycl.ir import Dycl
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.passes import PASSES, get_all_passes
from dycl.tools.same import new_context

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "dycl" / "passes").rglob("*.py"))
LIT = ROOT / "test" / "lit" / "passes"
OP = re.compile(r"(?<![\w.%@#!`{])((?:dycl|torch|host|func)(?:\.[a-zA-Z_]\w*)+)")
REWRITES = ("dycl.ir.rewriting", "xdsl.rewriter", "xdsl.pattern_rewriter")


def heads(path):
    """The two columns of each Before / After in the docstrings of a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            lines = (ast.get_docstring(node) or "").splitlines()
            for number, line in enumerate(lines):
                if re.match(r"Before\s+After$", line):
                    found.append(columns(lines[number:]))
    return found


def columns(lines):
    """Before and After, from the line with these words on, up to an empty line."""
    width = lines[0].index("After")
    rows = lines[2 : lines.index("")] if "" in lines else lines[2:]
    return "\n".join(r[:width] for r in rows), "\n".join(r[width:] for r in rows)


def named(text):
    """The ops that a text names."""
    return {name for name in OP.findall(text) if name not in ("torch.cat",)}


def relative(path):
    return path.relative_to(ROOT / "dycl" / "passes").as_posix()


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_file_that_rewrites_shows_what(path):
    source = path.read_text(encoding="utf-8")
    rewrites = any(f"from {module} import" in source for module in REWRITES)
    assert heads(path) or not rewrites


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_ops_in_heads_exist(path):
    ops = {op.name for op in Dycl.operations}
    for before, after in heads(path):
        assert before.strip()
        assert after.strip()
        unknown = {n for n in named(before + "\n" + after) if n.startswith("dycl.")}
        assert not unknown - ops


REWRITING = {
    name: ROOT / "dycl" / "passes" / f"{where.split(':')[0]}.py"
    for name, where in PASSES.items()
    if not name.startswith("dycl-check-")
}
SKETCHED = {
    name: path
    for name, path in REWRITING.items()
    if not snippets.is_program(heads(path)[0][0])
}


@pytest.mark.parametrize("name", SKETCHED)
def test_head_of_a_pass_is_what_its_lit_tests_do(name):
    pytest.importorskip("torch")
    before, after = heads(SKETCHED[name])[0]
    wanted, made = named(before), named(after)
    for path in lit_inputs(name):
        given, left = ops_around(name, path)
        wanted -= given
        made -= left
        if not wanted and not made:
            return
    assert not wanted, f"no lit test gives {name} {sorted(wanted)}"
    assert not made, f"in no lit test {name} gives {sorted(made)}"


def lit_inputs(name):
    """The files of a pass's lit tests, `does-it.mlir` first."""
    files = sorted((LIT / name.removeprefix("dycl-")).glob("*.mlir"))
    return sorted(files, key=lambda path: path.stem != "does-it")


def ops_around(name, path):
    """The ops of a file, and those that the pass makes of it; none if it refuses."""
    try:
        module = parse_text(new_context(), path.read_text(), str(path))
        given = {op.name for op in walk(module)}
        get_all_passes()[name]()().apply(new_context(), module)
    except (CodedError, CompileErrors, ValueError):
        return set(), set()
    return given, {op.name for op in walk(module)}


PROGRAMS = [
    pytest.param(relative(path), *head, id=f"{relative(path)}-{number}")
    for path in FILES
    for number, head in enumerate(heads(path))
    if snippets.is_program(head[0])
]


@pytest.mark.parametrize(("path", "before", "after"), PROGRAMS)
def test_a_program_becomes_what_its_head_says(path, before, after):
    name = snippets.pass_of(path)
    if name in snippets.TYPED:
        pytest.importorskip("torch")
    given, wanted = snippets.frame([before, after], name)
    unchanged = snippets.shape(given.clone(), after, name)
    snippets.run(given, name)
    found = snippets.shape(given, after, name)
    assert found == snippets.shape(wanted, after, name)
    assert found != unchanged


def test_most_heads_are_programs():
    assert len(PROGRAMS) >= 60


FOLDERS = sorted({path.parent for path in FILES} - {ROOT / "dycl" / "passes"})


@pytest.mark.parametrize("folder", FOLDERS, ids=relative)
def test_the_page_of_a_folder_says_what_each_part_is(folder):
    page = (folder / "__init__.py").read_text()
    lines = re.findall(r"^ *(\w+)  +\S", page, re.MULTILINE)
    parts = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(lines) == parts
    assert len(lines) == len(parts)


def test_the_page_of_all_passes_names_every_folder():
    page = (FOLDERS[0].parent / "__init__.py").read_text()
    named_there = re.findall(r"^    (\w+)/ +dycl-", page, re.MULTILINE)
    assert sorted(named_there) == [folder.name for folder in FOLDERS]
