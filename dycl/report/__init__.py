"""What people look at: the picture of a network's control flow, and progress.

What makes a picture of IR is imported when it is asked for: pictures of saved networks
are printed without a compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dycl.report.graph import Edge, Graph, Node, NodeKind
from dycl.report.hcfg_data import graph_data, graph_of
from dycl.report.hcfg_svg import to_svg
from dycl.report.hcfg_text import to_dot, to_mermaid
from dycl.report.measured import Measured, ProfileMismatch, measure, read_profile

if TYPE_CHECKING:
    from dycl.report.hcfg import build_graph
    from dycl.report.progress import (
        Listener,
        PlainProgress,
        RichProgress,
        progress_on,
    )

__all__ = [
    "Edge",
    "Graph",
    "Listener",
    "Measured",
    "Node",
    "NodeKind",
    "PlainProgress",
    "ProfileMismatch",
    "RichProgress",
    "build_graph",
    "graph_data",
    "graph_of",
    "measure",
    "progress_on",
    "read_profile",
    "to_dot",
    "to_mermaid",
    "to_svg",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'dycl.report' has no attribute '{name}'")
    from dycl.report import hcfg, progress

    return getattr(hcfg if name == "build_graph" else progress, name)
