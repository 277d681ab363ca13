"""Notebooks of the documentation give what they show; the site has them as pages."""

import json
from pathlib import Path

import pytest

from tools.notebook import page, run

DOCS = Path(__file__).resolve().parents[3] / "docs"
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path):
    """After a change: python tools/notebook.py docs/tutorial/levels.ipynb"""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell, found in zip(cells, run(cells), strict=True):
        kept = [
            {k: v for k, v in output.items() if k != "execution_count"}
            for output in cell.get("outputs", ())
        ]
        assert found == kept, "".join(cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_has_the_cells_and_outputs(path):
    text = page(path)
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert "".join(cell["source"]) in text
    assert "data:image/svg+xml;base64," in text
    assert "\n```text\ntensor([[38., 38.]])\n" in text


def test_there_is_one():
    assert [path.name for path in NOTEBOOKS] == ["levels.ipynb"]
