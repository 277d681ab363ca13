"""The report of a network as one HTML file: nothing else is loaded, none is asked for.

`report.html`, `.css` and `.js` beside this file are the page; the data is in it.
"""

import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from dycl.report.collapse import collapse
from dycl.report.hcfg import Graph
from dycl.report.hcfg_data import graph_data
from dycl.report.hcfg_svg import to_svg
from dycl.report.measured import Measured, lines_of

_DEFS = re.compile(r"<defs>.*?</defs>", re.DOTALL)
_NODE = re.compile(r'data-node="(\d+)"')


def to_page(graph: Graph, measured: Measured | None, content: Mapping[str, Any]) -> str:
    """The text of the file.

    `content`: "steps" (see `dycl.report.steps`), "kernels" by name and stage, "sources"
    by file, "host" by file, and "profile" or None.
    """
    folded = collapse(graph)
    is_folded = len(folded.graph.nodes) < len(graph.nodes)
    small = ""
    if is_folded:
        inner = None if measured is None else folded.measured(measured)
        small = _NODE.sub(
            lambda m: f'data-node="{_origin(folded.nodes[int(m[1])])}"',
            to_svg(folded.graph, inner),
        )
    data = {
        **content,
        "graph": {
            **graph_data(graph),
            "measured": [_numbers(measured, node.id) for node in graph.nodes],
            "captions": [[*lines_of(node, measured)] for node in graph.nodes],
        },
    }
    # In a script, nothing but `</` ends the text.
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    whole = to_svg(graph, measured)
    # Browsers draw no arrow whose definition is in a picture that is hidden.
    arrow = _DEFS.search(whole)
    parts = {
        "TITLE": _escaped(graph.title),
        "STYLE": _file("report.css"),
        "ARROW": "" if arrow is None else arrow[0],
        "WHOLE": _DEFS.sub("", whole),
        "FOLDED": _DEFS.sub("", small),
        "DATA": text,
        "SCRIPT": _file("report.js"),
    }
    return re.sub(r"%%([A-Z]+)%%", lambda m: parts[m[1]], _file("report.html"))


def _origin(node: int | None) -> int:
    return -1 if node is None else node


def _numbers(measured: Measured | None, node: int) -> Mapping[str, Any] | None:
    """What a profile has of a node."""
    if measured is None:
        return None
    return measured.nodes.get(node) or measured.sides.get(node)


def _file(name: str) -> str:
    return resources.files("dycl.report").joinpath(name).read_text("utf-8")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
