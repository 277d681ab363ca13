"""What runs saved networks is written for the oldest Python that it promises."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OLDEST = (3, 9)
FILES = sorted(
    path
    for pattern in PROJECT["tool"]["ruff"]["per-file-target-version"]
    for path in ROOT.glob(pattern.removesuffix("**") + "**/*.py" * ("**" in pattern))
)


def test_there_are_files():
    assert ROOT / "dycl/runtime/net.py" in FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_its_syntax_is_old(path):
    """Annotations are texts: `X | None` is new, but nobody looks at them."""
    tree = ast.parse(path.read_text(), feature_version=OLDEST)
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.AnnAssign | ast.FunctionDef)]
    imports = [n.module for n in tree.body if isinstance(n, ast.ImportFrom)]
    assert not uses or "__future__" in imports


def test_new_syntax_is_found():
    with pytest.raises(SyntaxError, match="Pattern matching"):
        ast.parse("match x:\n case 1: pass", feature_version=OLDEST)
