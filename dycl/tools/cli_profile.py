"""`dycl profile` of a model: compile it, and show where its time goes.

Saved networks are profiled without the compiler: `dycl.tools.cli_saved`.
"""

import argparse

from dycl.tools.cli_net import Compiler, compile_net
from dycl.tools.cli_options import NET, add_net_arguments
from dycl.tools.profiled_calls import (
    add_profile_arguments,
    check_calls,
    profile_calls,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl profile`."""
    add_net_arguments(
        parser, "NET.dycl|FILE.mlir|FILE.py:NAME", f"a compiled network, IR, or {NET}"
    )
    add_profile_arguments(parser)


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Compile a network, profile it and print the tables. The exit status.

    UsageError, UserError and what the compiler raises.
    """
    check_calls(args)
    net, inputs = compile_net(args, compiler)
    return profile_calls(net, [(inputs, {})], args)
