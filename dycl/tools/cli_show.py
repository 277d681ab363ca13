"""`dycl show`: the program at any stage of its way, as text or as a picture."""

import argparse
import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dycl.report import Graph, build_graph, to_dot, to_mermaid, to_svg
from dycl.tools.cli_net import Compiler, add_net_arguments, compile_net
from dycl.tools.opt_args import UsageError
from dycl.tools.opt_parser import decode, parse_text

_PIECES = re.compile(r'"(?:\\.|[^"\\])*"| loc\(|[()]|[^"() ]+| ')
_ALIASES = re.compile(r"^#loc\d* =\n", re.MULTILINE)
_PICTURES = {"dot": to_dot, "mermaid": to_mermaid, "svg": to_svg}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl show`."""
    add_net_arguments(parser)
    flag = parser.add_argument
    flag(
        "what",
        choices=("ir", "hcfg", "kernels", "host"),
        help="the IR of a storey, the control-flow graph, kernels or host",
    )
    flag(
        "--format",
        choices=tuple(_PICTURES),
        default="dot",
        help="of hcfg (default dot)",
    )
    flag(
        "--storey",
        default="normal",
        metavar="NAME",
        help="of ir: source, normal, typed, hcfg, host (default normal)",
    )
    flag(
        "--stage",
        metavar="NAME",
        help="of kernels: how far lowered (default: the first stage)",
    )
    flag("--locations", action="store_true", help="of ir and kernels: print them too")


def run(args: argparse.Namespace, compiler: Compiler | None) -> int:
    """Print what was asked for. The exit status."""
    if args.net.endswith(".mlir"):
        print(_PICTURES[args.format](graph_of_file(args)), end="")
        return 0
    net, _ = compile_net(args, compiler)
    match args.what:
        case "ir":
            text = _pick(net.stages, args.storey, "storey")
        case "hcfg":
            text = _PICTURES[args.format](net.graph)
        case "kernels":
            stages = net.kernel_stages
            text = _pick(stages, args.stage or next(iter(stages), ""), "stage")
        case _:
            text = net.host_source
    if args.what in ("ir", "kernels") and not args.locations:
        text = without_locations(text)
    print(text, end="" if text.endswith("\n") else "\n")
    return 0


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
    """The graph of an `.mlir` file in the hcfg storey: no model, no torch needed.

    UsageError, ParseError; PassFailed: the IR is of another storey.
    """
    if args.what != "hcfg":
        raise UsageError(f"'{args.net}' is IR already; only its hcfg can be shown")
    try:
        text = decode(Path(args.net).read_bytes(), args.net)
    except FileNotFoundError:
        raise UsageError(f"there is no file '{args.net}'") from None
    return build_graph(parse_module(text, args.net))


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
    close = difflib.get_close_matches(name, texts, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    known = ", ".join(texts) or "none"
    raise UsageError(f"there is no {what} '{name}'{hint} (known: {known})")
