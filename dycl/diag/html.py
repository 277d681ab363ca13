"""Errors, tables and texts as HTML, for notebooks, in light and in dark ones."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dycl.diag.errors import CodedError

_RED = "#d1242f"
_CARETS = re.compile(r"(\^+)$", re.MULTILINE)


def errors_html(errors: "Sequence[CodedError]") -> str:
    """Each error with its line and carets, notes, and remedy."""
    return "".join(map(_error, errors))


def _error(error: "CodedError") -> str:
    frame = _CARETS.sub(
        rf"<b style='color:{_RED}'>\1</b>", escape("\n".join(error.details()))
    )
    return (
        f"<div style='border-left:4px solid {_RED};padding:0 0 0 .8em;margin:.6em 0'>"
        f"<b style='color:{_RED}'>error[{error.code}]</b>: {escape(error.what)}"
        f"<pre style='background:none;margin:.3em 0'>{frame}</pre></div>"
    )


def title(text: str) -> str:
    """A line in bold."""
    return f"<p><b>{escape(text)}</b></p>"


def text_block(text: str) -> str:
    """Lines as they are."""
    return f"<pre style='background:none'>{escape(text)}</pre>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text, to the left."""
    cell = "style='text-align:left'"
    names = "".join(f"<th {cell}>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td {cell}>{escape(text)}</td>" for text in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><tr>{names}</tr>{body}</table>"
