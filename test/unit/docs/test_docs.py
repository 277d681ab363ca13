"""What the pages say exists: IR, files, commands, targets."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dycl.tools.cli import make_parser

ROOT = Path(__file__).resolve().parents[3]
EXPLANATIONS = sorted((ROOT / "docs" / "explanation").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *EXPLANATIONS]


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


@pytest.mark.parametrize("page", EXPLANATIONS, ids=lambda page: page.name)
def test_explanations_are_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) < 150
