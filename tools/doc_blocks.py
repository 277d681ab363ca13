"""Fills the IR of `docs/explanation/` from a compilation of the model on the page.

A page has one model, its first ```python block. Each marker line is followed by a
fenced block, whose text is replaced:

    <!-- shown: hcfg @forward -->       one symbol of the IR of a level
    <!-- shown: typed @forward 12 -->   its first 12 lines
    <!-- shown: host.py -->             `forward` of the printed host

Lines are cut at a width that a browser shows.
"""

import importlib.util
import re
import sys
import tempfile
import textwrap
from pathlib import Path

WIDTH = 110
_MARKER = re.compile(r"(<!-- shown: ([^>]+) -->\n```\w*\n)(.*?)(```\n)", re.DOTALL)
_MODEL = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


def filled(page: str) -> str:
    """The page with every shown block as it is now. LookupError: no such symbol."""
    if not _MARKER.search(page):
        return page
    model = _MODEL.search(page)
    if model is None:
        raise LookupError("the page shows IR, and has no ```python block with a model")
    stages = compiled(model[1])
    return _MARKER.sub(lambda m: m[1] + shown(stages, m[2].split()) + m[4], page)


def compiled(source: str) -> dict[str, str]:
    """The text of every level, and `host.py`, of the class and inputs in `source`."""
    import dycl

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tiny.py"
        file.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("tiny", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["tiny"] = module
        spec.loader.exec_module(module)
        net = dycl.compile(module.Tiny().eval(), module.example_inputs())
        del sys.modules["tiny"]
    return {**net.stages, "host.py": net.host_source}


def shown(stages: dict[str, str], words: list[str]) -> str:
    """What one marker asks for, cut to size, with a line end."""
    level, *rest = words
    most = next((int(word) for word in rest if word.isdigit()), None)
    symbols = [word for word in rest if word.startswith("@")]
    if level == "host.py":
        text = stages[level]
        start, end = text.index("    def forward("), text.rindex("    return forward")
        parts = [text[start:end].rstrip()]
    else:
        parts = [_symbol(stages[level], name) for name in symbols]
    lines = [line for part in parts for line in textwrap.dedent(part).splitlines()]
    if most is not None and most < len(lines):
        lines = [*lines[:most], "  ..."]
    cut = [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines]
    return "\n".join(cut) + "\n"


def _symbol(text: str, name: str) -> str:
    """The top-level op that defines a symbol."""
    pattern = rf"^  [\w.]+ {re.escape(name)}(?![\w.]).*?(?=^  [^ }}]|^}})"
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"there is no {name} to show")
    return found[0].rstrip()
