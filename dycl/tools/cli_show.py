"""`dycl show`: the program at any stage of its way, as text or as a picture."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dycl.ir.placing_parser import decode, parse_text
from dycl.pipelines import LEVELS
from dycl.report import (
    Graph,
    Measured,
    ProfileMismatch,
    build_graph,
    graph_of,
    measure,
    read_profile,
    to_dot,
    to_mermaid,
    to_svg,
)
from dycl.runtime.keywords import closest
from dycl.tools.cli_net import (
    Compiler,
    compile_net,
    is_artifact,
    is_text,
    load_artifact,
    lower_net,
    text_file,
)
from dycl.tools.cli_options import add_net_arguments, add_stop_after
from dycl.tools.usage import UsageError, UserError

_PIECES = re.compile(r'"(?:\\.|[^"\\])*"| loc\(|[()]|[^"() ]+| ')
_ALIASES = re.compile(r"^#loc\d* =\n", re.MULTILINE)
LEVEL_NAMES = ("source", *LEVELS)
_PICTURES = {"dot": to_dot, "mermaid": to_mermaid, "svg": to_svg}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl show`."""
    add_net_arguments(parser)
    flag = parser.add_argument
    flag(
        "what",
        choices=("ir", "hcfg", "kernels", "host", "report"),
        help="the IR of a level, the control-flow graph, kernels, host, or a page "
        "with all of these; of NET.dycl hcfg, host, manifest, or nothing: all that is "
        "in it",
    )
    flag(
        "--format",
        choices=tuple(_PICTURES),
        default="dot",
        help="of hcfg (default dot)",
    )
    flag(
        "--profile",
        type=Path,
        metavar="P.json",
        help="of hcfg and report: show the counts and times that `dycl profile -o` "
        "wrote",
    )
    flag("--output", "-o", metavar="R.html", help="of report: where it goes")
    flag(
        "--level",
        metavar="NAME",
        help="of ir: source, normal, typed, hcfg, host (default normal)",
    )
    flag(
        "--stage",
        metavar="NAME",
        help="of kernels: how far lowered (default: the first stage)",
    )
    add_stop_after(parser, "of ir: print it behind the last PASS, or phase, instead")
    flag("--locations", action="store_true", help="of ir and kernels: print them too")


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Print what was asked for. The exit status."""
    if args.stop_after is not None and args.what != "ir":
        raise UsageError("--stop-after is for `dycl show NET ir`")
    if args.profile is not None and args.what not in ("hcfg", "report"):
        raise UsageError("--profile is for `dycl show NET hcfg` and `report`")
    if args.what == "report":
        return _report(args, compiler)
    if is_artifact(args.net) and args.what != "hcfg":
        raise UsageError(f"'{args.net}' is compiled: it has a picture, `hcfg`, alone")
    if is_artifact(args.net):
        print(_drawn(graph_of(load_artifact(args.net).hcfg), args), end="")
        return 0
    if args.what == "hcfg" and is_text(args.net):
        print(_drawn(graph_of_file(args), args), end="")
        return 0
    if compiler is None and args.what in ("ir", "hcfg"):
        text = _lowered(args)
        print(text, end="" if text.endswith("\n") else "\n")
        return 0
    net, _ = compile_net(args, compiler)
    match args.what:
        case "ir":
            text = _pick(net.stages, args.level or "normal", "level")
        case "hcfg":
            text = _drawn(net.graph, args)
        case "kernels":
            stages = net.kernel_stages
            text = _pick(stages, args.stage or next(iter(stages), ""), "stage")
        case _:
            text = net.host_source
    if args.what in ("ir", "kernels") and not args.locations:
        text = without_locations(text)
    print(text, end="" if text.endswith("\n") else "\n")
    return 0


def _lowered(args: argparse.Namespace) -> str:
    """The IR of a level, or the picture of hcfg: no kernel is compiled for them."""
    from dycl.driver.ir_dump import printed

    level = "hcfg" if args.what == "hcfg" else args.level
    if args.stop_after is not None and level is None:
        level = LEVEL_NAMES[-1]
    level = level or "normal"
    _pick(dict.fromkeys(LEVEL_NAMES, ""), level, "level")
    module = lower_net(args, level)
    if args.what == "hcfg":
        return _drawn(build_graph(module), args)
    return printed(module, locations=args.locations)


def _report(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Write a page. The exit status."""
    from dycl.tools.cli_report import make_report

    try:
        written = make_report(args, compiler, without_locations)
    except ProfileMismatch as error:
        raise UserError(str(error)) from error
    print(f"written    {written}")
    return 0


def _drawn(graph: Graph, args: argparse.Namespace) -> str:
    """The picture, with what a profile says. UserError: it says nothing of this."""
    return _PICTURES[args.format](graph, measured_by(args.profile, graph))


def measured_by(profile: Path | None, graph: Graph) -> Measured | None:
    """What the file of a profile says of a graph. UserError: it is of another one."""
    if profile is None:
        return None
    try:
        return measure(graph, read_profile(profile))
    except ProfileMismatch as error:
        raise UserError(str(error)) from error


def without_locations(text: str) -> str:
    """IR text less every `loc(...)` and every alias of one; strings are left alone."""
    kept: list[str] = []
    depth = 0
    for piece in _PIECES.findall(text):
        if depth:
            depth += (piece == "(") - (piece == ")")
        elif piece == " loc(":
            depth = 1
        else:
            kept.append(piece)
    return _ALIASES.sub("", "".join(kept))


def graph_of_file(args: argparse.Namespace) -> Graph:
    """The graph of a file of IR at the level hcfg or host: needs no torch.

    UsageError, ParseError; PassFailed: the IR is of another level.
    """
    path = text_file(args.net)
    return build_graph(parse_module(decode(path.read_bytes(), args.net), args.net))


def parse_module(text: str, name: str) -> ModuleOp:
    """Parse IR text with all dialects that are installed. ParseError."""
    from dycl.universe import everything

    context = Context()
    for dialect, load in everything().all_dialects.items():
        context.register_dialect(dialect, load)
    return parse_text(context, text, name)


def _pick(texts: Mapping[str, str], name: str, what: str) -> str:
    if name in texts:
        return texts[name]
    known = ", ".join(texts) or "none"
    raise UsageError(
        f"there is no {what} '{name}'{closest(name, texts)} (known: {known})"
    )
