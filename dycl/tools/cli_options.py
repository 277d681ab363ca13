"""The arguments of the commands that compile, and the options that these say."""

import argparse
from pathlib import Path

from dycl.options import (
    HOSTS,
    MATMUL_DTYPES,
    TARGETS,
    WEIGHT_DTYPES,
    CompileOptions,
)
from dycl.tools.opt_args import Flag, check_names
from dycl.tools.usage import UsageError

NET = "a function that returns the model, a module, or its class"


def add_net_arguments(
    parser: argparse.ArgumentParser, metavar: str = "FILE.py:NAME", what: str = NET
) -> None:
    """The arguments of every command that compiles a model."""
    _add_program(parser.add_argument, metavar, what)
    flag = parser.add_argument_group("options of the compiler").add_argument
    default = CompileOptions()
    _add_passes(flag, default)
    _add_code(flag, default)
    _add_machine(flag, default)
    _add_text(flag)


def _add_program(flag: Flag, metavar: str, what: str) -> None:
    """What is compiled."""
    flag("net", metavar=metavar, help=what)
    flag(
        "--input",
        "-i",
        action="append",
        default=[],
        metavar="SPEC",
        help="one per input, in order: f32[1,3,32,32], i64[1], or x.npy "
        "(default: the file's example_inputs())",
    )
    flag(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=MIN..MAX",
        help="a size in --input that each call decides: -i f32[1,n] --dim n=1..512",
    )
    flag(
        "--hint",
        action="append",
        default=[],
        metavar="NAME=SIZE,...",
        help="sizes of a --dim that have a version of the network: --hint n=128,256",
    )
    flag(
        "--rows",
        action="store_true",
        help="each tensor of the inputs, of a first size of 1, is one row: the network "
        "takes any number of rows, each on its own way",
    )
    flag(
        "--rows-of",
        action="append",
        default=[],
        metavar="INPUT",
        help="the same of this input only; what has no rows is one for all",
    )
    flag(
        "--seed",
        type=int,
        default=0,
        help="of random inputs, and of weights that are drawn (default 0)",
    )


def _add_passes(flag: Flag, default: CompileOptions) -> None:
    """What the passes do."""
    flag(
        "--keep",
        type=Path,
        metavar="DIR",
        help="write the program at every stage into DIR",
    )
    flag(
        "--max-trip-count",
        type=int,
        default=default.max_trip_count,
        metavar="N",
        help="unroll loops of at most N iterations (%(default)s)",
    )
    flag(
        "--max-unrolled",
        type=int,
        default=default.max_unrolled,
        metavar="N",
        help="keep loops of more than N iterations as loops if these are alike "
        "(%(default)s)",
    )
    flag(
        "--max-iterations",
        type=int,
        metavar="N",
        help="stop a loop that the input decides after N iterations (default: never)",
    )
    flag(
        "--max-recursion",
        type=int,
        default=default.max_recursion,
        metavar="N",
        help="stop a recursion that the input ends at N open calls (%(default)s)",
    )
    flag(
        "--batch-trees",
        action="store_true",
        help="run kernels of a recursion that the input ends for several of its calls "
        "at once",
    )
    flag(
        "--without",
        "-d",
        action="append",
        default=[],
        metavar="PASS",
        help="leave an optional pass out, or an optional step of the kernels",
    )
    flag(
        "--pipeline",
        "-p",
        default=default.pipeline,
        metavar="SPEC",
        help="passes and phases to run, as in normalise,my-pass{limit=3},type,... "
        "(%(default)s)",
    )
    flag("--verify", action="store_true", help="check the IR after every pass")


def _add_code(flag: Flag, default: CompileOptions) -> None:
    """What code is made."""
    flag(
        "--host",
        choices=HOSTS,
        default=default.host,
        help="what runs the decisions: code compiled from C, or Python (%(default)s)",
    )
    flag(
        "--backend",
        default=default.backend,
        help="what kernels are compiled for: an installed backend (%(default)s)",
    )
    flag(
        "--target",
        metavar="NAME,..",
        default=default.target,
        help=f"the processor: {', '.join(TARGETS)} (%(default)s); for several the "
        "artifact has code for each",
    )


def _add_machine(flag: Flag, default: CompileOptions) -> None:
    """What the compiler may use of the machine, and the network of its weights."""
    flag(
        "--no-cache",
        action="store_false",
        dest="cache",
        help="compile everything again, and leave nothing in ~/.cache/dycl",
    )
    flag(
        "--threads",
        type=int,
        metavar="N",
        default=default.threads,
        help="how many threads share the work of a large kernel (%(default)s)",
    )
    flag(
        "--weight-dtype",
        choices=WEIGHT_DTYPES,
        default=default.weight_dtype,
        help="how weights are kept that are read once for each use (%(default)s)",
    )
    flag(
        "--matmul-dtype",
        choices=MATMUL_DTYPES,
        default=default.matmul_dtype,
        help="from what products are computed: bf16 on processors that have it, tf32 "
        "on GPUs (%(default)s)",
    )
    flag(
        "--whole-graph",
        action="store_true",
        help="refuse a network that a GPU cannot run as one CUDA graph",
    )
    flag(
        "--tuning",
        type=Path,
        metavar="FILE.json",
        help="how kernels for a GPU are cut, as `dycl tune` has timed it",
    )
    flag(
        "--kernel-timeout",
        type=float,
        metavar="SECONDS",
        default=default.kernel_timeout,
        help="how long one kernel may take to compile; inf: any time (%(default)s)",
    )


def _add_text(flag: Flag) -> None:
    """What text that is compiled further needs."""
    flag(
        "--weights",
        type=Path,
        metavar="W.safetensors",
        help="the weights: needed for FILE.mlir, and instead of those of a network",
    )
    flag(
        "--start-from",
        metavar="PASS",
        help="of FILE.mlir: the pass or phase to go on with (default: the one that "
        "follows the level of the text)",
    )


def add_stop_after(parser: argparse.ArgumentParser, what: str) -> None:
    """The flag of the commands that may stop on the way; `what` is their help."""
    parser.add_argument("--stop-after", metavar="PASS", help=what)


def options_of(args: argparse.Namespace) -> CompileOptions:
    """The options that the flags say. UsageError: a value no option can have."""
    from dycl.backends import optional_steps
    from dycl.universe import everything

    passes = everything().all_passes
    check_names(args.pipeline, passes)
    if args.without:
        check_names(",".join(args.without), {*passes, *optional_steps()})
    if args.keep is not None and args.keep.exists() and not args.keep.is_dir():
        raise UsageError(f"--keep needs a folder, and '{args.keep}' is a file")
    try:
        return CompileOptions(
            keep=args.keep,
            max_trip_count=args.max_trip_count,
            max_unrolled=args.max_unrolled,
            max_iterations=args.max_iterations,
            max_recursion=args.max_recursion,
            batch_trees=args.batch_trees,
            pipeline=args.pipeline,
            without=tuple(args.without),
            verify=args.verify,
            host=args.host,
            backend=args.backend,
            target=args.target,
            cache=args.cache,
            threads=args.threads,
            weight_dtype=args.weight_dtype,
            matmul_dtype=args.matmul_dtype,
            whole_graph=args.whole_graph,
            tuning=args.tuning,
            kernel_timeout=args.kernel_timeout,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
