"""`dycl show NET report`: a network in one HTML file, with everything that is known."""

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dycl.report import measure, read_profile
from dycl.report.page import to_page
from dycl.report.steps import kernels_of, steps_of
from dycl.tools.cli_net import Compiler, compile_net, is_artifact
from dycl.tools.usage import UsageError

_MOST_OF_KERNEL = 300_000
"""Characters of one kernel at one stage that are shown."""


def make_report(
    args: argparse.Namespace,
    compiler: Compiler | None,
    without_locations: Callable[[str], str],
) -> str:
    """Compile, and write the page: its path. UsageError; ProfileMismatch: the profile
    is of another network; OSError; what the compiler raises."""
    if is_artifact(args.net):
        raise UsageError("a report needs the model: what passes did is not in a .dycl")
    if args.output is None:
        raise UsageError("say where the report goes: -o report.html")
    if args.keep is not None:
        raise UsageError("a report has what --keep writes: give one of the two")
    with tempfile.TemporaryDirectory() as folder:
        args.keep = Path(folder)
        net, _ = compile_net(args, compiler)
        steps, files = steps_of(args.keep, without_locations)
    profile = None if args.profile is None else read_profile(args.profile)
    measured = None if profile is None else measure(net.graph, profile)
    native = net.native
    host = {"host.py": net.host_source}
    if native is not None:
        host["host.c"] = native.program.source
    content: Mapping[str, Any] = {
        "steps": steps,
        "kernels": _kernels(net, without_locations),
        "sources": _sources(files),
        "host": host,
        "profile": profile,
    }
    page = to_page(net.graph, measured, content)
    Path(args.output).write_text(page, "utf-8")
    return str(args.output)


def _kernels(
    net: Any, without_locations: Callable[[str], str]
) -> dict[str, dict[str, str]]:
    """The text of each kernel at each stage."""
    stages = {stage: without_locations(t) for stage, t in net.kernel_stages.items()}
    return {
        kernel: {
            stage: text if len(text) <= _MOST_OF_KERNEL else text[:_MOST_OF_KERNEL]
            for stage, text in found.items()
        }
        for kernel, found in kernels_of(stages).items()
    }


def _sources(files: set[str]) -> dict[str, list[str]]:
    """The lines of the user's files that are there, by their short names."""
    found: dict[str, list[str]] = {}
    for file in sorted(files):
        path = Path(file)
        if path.suffix == ".py" and path.is_file():
            lines = path.read_text("utf-8", "replace").splitlines()
            found.setdefault(path.name, lines)
    return found
