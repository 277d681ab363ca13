"""`dycl compile` and `dycl run`: what came out, and what it computes."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dycl.report import NodeKind
from dycl.tools.cli_net import Compiler, add_net_arguments, compile_net
from dycl.tools.input_spec import DTYPES

_SHORT = {full: short for short, full in DTYPES.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of both commands."""
    add_net_arguments(parser)


def run_compile(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Compile and print a summary. The exit status."""
    net, _ = compile_net(args, compiler)
    launched = [node.name for node in net.graph.nodes if node.kind is NodeKind.KERNEL]
    print(f"decisions  {net.graph.count(NodeKind.DECISION)}")
    print(f"exits      {net.graph.count(NodeKind.EXIT)}")
    print(f"kernels    {len(set(launched))}, launched from {len(launched)} places")
    if args.keep is not None:
        print(f"kept       {args.keep}")
    return 0


def run_run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Compile, run once, print outputs and path. The exit status."""
    net, inputs = compile_net(args, compiler)
    outputs = net(*inputs)
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
    dtype = str(value.dtype).removeprefix("torch.")
    shape = ",".join(str(size) for size in value.shape)
    # NumPy has no bfloat16: widen what comes from torch before it is printed.
    wide = value.float() if dtype == "bfloat16" else value
    array = wide.detach().numpy() if hasattr(wide, "detach") else np.asarray(wide)
    text = np.array2string(array, precision=5, threshold=16, separator=", ")
    return f"{_SHORT.get(dtype, dtype)}[{shape}] {text}"
