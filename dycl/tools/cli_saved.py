"""`dycl run`, `profile`, `show` and `verify` of a saved network need NumPy only.

Talk goes to stderr, results to stdout. Exit status: 0 done; 1 the file, or what it is
given, has an error; 2 the command line asks for something that does not exist.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from dycl.report import (
    ProfileMismatch,
    graph_of,
    measure,
    read_profile,
    to_dot,
    to_mermaid,
    to_svg,
)
from dycl.runtime import ArtifactError, InputError, LoadedNet, load
from dycl.runtime.manifest import HOST
from dycl.runtime.saved import Saved
from dycl.tools import cli_example
from dycl.tools.about import about, lines_of
from dycl.tools.completion import SHELLS, completion
from dycl.tools.printing import inputs_for, load_weights, print_run
from dycl.tools.profiled_calls import (
    add_profile_arguments,
    check_calls,
    profile_calls,
)
from dycl.tools.samples import Given, structured
from dycl.tools.usage import (
    Parser,
    UsageError,
    UserError,
    has_code,
    installed_version,
)

_OWN = ("run", "profile", "show", "verify", "example")
_COMPILER = ("compile", "check", "bench", "tune", "explain")
_ALONE = ("verify", "example")
"""What never needs the compiler."""
INSTALL = "pip install 'dycl[compile]'"
EXAMPLE = "write a program to begin with: a network, or C that runs one"
COMPLETION = "print what completes this command in a shell"
_PARTS = ("hcfg", "host", "manifest")
_OF_MODELS = ("ir", "kernels", "report")
_MODELS = (".py", ".mlir", ".pt2")
"""How files end that hold what is compiled."""
_PICTURES = {"dot": to_dot, "mermaid": to_mermaid, "svg": to_svg}


def is_meant(argv: Sequence[str]) -> bool:
    """Whether a command line is about a saved network."""
    if not argv or argv[0] not in _OWN:
        return False
    if argv[0] == "show" and any(part in argv for part in _OF_MODELS):
        return False
    return argv[0] in _ALONE or any(map(_is_saved, argv[1:]))


def _is_saved(name: str) -> bool:
    path = Path(name)
    return path.suffix == ".dycl" or (path / "manifest.json").is_file()


def run(argv: Sequence[str]) -> int:
    """Run one command; the exit status.

    SystemExit: argparse refuses the command line, or `--help` is asked for.
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        return args.command(args)
    except UsageError as error:
        return _fail(error, 2)
    except BrokenPipeError:  # `dycl show net.dycl | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (UserError, ArtifactError, InputError, OSError) as error:
        return _fail(error, 1)
    except RuntimeError as error:
        if not has_code(error):
            raise
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)


def _fail(error: object, status: int) -> int:
    print(f"dycl: error: {error}", file=sys.stderr)
    return status


def make_parser() -> Parser:
    """The command line of `dycl`, as far as saved networks go."""
    parser = Parser(
        "dycl",
        description="Run and look at saved networks; with the compiler, which "
        f"`{INSTALL}` brings, compile them, too.",
        epilog="exit status: 0 done, 1 error in the file, 2 wrong usage",
        allow_abbrev=False,
    )
    parser.set_defaults(command=None, parser=parser)
    parser.add_argument("--version", action="version", version=installed_version())
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")

    def add(name: str, what: str, command: object) -> argparse.ArgumentParser:
        text = f"{what[0].upper()}{what[1:]}."
        added = commands.add_parser(
            name, help=what, description=text, allow_abbrev=False
        )
        added.set_defaults(command=command, parser=added)
        return added

    _run_arguments(add("run", "run a network: outputs, and the path", _run))
    profiling = add("profile", "say where its time goes, by line", _profile)
    _run_arguments(profiling)
    add_profile_arguments(profiling)
    _show_arguments(add("show", "say what is in a saved network, or draw it", _show))
    verify_arguments(add("verify", "check a saved network; nothing of it runs", verify))
    cli_example.add_arguments(add("example", EXAMPLE, cli_example.run))
    add("doctor", "say what is missing, and how to get it", _doctor)
    add_completion(add("completion", COMPLETION, _completion))
    for name in _COMPILER:
        rest = add(name, f"needs the compiler: {INSTALL}", _needs_compiler)
        rest.add_argument("rest", nargs=argparse.REMAINDER)
    return parser


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    flag = parser.add_argument
    flag("net", metavar="NET.dycl", help="a saved network: a file or a folder")
    flag("--input", "-i", action="append", default=[], metavar="SPEC",
         help="one per input, in order: f32[1,3,32,32], x.npy, or a number "
         "(default: random tensors)")  # fmt: skip
    flag("--weights", type=Path, metavar="W.safetensors",
         help="other weights of the same names, dtypes and shapes")  # fmt: skip
    flag("--seed", type=int, default=0, help="of random inputs (default 0)")
    flag("--host", choices=("auto", "native", "python"), default="auto",
         help="what runs the decisions (%(default)s)")  # fmt: skip
    _add_sha256(parser)


