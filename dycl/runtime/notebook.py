"""A network as HTML, for notebooks: its picture, and what it takes, decides and weighs.

The picture is an image of its own, so its styles are not those of the notebook, and
nothing of an artifact's runs there.
"""

from __future__ import annotations

import base64
import html
from typing import Any

_MOST = 12
"""Decisions that are listed; of the rest it is said how many."""


def as_html(headline: str, net: Any, picture: str) -> str:
    """`picture`: the control flow as SVG; "": there is none."""
    rows = [("takes", f"{spec.name}: {spec}") for spec in net.inputs]
    for name, test, file, line in net.decisions[:_MOST]:
        what = ": ".join(part for part in (name, test) if part)
        rows.append(("decides", f"{what} ({file}:{line})" if file else what))
    if (more := len(net.decisions) - _MOST) > 0:
        rows.append(("", f"and {more} more"))
    cells = "".join(
        f"<tr><td style='text-align:left'>{head}</td>"
        f"<td style='text-align:left'><code>{html.escape(text)}</code></td></tr>"
        for head, text in rows
    )
    return (
        f"<div><p><code>{html.escape(headline)}</code></p><table>{cells}</table>"
        f"{_image(picture)}</div>"
    )


def _image(picture: str) -> str:
    if not picture:
        return ""
    data = base64.b64encode(picture.encode()).decode()
    return (
        "<details open><summary>control flow</summary>"
        "<div style='max-height:40em;overflow:auto'><img alt='control flow' "
        f"src='data:image/svg+xml;base64,{data}'></div></details>"
    )
