"""Write the reference pages from the code: Python, commands, errors, passes, kernels.

Usage: python tools/gen_docs.py [FOLDER]         (default: build/docs)
       python tools/gen_docs.py --check          (writes nothing; status 1 when stale)

Reference pages are not kept in the repository, so they cannot be out of date. The
explanations in `docs/explanation/` are kept; the IR that they show is filled in here.
"""

import argparse
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from doc_blocks import filled
from reference import dialect_lines, discardable_lines, tools
from reference_python import python

from dycl.diag import CODES
from dycl.diag.examples import examples
from dycl.passes import PASSES, get_all_passes
from dycl.pipelines import PHASES
from dycl.tools.cli import make_parser
from dycl.tools.pass_docs import options
from dycl.universe import DYCL_UNIVERSE


def passes() -> str:
    """One section for each pass: the head of its file, and its options."""
    lines = ["# Passes", "", "Phases, in the order of the default pipeline:", ""]
    for phase, entries in PHASES.items():
        steps = [f"  * `{entry.what}`: {entry.why}" for entry in entries]
        lines += [f"* **{phase}**", *steps]
    for name, load in sorted(get_all_passes().items()):
        module = import_module(f"dycl.passes.{PASSES[name].partition(':')[0]}")
        lines += ["", f"## {name}", "", "```", inspect.getdoc(module) or "", "```"]
        for option in options(load()):
            default = "required" if option.default is None else option.default
            lines += ["", f"* `{option.name}` ({option.type}, {default}): {option.doc}"]
    return "\n".join(lines) + "\n"


def kernel_steps() -> str:
    """The pipeline of a CPU kernel; one section for each step that is ours."""
    from dycl.kernels.cpu.lower import STAGES, step_name

    lines = ["# Steps of the CPU kernels", "", "Stages, in order:", ""]
    sections: list[str] = []
    for stage, steps in STAGES:
        lines.append(f"* **{stage}**")
        for step, reason in steps:
            lines.append(f"  * `{step_name(step)}`: {reason}")
            if not isinstance(step, str):
                head = inspect.getdoc(import_module(step.__module__)) or ""
                alone = f"`cpu-{step.__name__}`".replace("_", "-") in head
                told = head if alone else inspect.getdoc(step) or ""
                sections += ["", f"## {step_name(step)}", "", "```", told, "```"]
    return "\n".join([*lines, *sections]) + "\n"


def dialects() -> str:
    """Each dialect: its grammar, ops, attributes and types; discardable attributes."""
    lines = ["# Dialects"]
    for name, load in DYCL_UNIVERSE.all_dialects.items():
        package = import_module(f"dycl.ir.{_MODULES[name]}")
        lines += ["", f"## {name}", "", "```", inspect.getdoc(package) or "", "```"]
        lines += dialect_lines(load())
    return "\n".join([*lines, *discardable_lines()]) + "\n"


_MODULES = {"dycl": "dialect", "graph": "graph", "host": "host", "torch": "torch"}
"""Dialect -> the module of `dycl.ir` whose docstring has its grammar."""


def errors() -> str:
    """For each error code what it means, and what is refused and taken."""
    kinds = {
        "model": "methods of a `torch.nn.Module`",
        "script": "a script, behind `import dycl, torch` and `from torch import nn`",
        "command": "a command line, and the files that it reads",
    }
    lines = ["# Error codes", "", "`dycl explain CODE` shows the same."]
    for code, text in CODES.items():
        example = examples()[code]
        lines += ["", f"## {code}", "", f"{text}. Shown by {kinds[example.kind]}.", ""]
        lines += ["Refused:", "", "```", example.refused.rstrip(), "```", ""]
        lines += ["Taken:", "", "```", example.taken.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def commands() -> str:
    """The help of `dycl` and of each of its commands, and of the other tools."""
    parser = make_parser()
    lines = ["# Commands", "", "```", parser.format_help().rstrip(), "```"]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                help_text = command.format_help().rstrip()
                lines += ["", f"## dycl {name}", "", "```", help_text, "```"]
    for name, tool in tools().items():
        lines += ["", f"## {name}", "", "```", tool.format_help().rstrip(), "```"]
    return "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "passes": passes,
    "kernel-steps": kernel_steps,
    "dialects": dialects,
    "errors": errors,
    "commands": commands,
    "python": python,
}


EXPLANATIONS = Path(__file__).resolve().parent.parent / "docs" / "explanation"


def refresh(*, check: bool) -> list[Path]:
    """The explanations whose IR was out of date; unless `check`, it is replaced."""
    stale: list[Path] = []
    for path in sorted(EXPLANATIONS.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        now = filled(page)
        if now != page:
            stale.append(path)
            if not check:
                path.write_text(now, encoding="utf-8")
    return stale


def main(args: list[str]) -> int:
    """Write every page, or only look; the exit status."""
    check = args == ["--check"]
    pages = {name: page() for name, page in PAGES.items()}
    stale = refresh(check=check)
    if check:
        for path in stale:
            print(f"{path.name} shows IR of yesterday; run: make docs")
        return 1 if stale else 0
    target = Path(args[0] if args else "build/docs")
    target.mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():
        (target / f"{name}.md").write_text(page, encoding="utf-8")
        print(target / f"{name}.md")
    for path in stale:
        print(f"{path.relative_to(EXPLANATIONS.parents[1])} (its IR was out of date)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
