"""`dycl-kernel-opt`: run steps of the kernel pipeline on MLIR text, and print it.

    dycl-kernel-opt conv.mlir -p cpu-block-contractions,cpu-propagate-blocks,cse
    dycl-kernel-opt conv.mlir --stage linalg --stage memref
    dycl-kernel-opt conv.mlir --target x86-64-v3 --threads 2 -d cpu-winograd --stage ...
    dycl-kernel-opt --list

A step of ours begins with `cpu-`; everything else is a pass of MLIR's. The text may be
in any dialect that torch-mlir knows. `dycl-opt` is the same for the passes on networks.

Exit status: 0 done; 1 the text or a pass has an error; 2 the command line asks for
something that does not exist.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dycl.ir.placing_parser import NotUtf8, decode
from dycl.runtime.targets import MATMUL_DTYPES, TARGETS


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; the exit status."""
    arguments = make_parser().parse_args(argv)
    from dycl.kernels.cpu.errors import Refused
    from dycl.kernels.cpu.lower import STAGES, named_steps, note, run_step
    from dycl.kernels.cpu.mlir import MLIRError, parse
    from dycl.kernels.cpu.settings import Settings
    from dycl.kernels.cpu.target import target_of

    if arguments.list:
        print(listing())
        return 0
    wanted: list[Any] = []
    stages = dict(STAGES)
    for name in arguments.stage:
        wanted += [step for step, _ in stages[name]]
    known = named_steps()
    for name in split_passes(arguments.passes):
        if name.startswith("cpu-") and name not in known:
            print(f"error: there is no step '{name}'; see --list", file=sys.stderr)
            return 2
        wanted.append(known.get(name, name))
    for name in arguments.without:
        if name not in known:
            print(f"error: there is no step '{name}'; see --list", file=sys.stderr)
            return 2
    left_out = [known[name] for name in arguments.without]
    try:
        text = _read(arguments.file)
        module = parse(text, of_any_stage=True)
        target = arguments.target or target_of(module)
        how = Settings(
            target=target,
            threads=arguments.threads,
            narrow=arguments.narrow,
            matmul_dtype=arguments.matmul_dtype,
        )
        note(module, how)
        for step in wanted:
            if step not in left_out:
                run_step(module, step)
        module.operation.verify()
    except (OSError, NotUtf8, MLIRError, Refused) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    locations = arguments.print_debuginfo
    print(module.operation.get_asm(enable_debug_info=locations, use_local_scope=True))
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        "dycl-kernel-opt", description="Run steps of the kernel pipeline on MLIR text."
    )
    parser.add_argument("file", nargs="?", default="-", help="text; -: standard input")
    parser.add_argument(
        "-p", "--passes", default="", help="steps and passes, separated by commas"
    )
    parser.add_argument(
        "--stage",
        action="append",
        default=[],
        choices=("linalg", "memref", "llvm"),
        help="all steps of a stage, before those of -p",
    )
    parser.add_argument(
        "-d",
        "--without",
        action="append",
        default=[],
        metavar="STEP",
        help="a step of ours to leave out of the stages",
    )
    parser.add_argument(
        "--target", choices=TARGETS, help="the processor; else as the text says"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="how many may share a kernel's work"
    )
    parser.add_argument(
        "--narrow", action="store_true", help="weights may be kept as bf16"
    )
    parser.add_argument(
        "--matmul-dtype",
        choices=MATMUL_DTYPES,
        default=MATMUL_DTYPES[0],
        help="from what products with weights are computed",
    )
    parser.add_argument("--list", action="store_true", help="the steps, in order")
    parser.add_argument(
        "--print-debuginfo", action="store_true", help="print locations, too"
    )
    return parser


def listing() -> str:
    """The whole pipeline: each step with the reason for its place."""
    from dycl.kernels.cpu.lower import STAGES, step_name

    lines: list[str] = []
    for stage, steps in STAGES:
        lines.append(f"{stage}:")
        for step, reason in steps:
            lines += [f"  {step_name(step)}", f"      {reason}"]
    return "\n".join(lines)


def split_passes(text: str) -> list[str]:
    """The parts between commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _read(path: str) -> str:
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    return decode(data, path)


if __name__ == "__main__":
    sys.exit(main())
