"""Inputs for many calls: an array for each input, with a row for each call."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from dycl.runtime import InputSpec
from dycl.runtime.zipping import zip_equal
from dycl.tools.input_spec import load_array
from dycl.tools.usage import UsageError

Given = tuple[tuple[Any, ...], dict[str, Any]]
"""What a call is given, by position and by name."""


def add_samples(parser: argparse.ArgumentParser) -> None:
    """The flag that names the arrays."""
    parser.add_argument(
        "--samples",
        action="append",
        default=[],
        metavar="X.npy",
        help="one per input, in order: an array of several such inputs, which are "
        "given in turn (default: the inputs of --input, always the same)",
    )


def structured(net: Any, inputs: tuple[Any, ...]) -> Given:
    """Inputs one by one, in the structure that a call has."""
    return (inputs, {}) if net.signature is None else net.signature.call(inputs)


def samples(files: Sequence[str], net: Any) -> list[Given]:
    """Row by row, what the files hold for each input. UsageError."""
    specs: Sequence[InputSpec] = net.inputs
    if len(files) != len(specs):
        raise UsageError(f"there are {len(specs)} inputs: give --samples for each")
    stacks = [load_array(file) for file in files]
    lengths = {len(stack) if stack.ndim else 0 for stack in stacks}
    if len(lengths) != 1 or 0 in lengths:
        raise UsageError("--samples are arrays of as many inputs, and of one at least")
    pairs = list(zip_equal(stacks, specs))
    rows = (
        tuple(
            stack[row].item() if spec.shape is None else np.array(stack[row])
            for stack, spec in pairs
        )
        for row in range(len(stacks[0]))
    )
    return [structured(net, row) for row in rows]
