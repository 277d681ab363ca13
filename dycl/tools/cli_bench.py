"""`dycl bench`: a compiled network against its model in eager, path by path.

Exit status: 0 equal; 1 something differs; 2 it cannot be compared, as in `dycl check`.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from dycl.runtime.dtypes import tensor_of_array
from dycl.tools.cli_check import add_subject_arguments, comparing, subject
from dycl.tools.cli_net import Compiler
from dycl.tools.cli_options import NET
from dycl.tools.samples import Given, add_samples, samples
from dycl.tools.usage import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl bench`."""
    flag = parser.add_argument
    flag(
        "--against",
        "-a",
        metavar="FILE.py:NAME",
        help=f"the model: {NET}; or FILE.pt2 (default: the one that NET names)",
    )
    flag(
        "--calls",
        type=int,
        default=100,
        metavar="N",
        help="how many calls of each path are timed (%(default)s), after one that is "
        "not",
    )
    flag("--json", action="store_true", help="print all that is found as JSON")
    add_samples(parser)
    add_subject_arguments(parser)


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Time and print the table. The exit status. UsageError: it cannot be done."""
    if args.calls < 1:
        raise UsageError("--calls is a number of calls, at least 1")
    from dycl.checking.path_times import threads_of, time_paths

    with comparing() as outcome:
        net, model, calls = subject(args, compiler)
        given: list[Given] = [(call, {}) for call in calls]
        if args.samples:
            given = samples(args.samples, net)
        given = [(_tensors(one), dict(named)) for one, named in given]
        table = time_paths(net, model, given, args.calls, threads_of(_options(net)))
        print(json.dumps(table.to_json(), indent=1) if args.json else table)
        sys.stdout.flush()
        outcome.status = 0 if table.ok else 1
    return outcome.status


def _tensors(value: Any) -> Any:
    """Arrays as tensors of torch's, which eager takes, and the network as well."""
    if hasattr(value, "__array_interface__") and hasattr(value, "flags"):
        return tensor_of_array(value)
    if type(value) in (tuple, list):
        return type(value)(map(_tensors, value))
    return value


def _options(net: Any) -> Mapping[str, Any]:
    """What a network was compiled with; of a file its manifest says it."""
    manifest = getattr(net, "manifest", None)
    return net.options if manifest is None else manifest["options"]
