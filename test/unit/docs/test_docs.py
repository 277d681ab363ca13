"""What the pages say exists: IR, files, modules, passes, commands, targets."""

import contextlib
import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dycl.passes import PASSES
from dycl.tools.cli import make_parser

ROOT = Path(__file__).resolve().parents[3]
EXPLANATIONS = sorted((ROOT / "docs" / "explanation").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *EXPLANATIONS]
PAGES += sorted((ROOT / "docs" / "speed").glob("*.md"))
OF_TODAY = [page for page in PAGES if page.name != "deviations-from-design.md"]
"""The others say what is here; that one, what was designed and is not."""


def test_the_ir_on_the_pages_is_that_of_today():
    done = subprocess.run(
        [sys.executable, "tools/gen_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page):
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    found = re.findall(r"```\n(.*?)```|`([^`\n]+)`", text, re.DOTALL)
    code = "\n".join(fenced or inline for fenced, inline in found)
    for named in re.findall(r"^(?:\w=1 )?make ([a-z-]+)", code, re.MULTILINE):
        assert named in targets
    known = make_parser().format_help()
    for named in re.findall(r"^dycl ([a-z]+)", code, re.MULTILINE):
        assert f"    {named} " in known


@pytest.mark.parametrize("page", OF_TODAY, ids=lambda page: page.name)
def test_files_modules_and_ops_exist(page):
    """`test/lit/`, `dycl/passes/__init__.py`, `dycl.compile`, and ops: `dycl.if`."""
    for path in names(page, r"(?:dycl|test|tools|docs|bench|examples)/[\w./-]*"):
        if "verb" not in path:  # how files of a new pass are called
            assert (ROOT / path).exists(), path
    for name in names(page, r"dycl(?:\.\w+)+"):
        assert is_importable(name) or f'"{name}"' in sources(), name


@pytest.mark.parametrize("page", OF_TODAY, ids=lambda page: page.name)
def test_passes_and_steps_exist(page):
    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in names(page, r"dycl-[a-z-]+[a-z]"):
        assert name in PASSES or f"\n{name} = " in scripts, name
    for name in names(page, r"cpu-[a-z-]+[a-z]"):
        file = f"{name.removeprefix('cpu-').replace('-', '_')}.py"
        assert [*(ROOT / "dycl/kernels/cpu").rglob(file)], name


def names(page, pattern):
    """What stands between backquotes and is all of this pattern."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"(?<!`)`({pattern})`(?!`)", text)


@functools.cache
def sources():
    """All of `dycl`, where ops and attributes have their names."""
    return "".join(p.read_text(encoding="utf-8") for p in (ROOT / "dycl").rglob("*.py"))


def is_importable(name):
    """Whether it is a module, or something in one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            found = importlib.import_module(".".join(parts[:count]))
            return count == len(parts) or hasattr(found, parts[count])
    return False


@pytest.mark.parametrize("page", EXPLANATIONS, ids=lambda page: page.name)
def test_explanations_are_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) < 150
