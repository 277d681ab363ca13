"""`dycl`: compile, run and look at networks from the command line.

Talk goes to stderr, results to stdout. Exit status: 0 done; 1 the model or its file has
an error; 2 the command line asks for something that does not exist; 3 a bug of ours.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.diag import CODES, InternalError
from dycl.diag.examples import examples
from dycl.options import AUTO
from dycl.pipelines import PipelineError
from dycl.tools import (
    cli_bench,
    cli_check,
    cli_doctor,
    cli_example,
    cli_profile,
    cli_run,
    cli_saved,
    cli_show,
    cli_tune,
)
from dycl.tools.cli_net import Compiler, load_net, shapes_of
from dycl.tools.cli_options import add_net_arguments
from dycl.tools.completion import completion
from dycl.tools.opt import RECURSION_LIMIT
from dycl.tools.usage import (
    Parser,
    UsageError,
    UserError,
    has_code,
    installed_version,
)

_Command = Callable[[argparse.Namespace, Compiler | None], int]


def main(args: Sequence[str] | None = None) -> None:
    """The console script `dycl`. Raises SystemExit with the status."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    sys.exit(run(sys.argv[1:] if args is None else args))


def run(argv: Sequence[str], compiler: Compiler | None = None) -> int:
    """Run one command; the exit status. `compiler`: instead of our own.

    SystemExit: argparse refuses the command line, or `--help` is asked for.
    """
    if cli_saved.is_meant(argv):
        return cli_saved.run(argv)
    parser = make_parser()
    args = parser.parse_args(argv)
    command: _Command | None = args.command
    if command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        return command(args, compiler)
    except (UsageError, PipelineError) as error:
        return _fail(f"dycl: error: {error}", 2)
    except UserError as error:
        return _fail(f"dycl: error: {error}", 1)
    except (DiagnosticException, ParseError) as error:
        return _fail(str(error).rstrip(), 1)
    except InternalError as error:
        return _fail(str(error), 3)
    except BrokenPipeError:  # `dycl show ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(f"dycl: error: {error}", 1)
    except KeyboardInterrupt:
        return _fail("dycl: interrupted", 130)
    except Exception as error:
        if has_code(error):
            return _fail(f"dycl: error: {error}", 1)
        headline = f"dycl: internal error: {type(error).__name__}: {error}"
        return _fail(f"{traceback.format_exc()}\n{headline}", 3)


def make_parser() -> argparse.ArgumentParser:
    """The command line of `dycl`."""
    parser = _bare_parser()
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")

    def add(name: str, what: str, command: _Command) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=what,
            description=f"{what[0].upper()}{what[1:]}.",
            allow_abbrev=False,
        )
        added.set_defaults(command=command, parser=added)
        return added

    cli_run.add_compile_arguments(
        add(
            "compile",
            "compile a network, and write it as one file",
            cli_run.run_compile,
        )
    )
    cli_run.add_run_arguments(
        add("run", "run a network: outputs, and the path", cli_run.run_run)
    )
    cli_profile.add_arguments(
        add("profile", "say where a network's time goes, by line", cli_profile.run)
    )
    cli_show.add_arguments(
        add("show", "print the program at any stage, or its picture", cli_show.run)
    )
    cli_check.add_arguments(
        add(
            "check",
            "compare a network with its model: values, path, and each kernel",
            cli_check.run,
        )
    )
    cli_bench.add_arguments(
        add(
            "bench",
            "time a network and its model in eager, path by path",
            cli_bench.run,
        )
    )
    cli_tune.add_arguments(
        add("tune", "time how kernels may be cut, on this machine's GPU", cli_tune.run)
    )
    _add_other_commands(add)
    return parser


_Add = Callable[[str, str, _Command], argparse.ArgumentParser]


def _add_other_commands(add: _Add) -> None:
    """Those that are about no single network, or only look at a file."""
    cli_saved.verify_arguments(
        add(
            "verify",
            "check a saved network; nothing of it runs",
            lambda args, _: cli_saved.verify(args),
        )
    )
    cli_example.add_arguments(
        add("example", cli_saved.EXAMPLE, lambda args, _: cli_example.run(args))
    )
    add("doctor", "say what is missing, and how to get it", cli_doctor.run)
    cli_saved.add_completion(add("completion", cli_saved.COMPLETION, _completion))
    _add_explain_arguments(
        add(
            "explain",
            "say what an error code means, or how a network compiles, line by line",
            _explain,
        )
    )


def _add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    add_net_arguments(
        parser, "CODE|FILE.py:NAME", "a code as in error[DY102], or a model"
    )
    parser.add_argument(
        "--placement",
        action="store_true",
        help="compile with --backend auto; say who computes each kernel, and why",
    )


def _bare_parser() -> argparse.ArgumentParser:
    """It without its commands."""
    parser = Parser(
        "dycl",
        description="Compile networks that decide at run time what to compute.",
        epilog="exit status: 0 done, 1 error in the model, 2 wrong usage, 3 our bug",
        allow_abbrev=False,
    )
    parser.set_defaults(command=None, parser=parser)
    parser.add_argument("--version", action="version", version=installed_version())
    return parser


def _completion(args: argparse.Namespace, _compiler: Compiler | None) -> int:
    print(completion(make_parser(), args.shell), end="")
    return 0


def _explain(args: argparse.Namespace, _compiler: Compiler | None) -> int:
    """A code's meaning, or what becomes of a model; 1 if it does not compile."""
    code = args.net.upper()
    if code in CODES:
        print(f"{code}: {CODES[code]}")
        if (example := examples().get(code)) is not None:
            print(f"\n{example}")
        return 0
    if ":" not in args.net and not args.net.endswith((".py", ".pt2")):
        raise UsageError(f"there is no error code '{args.net}'; see error[...]")
    if args.placement:
        args.backend = AUTO
    model, inputs, options = load_net(args)
    from dycl.driver.explanation import explain
    from dycl.report import progress_on

    with progress_on(sys.stderr) as progress:
        explanation = explain(model, inputs, options, progress, **shapes_of(args))
    print(explanation)
    return 0 if explanation.compiles else 1


def _fail(message: str, status: int) -> int:
    print(message, file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
