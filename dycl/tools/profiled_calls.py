"""What `dycl profile` does with a network, compiled just now or saved."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dycl.runtime import InputError, Profile, ProfileError, profile
from dycl.tools.samples import Given, add_samples, samples
from dycl.tools.usage import UsageError, UserError


def add_profile_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what is called, how often, and where the profile goes."""
    add_samples(parser)
    flag = parser.add_argument
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


def check_calls(args: argparse.Namespace) -> None:
    """UsageError: so many calls cannot be made. To be asked before compiling."""
    if args.calls < 1:
        raise UsageError("--calls is a number of calls, at least 1")


def profile_calls(net: Any, given: Sequence[Given], args: argparse.Namespace) -> int:
    """Profile calls with `given`, or with --samples, and print the tables.

    The exit status. UsageError, UserError.
    """
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
