"""Sizes that a call decides, on the command line: `--input f32[1,n] --dim n=1..512`.

dim ::= name "=" smallest ".." [largest]
hint ::= name "=" size {"," size}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dycl.tools.input_spec import InputSpec
from dycl.tools.usage import UsageError

if TYPE_CHECKING:
    from dycl.driver.dynamic_shapes import Dim

_USUAL = 8
"""The size of random inputs where it is in range."""


def parse_dims(texts: Sequence[str]) -> dict[str, Dim]:
    """The flags `--dim` by name. UsageError: one cannot be read, or says nothing."""
    from dycl.driver.dynamic_shapes import Dim

    result: dict[str, Dim] = {}
    for text in texts:
        match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=\s*(\d+)\.\.(\d*)\s*", text)
        if match is None:
            raise UsageError(f"cannot read --dim '{text}'; write it like n=1..512")
        name, low, high = match.groups()
        if name in result:
            raise UsageError(f"--dim says twice what `{name}` is")
        try:
            result[name] = Dim(name, int(low), int(high) if high else None)
        except ValueError as error:
            raise UsageError(f"--dim {text.strip()}: {error}") from error
    return result


def parse_hints(
    texts: Sequence[str], dims: Mapping[str, Dim] | None = None
) -> dict[str, Any]:
    """The keyword `hints` of `dycl.compile`, if there are any flags `--hint`.

    UsageError: one cannot be read, or is of no size in `dims`; None: those that an
    exported program has are not known yet.
    """
    from dycl.driver.dynamic_shapes import with_hints
    from dycl.ir.input_sizes import InputSize

    hints: dict[str, list[int]] = {}
    for text in texts:
        match = _HINT.fullmatch(text)
        if match is None:
            raise UsageError(f"cannot read --hint '{text}'; write it like n=128,256")
        name, sizes = match.groups()
        hints.setdefault(name, []).extend(map(int, sizes.split(",")))
    if dims is not None:
        sizes = [InputSize(dim.name, dim.min, dim.max, ()) for dim in dims.values()]
        try:
            with_hints(sizes, hints)
        except ValueError as error:
            raise UsageError(f"--hint: {error}") from error
    return {"hints": hints} if hints else {}


_HINT = re.compile(r"\s*([A-Za-z_][\w.()]*)\s*=\s*(\d+(?:\s*,\s*\d+)*)\s*")


def example_size(low: int, high: int | None) -> int:
    """A size in range, for an input at random."""
    size = max(low, _USUAL)
    return size if high is None else min(size, high)


def with_numbers(
    source: InputSpec, ranges: Mapping[str, tuple[int, int | None]]
) -> InputSpec:
    """The spec with a size in range for each name. UsageError: a name has no range."""
    sizes: list[int] = []
    for size in source.shape:
        if isinstance(size, str):
            if size not in ranges:
                raise UsageError(
                    f"'{source}': '{size}' is not a size; if a call decides it, say "
                    f"which ones there are: --dim {size}=1..512"
                )
            size = example_size(*ranges[size])
        sizes.append(size)
    return InputSpec(source.dtype, tuple(sizes))


def dynamic_shapes(
    sources: Sequence[InputSpec | Path], dims: Mapping[str, Dim]
) -> dict[str, Any]:
    """The keyword `dynamic_shapes` of `dycl.compile`, if names of `dims` are used.

    UsageError: one is not.
    """
    shapes = tuple(
        None
        if isinstance(source, Path)
        else {d: dims[s] for d, s in enumerate(source.shape) if isinstance(s, str)}
        for source in sources
    )
    used = {dim.name for shape in shapes for dim in (shape or {}).values()}
    if unused := [name for name in dims if name not in used]:
        raise UsageError(
            f"--dim says what `{unused[0]}` is, which no --input has as a size"
        )
    return {"dynamic_shapes": shapes} if used else {}
