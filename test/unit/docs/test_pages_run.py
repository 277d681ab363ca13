"""The pages that teach are run: their files, their Python, their commands, in order.

A ```python block with a title is a file; one without is run. A ```text block behind it
is what it prints, and ```console has commands of ours with what they print.
"""

import contextlib
import importlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from dycl.runtime.targets import LEVELS, why_not_here
from dycl.tools.cli import main

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = [*sorted(DOCS.glob("tutorial/*.md")), *sorted(DOCS.glob("how-to/*.md"))]
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.M | re.S)
_WORD = re.compile(r"[\w-]+")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if lacking := [*filter(why_not_here, set(LEVELS) & set(_WORD.findall(text)))]:
        pytest.skip(f"code for {lacking[0]} cannot run here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = _BLOCK.findall(text)
    for _, title, _ in blocks:  # Another test may have imported its own file of a name.
        if title.endswith(".py"):
            monkeypatch.delitem(sys.modules, title.removesuffix(".py"), raising=False)
    here = set(sys.modules)
    try:
        run(blocks, page.name)
    finally:
        for name in set(sys.modules) - here:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).is_relative_to(tmp_path):
                del sys.modules[name]


def test_the_readme_runs_as_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    parts = [code for language, _, code in _BLOCK.findall(text) if language == "python"]
    assert len(parts) > 1
    Path("of_the_readme.py").write_text("".join(parts), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "of_the_readme", raising=False)
    printed = output_of(importlib.import_module, "of_the_readme")
    del sys.modules["of_the_readme"]
    assert "exit 1" in printed
    assert "equal to eager" in printed


def run(blocks, name):
    """Run blocks of one page; what they print is what the page shows."""
    names, printed = {"__name__": name}, ""
    for language, title, text in blocks:
        if title:
            Path(title).write_text(text, encoding="utf-8")
            importlib.invalidate_caches()
        elif language == "python":
            printed = output_of(exec, compile(text, name, "exec"), names)
        elif language == "text":
            assert printed == text
        elif language == "console":
            run_commands(text)


def run_commands(text):
    for command in re.split(r"^\$ dycl ", text, flags=re.M)[1:]:
        line, _, shown = command.partition("\n")
        printed = output_of(main, shlex.split(line))
        assert not shown.strip() or printed.strip() == shown.strip()


def output_of(function, *args):
    out = io.StringIO()
    # SystemExit: a command has ended.
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        function(*args)
    return out.getvalue()


def test_there_are_pages_with_code():
    assert len(PAGES) > 8
    blocks = [_BLOCK.findall(page.read_text(encoding="utf-8")) for page in PAGES]
    assert sum(language == "python" for found in blocks for language, *_ in found) > 12
