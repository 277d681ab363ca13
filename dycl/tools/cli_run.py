"""`dycl compile` and `dycl run`: what came out, and what it computes."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dycl.kernels import PlainLoops
from dycl.report import NodeKind
from dycl.runtime import InputError
from dycl.tools.cli_net import (
    Compiler,
    compile_net,
    lower_net,
)
from dycl.tools.cli_options import NET, add_net_arguments, add_stop_after
from dycl.tools.printing import print_run
from dycl.tools.usage import UsageError, UserError


def add_compile_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl compile`."""
    add_net_arguments(parser)
    parser.add_argument(
        "--output",
        "-o",
        metavar="NET.dycl",
        help="write the network into one file, which `dycl run` and dycl.load run "
        "without torch; with a / at the end, into a folder",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        dest="counts",
        metavar="P.json",
        help="lay decisions out by how often each side was taken: what `dycl profile "
        "-o` wrote of this network",
    )
    add_stop_after(
        parser,
        "compile no further than the last PASS, or phase, and write the IR: into "
        "-o OUT.mlir, from which `dycl compile` goes on, or to stdout",
    )
    parser.add_argument(
        "--no-raw-weights",
        action="store_false",
        dest="raw_weights",
        help="leave out of it weights that no run reads, only what is made of them",
    )


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl run`."""
    add_net_arguments(
        parser, "NET.dycl|FILE.mlir|FILE.py:NAME", f"a compiled network, IR, or {NET}"
    )


def run_compile(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Compile and print a summary. The exit status."""
    if args.stop_after is not None:
        return _stopped(args)
    if args.counts is not None and args.net.endswith(".mlir"):
        raise UsageError("--profile is for models, not for FILE.mlir")
    net, _ = compile_net(args, compiler)
    launched = [node.name for node in net.graph.nodes if node.kind is NodeKind.KERNEL]
    print(f"decisions  {net.graph.count(NodeKind.DECISION)}")
    print(f"exits      {net.graph.count(NodeKind.EXIT)}")
    print(f"kernels    {len(set(launched))}, launched from {len(launched)} places")
    print(f"host       {net.host}{f' ({net.why_python})' if net.why_python else ''}")
    for place in plain_places(net.library.plain):
        print(f"plain      {place}")
    if net.narrowing is not None:
        print(f"{net.narrowing.to:<10} {net.narrowing}")
    if args.keep is not None:
        print(f"kept       {args.keep}")
    if args.output is not None:
        net.save(
            args.output,
            folder=args.output.endswith("/"),
            raw_weights=args.raw_weights,
        )
        print(f"written    {args.output}")
    return 0


def _stopped(args: argparse.Namespace) -> int:
    """Write the IR behind a pass, with the user's lines. The exit status."""
    from dycl.driver.ir_dump import printed

    if args.output is not None and not args.output.endswith(".mlir"):
        raise UsageError("what --stop-after writes is IR: -o OUT.mlir")
    text = printed(lower_net(args, "host"), locations=True).rstrip("\n") + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    Path(args.output).write_text(text, encoding="utf-8")
    print(f"written    {args.output}")
    return 0


def plain_places(found: Sequence[PlainLoops]) -> list[str]:
    """What runs as plain loops, with its line; each once, however often it is there."""
    lines = Counter(
        each.what + (f", {each.place.file}:{each.place.line}" if each.place else "")
        for each in found
    )
    return [
        line + (f" ({count} times)" if count > 1 else "")
        for line, count in lines.items()
    ]


def run_run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Compile, run once, print outputs and path. The exit status.

    UsageError, UserError and what the compiler raises.
    """
    net, inputs = compile_net(args, compiler)
    try:
        outputs = net(*inputs)
    except InputError as error:
        raise UserError(str(error)) from error
    print_run(net, outputs)
    sys.stdout.flush()
    return 0
