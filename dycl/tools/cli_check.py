"""`dycl check`: a compiled network against its model, in eager, kernel by kernel.

Exit status: 0 equal; 1 something differs; 2 it cannot be compared: the command line,
a file, or a model that is not the one that was compiled.
"""

import argparse
import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.runtime import ArtifactError, InputError, load
from dycl.runtime.inputs import counted_inputs
from dycl.tools.cli_net import (
    Compiler,
    compile_model,
    compile_text_net,
    is_text,
    load_model,
    load_net,
)
from dycl.tools.cli_options import NET, add_net_arguments
from dycl.tools.printing import inputs_for, load_weights
from dycl.tools.usage import UsageError, UserError

Call = tuple[Any, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl check`."""
    parser.add_argument(
        "--against",
        "-a",
        metavar="FILE.py:NAME",
        help=f"the model: {NET}; or FILE.pt2 (default: the one that NET names)",
    )
    parser.add_argument(
        "--rtol",
        type=float,
        metavar="X",
        help="the largest error that is none, relative to the largest value of its "
        "tensor (default: 1e-4 for f32, by dtype for others)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print all that is found as JSON"
    )
    add_subject_arguments(parser)


def add_subject_arguments(parser: argparse.ArgumentParser) -> None:
    """What `subject` reads: the network, and inputs for its calls."""
    add_net_arguments(
        parser,
        "NET.dycl|FILE.mlir|FILE.py:NAME",
        "a compiled network, or what to compile. --input may be given for several "
        "calls, one after the other",
    )


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Check and print the report. The exit status. UsageError: it cannot be done."""
    from dycl.checking import check

    with comparing() as outcome:
        net, model, calls = subject(args, compiler)
        result = check(net, model, calls, rtol=args.rtol)
        print(json.dumps(result.to_json(), indent=1) if args.json else result)
        outcome.status = 0 if result.ok else 1
    return outcome.status


@dataclass
class Outcome:
    """What a comparison ends with; 2: there was none."""

    status: int = 2


@contextmanager
def comparing() -> Generator[Outcome]:
    """Whatever keeps network and model from being compared has the status 2.

    UsageError, or, of what the compiler refuses, its message on stderr.
    """
    from dycl.checking import CheckError

    outcome = Outcome()
    try:
        yield outcome
    except BrokenPipeError:  # `dycl check ... | head`
        raise
    except (CheckError, ArtifactError, InputError, UserError, OSError) as error:
        raise UsageError(str(error)) from error
    except (DiagnosticException, ParseError) as error:
        print(str(error).rstrip(), file=sys.stderr)


def subject(
    args: argparse.Namespace, compiler: Compiler | None
) -> tuple[Any, Any, list[Call]]:
    """The network, the model, and the arguments of each call.

    UsageError, UserError and what the compiler raises.
    """
    path = Path(args.net)
    is_artifact = path.suffix == ".dycl" or path.is_dir()
    if not is_artifact and not is_text(args.net):
        model, inputs, options = load_net(args)
        net: Any = compile_model(model, inputs, options, args, compiler)
        if args.against is not None:
            model, _ = load_model(args.against, args.seed)
        return net, model, [inputs]
    if args.against is None:
        raise UsageError(
            f"say what to compare '{args.net}' with: --against FILE.py:NAME"
        )
    if is_artifact:
        net = load(path)
        if args.weights is not None:
            load_weights(net, args.weights)
    else:
        net, _ = compile_text_net(args)
    model, own_inputs = load_model(args.against, args.seed)
    if getattr(args, "samples", None):
        return net, model, []
    return net, model, _calls(net, args) if args.input else [own_inputs()]


def _calls(net: Any, args: argparse.Namespace) -> list[Call]:
    """The inputs of the command line: so many for each call as the network takes."""
    count = len(net.inputs)
    if not count or len(args.input) % count:
        inputs = counted_inputs([spec.name for spec in net.inputs])
        raise UsageError(
            f"'{args.net}' takes {inputs}, so give {count} for each call, and not "
            f"{len(args.input)}"
        )
    parts = [args.input[i : i + count] for i in range(0, len(args.input), count)]
    return [_arguments(net, part, args) for part in parts]


def _arguments(net: Any, texts: Sequence[str], args: argparse.Namespace) -> Call:
    one = argparse.Namespace(**{**vars(args), "input": texts})
    values = inputs_for(net.inputs, one, net.sizes)
    if net.signature is None:
        return values
    given, by_name = net.signature.call(values)
    if by_name:
        raise UsageError(
            f"'{args.net}' takes inputs by name, which --input cannot give: use "
            "dycl.check in Python"
        )
    return given
