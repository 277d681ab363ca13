"""What runs of networks are given, and what they give, as texts of a command line."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dycl.runtime import ArtifactError, SizeRange
from dycl.runtime import InputSpec as NetInput
from dycl.runtime.dtypes import array_of_tensor, dtype_name, widened
from dycl.runtime.inputs import counted_inputs
from dycl.runtime.weights import WeightError
from dycl.tools.dim_spec import with_numbers
from dycl.tools.input_spec import SHORT, InputSpec, make_array, parse_input
from dycl.tools.usage import UsageError, UserError


def load_weights(net: Any, file: Path) -> None:
    """Give a network the weights of a file. UserError: they do not fit."""
    try:
        net.load_weights(file)
    except (ArtifactError, WeightError) as error:
        raise UserError(str(error)) from error


def inputs_for(
    wanted: Sequence[NetInput],
    args: argparse.Namespace,
    sizes: Sequence[SizeRange] = (),
) -> tuple[Any, ...]:
    """What the flags say for inputs that are known, or something at random.

    UsageError: another number of them, or no number where one is wanted.
    """
    generator = np.random.default_rng(args.seed)
    if args.input and len(args.input) != len(wanted):
        inputs = counted_inputs([spec.name for spec in wanted])
        raise UsageError(f"'{args.net}' takes {inputs}, not {len(args.input)}")
    texts = args.input or [None] * len(wanted)
    ranges = {size.name: (size.low, size.high) for size in sizes}
    return tuple(
        _input(text, spec, ranges, generator) for text, spec in zip(texts, wanted)
    )


def _input(
    text: str | None,
    spec: NetInput,
    ranges: Mapping[str, tuple[int, int | None]],
    generator: np.random.Generator,
) -> Any:
    """What the flag says, or at random what the network takes."""
    if spec.shape is None:
        try:
            return ast.literal_eval(text or "")
        except (ValueError, SyntaxError) as error:
            words = f"`{spec.name}` is a number; give one --input for each input"
            raise UsageError(words) from error
    source = InputSpec(SHORT[spec.dtype], spec.shape)
    found = source if text is None else parse_input(text)
    if isinstance(found, InputSpec):
        found = with_numbers(found, ranges)
    return make_array(found, generator)


def print_run(net: Any, outputs: Any) -> None:
    """Each value of a result, and the path that has led to it."""
    for name, value in leaves("output", outputs):
        print(f"{name}: {describe(value)}")
    if net.rows is not None:
        for path, numbers in _ways(net.paths).items():
            word = "row" if len(numbers) == 1 else "rows"
            _print_path(f"path of {word} {', '.join(map(str, numbers))}", path)
        return
    _print_path("path", net.path)


def _ways(paths: Sequence[Any]) -> dict[Any, list[int]]:
    """Each path that rows took, and the numbers of these rows."""
    found: dict[Any, list[int]] = {}
    for number, path in enumerate(paths):
        found.setdefault(path, []).append(number)
    return found


def _print_path(title: str, path: Sequence[Any]) -> None:
    print(f"{title}:")
    for decision in path:
        print(f"  {decision}")
    if not path:
        print("  (no decision depends on the input)")


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every value inside tuples, lists and dicts, with the expression that reads it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(f"{name}[{key!r}]", item)
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for index, item in enumerate(value):
            inner = f"{name}[{index}]" if fields is None else f"{name}.{fields[index]}"
            yield from leaves(inner, item)
    else:
        yield name, value


def describe(value: Any) -> str:
    """`f32[1,10] [[...]]` for a tensor, `13 (int)` for anything else."""
    if not hasattr(value, "shape"):
        return f"{value!r} ({type(value).__name__})"
    shape = ",".join(str(size) for size in value.shape)
    if hasattr(value, "detach"):
        value = array_of_tensor(value.detach())
    array = np.asarray(value)
    dtype = dtype_name(array)
    text = np.array2string(widened(array), precision=5, threshold=16, separator=", ")
    return f"{SHORT.get(dtype, dtype)}[{shape}] {text}"
