"""`dycl compile` and `dycl run`: what came out, and what it computes."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dycl.kernels import PlainLoops
from dycl.report import NodeKind
from dycl.runtime import InputError
from dycl.runtime.dtypes import array_of_tensor, dtype_name, widened
from dycl.tools.cli_files import UserError
from dycl.tools.cli_net import (
    Compiler,
    compile_net,
    inputs_for,
    is_artifact,
    load_artifact,
    lower_net,
)
from dycl.tools.cli_options import NET, add_net_arguments, add_stop_after
from dycl.tools.input_spec import SHORT
from dycl.tools.opt_args import UsageError


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
    net, _ = compile_net(args, compiler)
    launched = [node.name for node in net.graph.nodes if node.kind is NodeKind.KERNEL]
    print(f"decisions  {net.graph.count(NodeKind.DECISION)}")
    print(f"exits      {net.graph.count(NodeKind.EXIT)}")
    print(f"kernels    {len(set(launched))}, launched from {len(launched)} places")
    print(f"host       {net.host}{f' ({net.why_python})' if net.why_python else ''}")
    for place in plain_places(net.library.plain):
        print(f"plain      {place}")
    if net.narrowing is not None:
        print(f"weights    bf16: {net.narrowing}")
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
    """Compile or load, run once, print outputs and path. The exit status.

    UsageError, UserError and what the compiler raises.
    """
    by_name: dict[str, Any] = {}
    if is_artifact(args.net):
        net = load_artifact(args.net, args.weights)
        inputs = inputs_for(net.inputs, args, net.sizes)
        if net.signature is not None:
            inputs, by_name = net.signature.call(inputs)
    else:
        net, inputs = compile_net(args, compiler)
    try:
        outputs = net(*inputs, **by_name)
    except InputError as error:
        raise UserError(str(error)) from error
    for name, value in leaves("output", outputs):
        print(f"{name}: {describe(value)}")
    print("path:")
    for decision in net.path:
        print(f"  {decision}")
    if not net.path:
        print("  (no decision depends on the input)")
    sys.stdout.flush()
    return 0


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every value inside tuples, lists and dicts, with the expression that reads it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(f"{name}[{key!r}]", item)
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for index, item in enumerate(value):
            inner = f"{name}[{index}]" if fields is None else f"{name}.{fields[index]}"
            yield from leaves(inner, item)
    else:
        yield name, value


def describe(value: Any) -> str:
    """`f32[1,10] [[...]]` for a tensor, `13 (int)` for anything else."""
    if not hasattr(value, "shape"):
        return f"{value!r} ({type(value).__name__})"
    shape = ",".join(str(size) for size in value.shape)
    if hasattr(value, "detach"):
        value = array_of_tensor(value.detach())
    array = np.asarray(value)
    dtype = dtype_name(array)
    text = np.array2string(widened(array), precision=5, threshold=16, separator=", ")
    return f"{SHORT.get(dtype, dtype)}[{shape}] {text}"
