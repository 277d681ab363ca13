"""Before / After in the head of a pass file, and of its parts, is what happens.

Before is a program, around which `snippets` puts a frame: the pass rewrites it, and the
result must be After. Where After is an error, the pass must refuse the program with it.
"""

import ast
import re
from pathlib import Path

import pytest
import snippets

from dycl.diag.errors import CodedError, CompileErrors

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "dycl" / "passes").rglob("*.py"))
REWRITES = ("dycl.ir.rewriting", "xdsl.rewriter", "xdsl.pattern_rewriter")


def heads(path):
    """The two columns of each Before / After in the docstrings of a file."""
    found = []
    text = path.read_text(encoding="utf-8")
    if not re.search(r"Before\s+After$", text, re.MULTILINE):  # to parse takes longer
        return found
    for node in ast.walk(ast.parse(text)):
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


def relative(path):
    return path.relative_to(ROOT / "dycl" / "passes").as_posix()


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_file_that_rewrites_shows_what(path):
    source = path.read_text(encoding="utf-8")
    rewrites = any(f"from {module} import" in source for module in REWRITES)
    assert heads(path) or not rewrites


PROGRAMS = [
    pytest.param(relative(path), *head, id=f"{relative(path)}-{number}")
    for path in FILES
    for number, head in enumerate(heads(path))
]
REFUSALS = [each for each in PROGRAMS if each.values[2].startswith("error[")]
REWRITTEN = [each for each in PROGRAMS if each not in REFUSALS]


@pytest.mark.parametrize(("path", "before", "after"), REFUSALS)
def test_a_program_is_refused_as_its_head_says(path, before, after):
    name = snippets.pass_of(path)
    if name in snippets.TYPED:
        pytest.importorskip("torch")
    (given,) = snippets.frame([before], name)
    with pytest.raises((CodedError, CompileErrors)) as refused:
        snippets.run(given, name)
    assert " ".join(after.split()) in str(refused.value)


@pytest.mark.parametrize(("path", "before", "after"), REWRITTEN)
def test_a_program_becomes_what_its_head_says(path, before, after):
    name = snippets.pass_of(path)
    if name in snippets.TYPED:
        pytest.importorskip("torch")
    given, wanted = snippets.frame([before, after], name)
    unchanged = snippets.shape(given.clone(), after, name)
    rounds, options = snippets.ROUNDS.get(path, 1), snippets.OPTIONS.get(path)
    snippets.run(given, name, rounds, wanted, options)
    found = snippets.shape(given, after, name)
    assert found == snippets.shape(wanted, after, name)
    assert found != unchanged


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
