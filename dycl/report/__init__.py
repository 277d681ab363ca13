"""What people look at: the picture of a network's control flow, and progress."""

from dycl.report.hcfg import Edge, Graph, Node, NodeKind, build_graph
from dycl.report.hcfg_svg import to_svg
from dycl.report.hcfg_text import to_dot, to_mermaid
from dycl.report.progress import Listener, PlainProgress, RichProgress, progress_on

__all__ = [
    "Edge",
    "Graph",
    "Listener",
    "Node",
    "NodeKind",
    "PlainProgress",
    "RichProgress",
    "build_graph",
    "progress_on",
    "to_dot",
    "to_mermaid",
    "to_svg",
]