def _add_sha256(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sha256",
        metavar="HEX",
        help="refuse any other file: what `sha256sum` says (of a folder: of its "
        "manifest.json)",
    )


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    flag = parser.add_argument
    flag("net", metavar="NET.dycl", help="a saved network: a file or a folder")
    flag("what", nargs="?", choices=(*_PARTS, *_OF_MODELS),
         help="the control-flow graph, the host program, or the manifest "
         "(default: what it takes, gives, decides and is made of)")  # fmt: skip
    flag("--format", choices=tuple(_PICTURES), default="dot",
         help="of hcfg (%(default)s)")  # fmt: skip
    flag("--profile", type=Path, metavar="P.json",
         help="of hcfg: with the counts and times that `dycl profile -o` wrote"
         )  # fmt: skip
    flag("--json", action="store_true", help="print facts for machines")


def verify_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl verify`."""
    parser.add_argument(
        "net", metavar="NET.dycl", help="a saved network: a file or a folder"
    )
    _add_sha256(parser)


def _saved(args: argparse.Namespace) -> Saved:
    """The artifact. UserError: there is none of this name."""
    return Saved(_path(args.net), expect_sha256=getattr(args, "sha256", None))


def _path(net: str) -> Path:
    """Where a saved network is. UserError: there is none, or it is a model's name."""
    path = Path(net)
    if path.exists() and path.suffix not in _MODELS:
        return path
    if path.suffix.partition(":")[0] in _MODELS:
        _refuse(f"'{net}' is to be compiled, which")
    raise UserError(f"there is no file '{path}'")


def _refuse(what: str) -> NoReturn:
    raise UserError(f"{what} needs the compiler, which is not installed: {INSTALL}")


def _run(args: argparse.Namespace) -> int:
    net = _loaded(args)
    inputs, by_name = _given(net, args)
    print_run(net, net(*inputs, **by_name))
    sys.stdout.flush()
    return 0


def _profile(args: argparse.Namespace) -> int:
    check_calls(args)
    net = _loaded(args)
    return profile_calls(net, [] if args.samples else [_given(net, args)], args)


def _loaded(args: argparse.Namespace) -> LoadedNet:
    net = load(_path(args.net), host=args.host, expect_sha256=args.sha256)
    if args.weights is not None:
        load_weights(net, args.weights)
    return net


def _given(net: LoadedNet, args: argparse.Namespace) -> Given:
    """What --input says, or something at random, as a call is given it."""
    return structured(net, inputs_for(net.inputs, args, net.sizes))


def _show(args: argparse.Namespace) -> int:
    if args.what in _OF_MODELS:
        raise UsageError(
            f"'{args.net}' is compiled: it has {', '.join(_PARTS)}; `{args.what}` is "
            "made of a model, FILE.py:NAME"
        )
    saved = _saved(args)
    if args.what == "hcfg":
        text = json.dumps(saved.graph()) if args.json else _drawn(saved, args)
    elif args.what == "host":
        text = bytes(saved[HOST]).decode()
    elif args.what == "manifest":
        text = json.dumps(saved.manifest, indent=1)
    else:
        facts = about(saved)
        text = json.dumps(facts, indent=1) if args.json else "\n".join(lines_of(facts))
    print(text, end="" if text.endswith("\n") else "\n")
    sys.stdout.flush()
    return 0


def _drawn(saved: Saved, args: argparse.Namespace) -> str:
    try:
        graph = graph_of(saved.graph())
        profile = args.profile
        measured = None if profile is None else measure(graph, read_profile(profile))
    except ProfileMismatch as error:
        raise UserError(str(error)) from error
    except ValueError as error:
        raise UserError(f"'{args.net}' has a node of no kind: {error}") from error
    return _PICTURES[args.format](graph, measured)


def verify(args: argparse.Namespace) -> int:
    """Check all of an artifact, and print its digest. The exit status.

    ArtifactError, UserError.
    """
    saved = _saved(args)
    saved.check_all()
    print(f"{saved.sha256}  {args.net}")
    print("every member is what was saved; nothing of it was run", file=sys.stderr)
    return 0


def add_completion(parser: argparse.ArgumentParser) -> None:
    """The argument of `dycl completion`."""
    parser.add_argument("shell", choices=tuple(SHELLS), help="which shell reads it")


def _completion(args: argparse.Namespace) -> int:
    print(completion(make_parser(), args.shell), end="")
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from dycl.tools import cli_doctor

    return cli_doctor.run(args, None)


def _needs_compiler(args: argparse.Namespace) -> int:
    _refuse("this")
