"""What people look at: the picture of a network's control flow, and progress."""

from dycl.report.hcfg import Edge, Graph, Node, NodeKind, build_graph
from dycl.report.hcfg_data import graph_data, graph_of
from dycl.report.hcfg_svg import to_svg
from dycl.report.hcfg_text import to_dot, to_mermaid
from dycl.report.measured import Measured, ProfileMismatch, measure, read_profile
from dycl.report.progress import Listener, PlainProgress, RichProgress, progress_on

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
