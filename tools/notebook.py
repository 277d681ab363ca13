"""Notebooks of the documentation: run them, keep their outputs, show them as pages.

    python tools/notebook.py docs/tutorial/levels.ipynb       run it, write the outputs

The cells run in order in one namespace, as in Jupyter; the last expression of a cell is
shown, as HTML if it has that. No Jupyter is needed. A test runs each notebook and
compares what it gives with what it holds; the site has its cells as a page.
"""

import ast
import contextlib
import io
import json
import linecache
import sys
from pathlib import Path
from typing import Any


def run(cells):
    """The outputs of all cells in the form of notebooks; those of text have none."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found, count = [], 0
    for cell in cells:
        outputs: list[dict[str, Any]] = []
        if cell["cell_type"] == "code":
            count += 1
            outputs = _run_cell("".join(cell["source"]), f"cell-{count}.py", names)
        found.append(outputs)
    return found


def _run_cell(text, file, names):
    # Where the compiler looks for the source of functions, as IPython does it.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    tree, last = ast.parse(text, file), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    out, value = io.StringIO(), None
    with contextlib.redirect_stdout(out):
        exec(compile(tree, file, "exec"), names)
        if last is not None:
            value = eval(compile(last, file, "eval"), names)
    outputs = []
    if out.getvalue():
        lines = out.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        shown = {"output_type": "execute_result", "metadata": {}, "data": data}
        outputs.append(shown)
    return outputs


def write(path):
    """Run a notebook and keep its outputs in it."""
    book = json.loads(path.read_text("utf-8"))
    count = 0
    for cell, outputs in zip(book["cells"], run(book["cells"]), strict=True):
        if cell["cell_type"] == "code":
            count += 1
            for output in outputs:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
            cell |= {"outputs": outputs, "execution_count": count}
    text = json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", "utf-8")


def page(path):
    """A notebook as Markdown, with a link to the file."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += map(_shown, cell["outputs"])
    parts.append(f"[This page as a notebook]({path.name})")
    return "\n\n".join(parts) + "\n"


def _shown(output):
    data = output.get("data", {})
    if "text/html" in data:
        # Markdown in it would end the HTML: lines are joined.
        return "".join(data["text/html"]).replace("\n", "&#10;")
    text = "".join(data.get("text/plain", output.get("text", ()))).rstrip("\n")
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name))
