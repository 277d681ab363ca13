"""What the commands that compile share: finding the model, its inputs, the options.

`FILE.py:NAME` names the model: NAME is a function without arguments that returns it, a
module class that needs no arguments, or a module. Without `--input`, the inputs are
what the file's `example_inputs()` returns. `FILE.pt2`, a file of `torch.export.save`,
is a model with its inputs; `FILE.mlir` is IR of any level, whose inputs have types.
"""

import argparse
import ast
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from dycl.options import HOSTS, TARGETS, WEIGHT_DTYPES, CompileOptions
from dycl.report import Listener, progress_on
from dycl.runtime import ArtifactError
from dycl.runtime import InputSpec as NetInput
from dycl.runtime.weights import WeightError
from dycl.tools.input_spec import SHORT, InputSpec, make_array, make_input, parse_input
from dycl.tools.opt_args import UsageError, check_names

if TYPE_CHECKING:
    from dycl.compiled import CompiledModel


class UserError(Exception):
    """The user's own file fails; exit status 1. The message is all there is to say."""


Compiler = Callable[[Any, tuple[Any, ...], CompileOptions, Listener], "CompiledModel"]
"""`dycl.driver.compile`: model, inputs, options, who listens."""


NET = "a function that returns the model, a module, or its class"


def add_net_arguments(
    parser: argparse.ArgumentParser, metavar: str = "FILE.py:NAME", what: str = NET
) -> None:
    """The arguments of every command that compiles a model."""
    flag = parser.add_argument
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
        "--seed",
        type=int,
        default=0,
        help="of random inputs, and of weights that are drawn (default 0)",
    )
    group = parser.add_argument_group("options of the compiler")
    flag = group.add_argument
    default = CompileOptions()
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
        "--max-iterations",
        type=int,
        metavar="N",
        help="stop a loop that the input decides after N iterations (default: never)",
    )
    flag(
        "--without",
        "-d",
        action="append",
        default=[],
        metavar="PASS",
        help="leave an optional pass out, or a step of the kernels, as cpu-winograd",
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
    flag(
        "--host",
        choices=HOSTS,
        default=default.host,
        help="what runs the decisions: code compiled from C, or Python (%(default)s)",
    )
    flag(
        "--backend",
        default=default.backend,
        help="what kernels are compiled for (%(default)s)",
    )
    flag(
        "--target",
        metavar="NAME,..",
        default=default.target,
        help=f"the processor: {', '.join(TARGETS)} (%(default)s); for several the "
        "artifact has code for each",
    )
    flag(
        "--no-cache",
        action="store_false",
        dest="cache",
        help="compile all anew, and leave nothing in ~/.cache/dycl",
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


def options_of(args: argparse.Namespace) -> CompileOptions:
    """The options that the flags say. UsageError: a value no option can have."""
    from dycl.kernels import OPTIONAL_STEPS
    from dycl.universe import everything

    passes = everything().all_passes
    check_names(args.pipeline, passes)
    check_names(",".join(args.without), {*passes, *OPTIONAL_STEPS})
    if args.keep is not None and args.keep.exists() and not args.keep.is_dir():
        raise UsageError(f"--keep needs a folder, and '{args.keep}' is a file")
    try:
        return CompileOptions(
            keep=args.keep,
            max_trip_count=args.max_trip_count,
            max_iterations=args.max_iterations,
            pipeline=args.pipeline,
            without=tuple(args.without),
            verify=args.verify,
            host=args.host,
            backend=args.backend,
            target=args.target,
            cache=args.cache,
            threads=args.threads,
            weight_dtype=args.weight_dtype,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def compile_net(
    args: argparse.Namespace, compiler: Compiler | None
) -> tuple["CompiledModel", tuple[Any, ...]]:
    """Compile what the command line names; the network and its inputs.

    `compiler`: instead of `dycl.driver.compile`. UsageError, UserError and what the
    compiler raises.
    """
    if is_text(args.net):
        return compile_text_net(args)
    if args.start_from is not None:
        raise UsageError("--start-from is for FILE.mlir, which has a level of its own")
    model, inputs, options = load_net(args)
    chosen = _default_compiler() if compiler is None else compiler
    with progress_on(sys.stderr) as listener:
        net = chosen(model, inputs, options, listener)
    if args.weights is not None:
        load_weights(net, args.weights)
    return net, inputs


def is_text(net: str) -> bool:
    """Whether the command line names a file of IR."""
    return net.endswith(".mlir")


def compile_text_net(
    args: argparse.Namespace,
) -> tuple["CompiledModel", tuple[Any, ...]]:
    """The network of a file of IR, and its inputs: as given, or at random.

    UsageError, UserError and what the compiler raises.
    """
    from dycl.texts import compile_text

    path, options = text_file(args.net), options_of(args)
    with progress_on(sys.stderr) as listener:
        try:
            net = compile_text(
                path, args.weights, options, listener, start_from=args.start_from
            )
        except (ArtifactError, WeightError) as error:
            raise UserError(str(error)) from error
    return net, inputs_for(net.inputs, args)


def text_file(net: str) -> Path:
    """The path of a file of IR. UsageError: there is no such file."""
    if not Path(net).is_file():
        raise UsageError(f"there is no file '{net}'")
    return Path(net)


def load_weights(net: Any, file: Path) -> None:
    """Give a network the weights of a file. UserError: they do not fit."""
    try:
        net.load_weights(file)
    except (ArtifactError, WeightError) as error:
        raise UserError(str(error)) from error


def inputs_for(wanted: Sequence[NetInput], args: argparse.Namespace) -> tuple[Any, ...]:
    """What the flags say for inputs that are known, or something at random.

    UsageError: another number of them, or no number where one is wanted.
    """
    generator = np.random.default_rng(args.seed)
    if args.input and len(args.input) != len(wanted):
        raise UsageError(f"'{args.net}' takes {len(wanted)} inputs")
    texts = args.input or [None] * len(wanted)
    pairs = zip(texts, wanted, strict=True)
    return tuple(_input(text, spec, generator) for text, spec in pairs)


def _input(text: str | None, spec: NetInput, generator: np.random.Generator) -> Any:
    """What the flag says, or at random what the network takes."""
    if spec.shape is None:
        try:
            return ast.literal_eval(text or "")
        except (ValueError, SyntaxError) as error:
            words = f"`{spec.name}` is a number; give one --input for each input"
            raise UsageError(words) from error
    if text is None:
        return make_array(InputSpec(SHORT[spec.dtype], spec.shape), generator)
    return make_array(parse_input(text), generator)


def load_net(
    args: argparse.Namespace,
) -> tuple[Any, tuple[Any, ...], CompileOptions]:
    """The model that the command line names, its inputs, the options.

    UsageError, UserError.
    """
    options = options_of(args)
    sources = [parse_input(text) for text in args.input]
    if args.net.endswith(".pt2"):
        program = load_exported(Path(args.net))
        if not sources:
            return program, _inputs_of(program, args.net), options
        return program, _made(sources, args.seed), options
    file, name = split_target(args.net)
    import torch

    torch.manual_seed(args.seed)
    module = load_file(file)
    torch.manual_seed(args.seed)  # again: importing may have drawn numbers
    model = find_model(module, name, args.net)
    inputs = _made(sources, args.seed) if sources else _example_inputs(module, args.net)
    if any(part.training for part in model.modules()):
        model.eval()
        print(
            "note: the model was in training mode; compiled for inference (eval)",
            file=sys.stderr,
        )
    return model, inputs, options


def split_target(target: str) -> tuple[Path, str]:
    """`net.py:build` -> (net.py, "build"). UsageError: not of that form, or no file."""
    file, colon, name = target.rpartition(":")
    if not colon or not file.endswith(".py") or not name.isidentifier():
        file = target.removesuffix(":")
        hint = f"{file}:build" if file.endswith(".py") else "net.py:build"
        raise UsageError(f"'{target}' names no model; write FILE.py:NAME, as in {hint}")
    if not Path(file).is_file():
        raise UsageError(f"there is no file '{file}'")
    return Path(file), name


def load_exported(file: Path) -> Any:
    """The program in a file of `torch.export.save`. UsageError, UserError."""
    if not file.is_file():
        raise UsageError(f"there is no file '{file}'")
    import torch

    try:
        return torch.export.load(str(file))
    except Exception as error:
        raise UserError(f"'{file}' cannot be loaded\n{_trace(error)}") from error


def _made(sources: Sequence[InputSpec | Path], seed: int) -> tuple[Any, ...]:
    generator = np.random.default_rng(seed)
    return tuple(make_input(source, generator) for source in sources)


def _inputs_of(program: Any, target: str) -> tuple[Any, ...]:
    """What the program was exported with."""
    if program.example_inputs is None:
        raise UsageError(
            f"'{target}' has no inputs in it: give --input f32[1,3,32,32] for each"
        )
    args, kwargs = program.example_inputs
    return (*args, *kwargs.values())


def load_file(file: Path) -> ModuleType:
    """Import a Python file; one inside a package by its full name.

    UsageError: another module has its name. UserError: it fails.
    """
    folder = file.resolve().parent
    parts = [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(parts)
    sys.path[:0] = [str(folder)]
    try:
        # `import` finds what `name` means for everybody else: it must be this file.
        spec = importlib.util.find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None or Path(origin).resolve() != file.resolve():
            raise UsageError(
                f"'{file}' has the name of the Python module `{name}`; rename it"
            )
        return importlib.import_module(name)
    except UsageError:
        raise
    except Exception as error:
        raise UserError(f"'{file}' cannot be imported\n{_trace(error)}") from error


def find_model(module: ModuleType, name: str, target: str) -> Any:
    """The `torch.nn.Module` that `name` gives. UsageError, UserError."""
    import torch

    if not hasattr(module, name):
        raise UsageError(f"there is no '{name}' in {target.rpartition(':')[0]}")
    found = getattr(module, name)
    if inspect.isclass(found) or not isinstance(found, torch.nn.Module):
        if not callable(found):
            raise UsageError(f"'{target}' is a {type(found).__name__}, not a model")
        found = _call(found, target)
    if not isinstance(found, torch.nn.Module):
        kind = type(found).__name__
        raise UsageError(f"'{target}' returns a {kind}, not a torch.nn.Module")
    return found


def _default_compiler() -> Compiler:
    from dycl import driver

    return driver.compile


def _example_inputs(module: ModuleType, target: str) -> tuple[Any, ...]:
    make = getattr(module, "example_inputs", None)
    if make is None:
        file = target.rpartition(":")[0]
        raise UsageError(
            f"say what the inputs are: --input f32[1,3,32,32] for each, "
            f"or a function example_inputs() in {file}"
        )
    return tuple(_call(make, f"{target.rpartition(':')[0]}:example_inputs"))


def _call(function: Any, target: str) -> Any:
    try:
        return function()
    except Exception as error:
        raise UserError(f"'{target}' fails\n{_trace(error)}") from error


def _trace(error: Exception) -> str:
    """The traceback from the first line that is not ours or importlib's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = (__file__, importlib.__file__ or "", "<frozen importlib")
    shown = [frame for frame in frames if not frame.filename.startswith(own)]
    lines = traceback.format_list(shown) + traceback.format_exception_only(error)
    return "".join(lines).rstrip()
