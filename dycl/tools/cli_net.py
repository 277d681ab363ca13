"""What the commands that compile share: the network that the command line names.

`FILE.py:NAME` names the model: NAME is a function without arguments that returns it, a
module class that needs no arguments, or a module. Without `--input`, the inputs are
what the file's `example_inputs()` returns. `FILE.pt2`, a file of `torch.export.save`,
is a model with its inputs; `FILE.mlir` is IR of any level, whose inputs have types.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dycl.options import CompileOptions
from dycl.report import PlainProgress, progress_on
from dycl.runtime import ArtifactError, LoadedNet, load
from dycl.runtime.weights import WeightError
from dycl.tools.cli_files import (
    example_inputs,
    find_model,
    load_exported,
    load_file,
    split_target,
)
from dycl.tools.cli_options import options_of
from dycl.tools.dim_spec import (
    dynamic_shapes,
    parse_dims,
    parse_hints,
    with_numbers,
)
from dycl.tools.input_spec import InputSpec, make_input, parse_input
from dycl.tools.printing import inputs_for, load_weights
from dycl.tools.usage import UsageError, UserError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from dycl.compiled import CompiledModel


_PATIENCE = 2.0
"""Seconds after which it is said that a model is being loaded: importing takes long."""

Compiler = Callable[..., "CompiledModel"]
"""`dycl.driver.models.compile`: model, inputs, options, who listens; which sizes of the
inputs a call decides, by keyword, if it does."""


def compile_net(
    args: argparse.Namespace, compiler: Compiler | None
) -> tuple["CompiledModel", tuple[Any, ...]]:
    """Compile what the command line names; the network and its inputs.

    `compiler`: instead of our own. UsageError, UserError and what the
    compiler raises.
    """
    if is_text(args.net):
        if args.rows or args.rows_of:
            raise UsageError("FILE.mlir says itself which inputs have rows")
        return compile_text_net(args)
    if args.start_from is not None:
        raise UsageError("--start-from is for FILE.mlir, which has a level of its own")
    model, inputs, options = load_net(args)
    return compile_model(model, inputs, options, args, compiler), inputs


def compile_model(
    model: Any,
    inputs: tuple[Any, ...],
    options: CompileOptions,
    args: argparse.Namespace,
    compiler: Compiler | None,
) -> "CompiledModel":
    """Compile a model that was loaded. UserError and what the compiler raises."""
    chosen = _default_compiler() if compiler is None else compiler
    profile: dict[str, Any] = {}
    if getattr(args, "counts", None) is not None:
        profile["profile"] = args.counts
    with progress_on(sys.stderr) as listener:
        net = chosen(model, inputs, options, listener, **shapes_of(args), **profile)
    if args.weights is not None:
        load_weights(net, args.weights)
    return net


def lower_net(args: argparse.Namespace, level: str) -> "ModuleOp":
    """What passes make of the program at a level, or up to `--stop-after`, if that
    comes first: no kernel is compiled. UsageError, UserError, what the compiler raises.
    """
    from dycl.driver.models import lower
    from dycl.driver.texts import lower_text

    end = args.stop_after
    with progress_on(sys.stderr) as listener:
        if is_text(args.net):
            path, options = text_file(args.net), options_of(args)
            start = args.start_from
            return lower_text(
                path, level, options, listener, start_from=start, stop_after=end
            )
        model, inputs, options = load_net(args)
        shapes = shapes_of(args)
        return lower(model, inputs, level, options, listener, stop_after=end, **shapes)


def is_text(net: str) -> bool:
    """Whether the command line names a file of IR."""
    return net.endswith(".mlir")


def compile_text_net(
    args: argparse.Namespace,
) -> tuple["CompiledModel", tuple[Any, ...]]:
    """The network of a file of IR, and its inputs: as given, or at random.

    UsageError, UserError and what the compiler raises.
    """
    from dycl.driver.texts import compile_text

    path, options = text_file(args.net), options_of(args)
    with progress_on(sys.stderr) as listener:
        try:
            net = compile_text(
                path, args.weights, options, listener, start_from=args.start_from
            )
        except (ArtifactError, WeightError) as error:
            raise UserError(str(error)) from error
    return net, inputs_for(net.inputs, args, net.sizes)


def text_file(net: str) -> Path:
    """The path of a file of IR. UsageError: there is no such file."""
    if not Path(net).is_file():
        raise UsageError(f"there is no file '{net}'")
    return Path(net)


def is_artifact(net: str) -> bool:
    """Whether the command line names a compiled network."""
    return Path(net).suffix == ".dycl" or Path(net).is_dir()


def load_artifact(net: str, weights: Path | None = None) -> LoadedNet:
    """The compiled network of a file or folder, with these weights if there are any.

    UserError: it cannot be loaded, or they do not fit.
    """
    try:
        loaded = load(Path(net))
    except ArtifactError as error:
        raise UserError(str(error)) from error
    if weights is not None:
        load_weights(loaded, weights)
    return loaded


def load_net(
    args: argparse.Namespace,
) -> tuple[Any, tuple[Any, ...], CompileOptions]:
    """The model that the command line names, its inputs, the options.

    UsageError, UserError.
    """
    options = options_of(args)
    dims = parse_dims(args.dim)
    ranges = {name: (dim.min, dim.max) for name, dim in dims.items()}
    sources = [
        source if isinstance(source, Path) else with_numbers(source, ranges)
        for source in map(parse_input, args.input)
    ]
    if dims and args.net.endswith(".pt2"):
        raise UsageError(
            f"'{args.net}' says itself which sizes are dynamic: --dim is for models"
        )
    model, own_inputs = load_model(args.net, args.seed)
    inputs = _inputs(sources, args.seed) if sources else own_inputs()
    _check_rows(args, model, inputs)
    return model, inputs, options


def _check_rows(args: argparse.Namespace, model: Any, inputs: tuple[Any, ...]) -> None:
    """UsageError: inputs are to have rows, and have none."""
    if not (args.rows or args.rows_of):
        return
    from dycl.driver.inputs import example_of
    from dycl.driver.row_inputs import with_rows

    try:
        with_rows(model, inputs, example_of(model, inputs), _rows_of(args)["rows"])
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error


def shapes_of(args: argparse.Namespace) -> dict[str, Any]:
    """The keywords `dynamic_shapes` and `rows`, where there are such. UsageError."""
    inputs = list(map(parse_input, args.input))
    dims = parse_dims(args.dim)
    known = None if args.net.endswith(".pt2") else dims
    found = dynamic_shapes(inputs, dims) | parse_hints(args.hint, known)
    return found | _rows_of(args)


def _rows_of(args: argparse.Namespace) -> dict[str, Any]:
    """The keyword `rows`, if inputs have rows. UsageError: both flags are given."""
    if args.rows and args.rows_of:
        raise UsageError("--rows is of all tensors, and --rows-of of some")
    if args.rows_of:
        return {"rows": dict.fromkeys(args.rows_of, 0)}
    return {"rows": True} if args.rows else {}


def load_model(net: str, seed: int) -> tuple[Any, Callable[[], tuple[Any, ...]]]:
    """The model that `FILE.py:NAME` or `FILE.pt2` names, in eval mode; what gives the
    inputs that its file has for it.

    UsageError, UserError; the inputs: UsageError, if there are none.
    """
    if net.endswith(".pt2"):
        program = load_exported(Path(net))
        return program, lambda: _inputs_of(program, net)
    file, name = split_target(net)
    with PlainProgress(sys.stderr, _PATIENCE) as progress:
        progress.stage_started(f"load {file.name}")
        import torch

        torch.manual_seed(seed)
        module = load_file(file)
        torch.manual_seed(seed)  # again: importing may have drawn numbers
        model = find_model(module, name, net)
    if any(part.training for part in model.modules()):
        model.eval()
        print(
            "note: the model was in training mode; compiled for inference (eval)",
            file=sys.stderr,
        )
    return model, lambda: example_inputs(module, net)


def _inputs(sources: Sequence[InputSpec | Path], seed: int) -> tuple[Any, ...]:
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


def _default_compiler() -> Compiler:
    from dycl.driver import models

    return models.compile
