"""`dycl tune`: time how the products of a network may be cut, on the user's own GPU."""

import argparse
import sys
from pathlib import Path

from dycl.runtime.cuda import CudaError, device
from dycl.tools.cli_net import Compiler, compile_net
from dycl.tools.cli_options import NET, add_net_arguments
from dycl.tools.usage import UsageError, UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl tune`."""
    add_net_arguments(parser, "FILE.mlir|FILE.py:NAME", f"IR, or {NET}")
    flag = parser.add_argument
    flag(
        "--output",
        "-o",
        type=Path,
        metavar="TUNING.json",
        required=True,
        help="the file to write: for `dycl compile --backend cuda --tuning`",
    )
    flag(
        "--plans",
        type=int,
        default=8,
        metavar="N",
        help="how many plans of each product are timed (%(default)s): those that are "
        "fastest on paper",
    )


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Time, write the file, and print what was gained. The exit status.

    UsageError, UserError and what the compiler raises.
    """
    if args.plans < 1:
        raise UsageError("--plans is a number of plans, at least 1")
    from dycl.kernels.cuda.tuning import Effort, tune

    try:
        gpu = device()
        args.backend = "cuda"
        net, _ = compile_net(args, compiler)
        text = net.kernel_stages["torch"]
        timings = tune(text, gpu, Effort(plans=args.plans), listener=_told)
    except CudaError as error:
        raise UserError(str(error)) from error
    args.output.write_text(timings.to_json(), encoding="utf-8")
    print(f"{timings.device}: microseconds of each product, as planned and as timed")
    for timing in timings.products:
        sizes, plan = timing.sizes, timing.plan
        by = f"{sizes.batch} x {sizes.rows} x {sizes.columns} x {sizes.depth}"
        tile = f"{plan.rows} x {plan.columns} x {plan.depth}, {plan.splits} parts"
        print(f"{by:28}{timing.usual:9.1f}{timing.microseconds:9.1f}  by {tile}")
    print(f"written    {args.output}")
    return 0


def _told(done: int, total: int, what: str) -> None:
    print(f"{done} of {total}: {what}", file=sys.stderr)
