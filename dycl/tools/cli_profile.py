"""`dycl profile`: run a network again and again, and show where its time goes."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dycl.runtime import InputError, Profile, ProfileError, profile
from dycl.tools.cli_net import (
    Compiler,
    compile_net,
    is_artifact,
    load_artifact,
)
from dycl.tools.cli_options import NET, add_net_arguments
from dycl.tools.printing import inputs_for
from dycl.tools.samples import Given, add_samples, samples, structured
from dycl.tools.usage import UsageError, UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl profile`."""
    add_net_arguments(
        parser, "NET.dycl|FILE.mlir|FILE.py:NAME", f"a compiled network, IR, or {NET}"
    )
    flag = parser.add_argument
    add_samples(parser)
    flag(
        "--calls",
        type=int,
        default=200,
        metavar="N",
        help="how many calls are profiled (%(default)s), after one for each sample "
        "that is not",
    )
    flag(
        "--output",
        "-o",
        type=Path,
        metavar="P.json",
        help="write the profile too: for `dycl show NET hcfg --profile P.json`, and, "
        "with the first calls as a trace, for Perfetto",
    )


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Profile a network and print the tables. The exit status.

    UsageError, UserError and what the compiler raises.
    """
    if args.calls < 1:
        raise UsageError("--calls is a number of calls, at least 1")
    net, given = _network(args, compiler)
    if args.samples:
        given = samples(args.samples, net)
    try:
        found = _profiled(net, given, args.calls)
    except (InputError, ProfileError) as error:
        raise UserError(str(error)) from error
    print(found)
    if args.output is not None:
        found.save(args.output)
        print(f"\nwritten    {args.output}")
    sys.stdout.flush()
    return 0


def _network(
    args: argparse.Namespace, compiler: Compiler | None
) -> tuple[Any, list[Given]]:
    """The network, and what it is called with if there are no samples."""
    if not is_artifact(args.net):
        net, inputs = compile_net(args, compiler)
        return net, [(inputs, {})]
    net = load_artifact(args.net, args.weights)
    if args.samples:
        return net, []
    return net, [structured(net, inputs_for(net.inputs, args, net.sizes))]


def _profiled(net: Any, given: Sequence[Given], calls: int) -> Profile:
    """The profile of calls in turn; what a network raises counts, and is passed on
    only if no call returns. InputError: an input does not fit; ProfileError."""
    failed: Exception | None = None
    for args, kwargs in given[:calls]:
        failed = _call(net, args, kwargs)
    net.reset_state()
    with profile(net) as found:
        for number in range(calls):
            args, kwargs = given[number % len(given)]
            failed = _call(net, args, kwargs)
    data = found.data()
    if failed is not None and data["raised"] == data["calls"]["count"]:
        what = f"{type(failed).__name__}: {failed}"
        raise UserError(f"every call raises; the last one {what}") from failed
    return found


def _call(net: Any, args: Sequence[Any], kwargs: Any) -> Exception | None:
    """Do a call; what the network raised. InputError: an input does not fit."""
    try:
        net(*args, **kwargs)
    except InputError:
        raise
    except Exception as error:
        return error
    return None
