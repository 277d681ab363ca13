"""`dycl-opt --same-answer`: which pass is the first that changes what a program means?

The program is run by the interpreter before the first pass and after each one. Its
arguments are given as for `dycl-run --args`, or drawn: some inputs for each type,
zeros among them. Weights come from a file, or are drawn by the shapes in the program.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from dycl.diag import PassFailed
from dycl.ir import ParamOp, host
from dycl.ir.attributes import ParamAttr
from dycl.ir.dtypes import torch_dtype
from dycl.ir.host.types import dtype_of
from dycl.ir.interpreter import InterpreterError, UnsupportedReached
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.torch import BoolT, FloatT, IntT, TensorType
from dycl.ir.verify import attributes_of
from dycl.ir.walking import walk
from dycl.tools.same import Outcome, decision_places, difference, run_program
from dycl.tools.usage import UsageError

_SCALES = (1.0, 10.0, 0.0, -3.0)
"""What drawn inputs are multiplied by."""
_DRAWN: dict[Attribute, tuple[Any, ...]] = {
    IntT: (1, 3, 0, 7),
    FloatT: (0.5, -2.0, 0.0, 9.0),
    BoolT: (True, False) * 2,
}
_NOT_RUN = (InterpreterError, NotEvaluated, UnsupportedReached)


class SameAnswer:
    """The answers of a program before any pass."""

    def __init__(self, module: ModuleOp, args: str, weights: Path | None, tol: float):
        """`args`: a JSON list, or "" to draw some. UsageError: it cannot be run."""
        self._entry, types = entry_of(module)
        self._weights = _weights(module, weights)
        self._inputs = [json_inputs(args, types)] if args else _drawn(types)
        self._tolerance = tol
        self._places = decision_places(module)
        self._before = [self._run(module, values) for values in self._inputs]
        for outcome in self._before:
            if isinstance(outcome.error, _NOT_RUN):
                raise UsageError(f"the program cannot be run: {outcome.error}")

    def check(self, done: str, module: ModuleOp) -> None:
        """PassFailed (DY293): the answers are others now."""
        for inputs, before in zip(self._inputs, self._before, strict=True):
            after = self._run(module, inputs)
            change = difference(before, after, self._tolerance, self._places)
            if change is not None:
                raise PassFailed(
                    f"{done} changed what the program computes: {change}",
                    notes=[f"the arguments are {inputs!r}"],
                    hint="write the program before it by --print-ir-before",
                    code="DY293",
                )

    def _run(self, module: ModuleOp, inputs: Sequence[Any]) -> Outcome:
        copies = [v.clone() if hasattr(v, "clone") else v for v in inputs]
        weights = {name: value.clone() for name, value in self._weights.items()}
        try:
            return run_program(module, copies, weights, self._entry)
        except _NOT_RUN as error:
            return Outcome(None, error)


def entry_of(module: ModuleOp, name: str | None = None) -> tuple[str, list[Attribute]]:
    """The function to run, and the types of its arguments; of any level.

    UsageError: there is none of that name, or none that is marked.
    """
    by_name: dict[str, list[Attribute]] = {}
    for op in module.ops:
        if isinstance(op, FuncOp):
            types = list(op.function_type.inputs)
        elif isinstance(op, host.FuncOp):
            types = [argument.type for argument in op.body.block.args]
        else:
            continue
        by_name[op.sym_name.data] = types
        if name is None and ("dycl.entry" in op.attributes or op.name == "host.func"):
            return op.sym_name.data, types
    if name is None and "forward" in by_name:
        name = "forward"
    if name not in by_name:
        names = ", ".join(f"@{item}" for item in by_name) or "none"
        wanted = "marked `dycl.entry`" if name is None else f"@{name}"
        raise UsageError(f"there is no function {wanted}; functions: {names}")
    return name, by_name[name]


def json_inputs(text: str, types: Sequence[Attribute]) -> list[Any]:
    """The arguments in a JSON list, tensors where the function wants them.

    UsageError: no JSON list, or a tensor of another shape.
    """
    try:
        given: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"--args is not JSON: {error}") from error
    if not isinstance(given, list):
        raise UsageError("--args must be a list, one item for each argument")
    wanted = [*types, *[None] * len(given)]
    return [_value(g, t) for g, t in zip(given, wanted, strict=False)]


def _value(given: Any, wanted: Attribute | None) -> Any:
    if (kind := _kind(wanted)) is None:
        return given
    import torch

    dtype, sizes = kind
    tensor = torch.tensor(given, dtype=dtype)
    shape = tuple(tensor.shape)
    if sizes is not None and not (
        len(shape) == len(sizes)
        and all(size in (-1, got) for got, size in zip(shape, sizes, strict=True))
    ):
        raise UsageError(f"--args has a tensor of {shape} for {wanted}")
    return tensor


def _kind(wanted: Attribute | None) -> tuple[Any, tuple[int, ...] | None] | None:
    """torch's dtype and the sizes of a tensor type; None: it is none."""
    if isinstance(wanted, TensorType):
        element, sizes = wanted.element_type(), wanted.sizes()
        dtype = None if element is None else torch_dtype(element)
        return dtype, None if sizes is None else tuple(sizes)
    if isinstance(wanted, MemRefType):
        import torch

        return getattr(torch, dtype_of(wanted)), tuple(wanted.get_shape())
    return None


def _drawn(types: Sequence[Attribute]) -> list[list[Any]]:
    """Arguments of these types. UsageError: a type says too little."""
    import torch

    generator = torch.Generator().manual_seed(0)
    rows: list[list[Any]] = []
    for number, scale in enumerate(_SCALES):
        row: list[Any] = []
        for wanted in types:
            kind = _kind(wanted)
            if kind is None and wanted in _DRAWN:
                row.append(_DRAWN[wanted][number])
            elif kind is None or kind[0] is None or kind[1] is None or -1 in kind[1]:
                raise UsageError(
                    f"--same-answer cannot draw an argument of type {wanted}: give "
                    "--args='[..]', a JSON list"
                )
            else:
                drawn = torch.randn(kind[1], generator=generator) * scale
                row.append(_as(drawn, kind[0]))
        rows.append(row)
    return rows


def _as(drawn: Any, dtype: Any) -> Any:
    """Numbers as elements of a dtype; integers are indices, so not below zero."""
    return (drawn if dtype.is_floating_point else drawn.abs()).to(dtype)


def _weights(module: ModuleOp, file: Path | None) -> Mapping[str, Any]:
    """The weights in a file, or drawn for each parameter that the program names."""
    import torch

    if file is not None:
        return read_weights(file)
    generator = torch.Generator().manual_seed(1)
    result: dict[str, Any] = {}
    for path, dtype, sizes in sorted(_params(module), key=lambda one: one[0]):
        drawn = torch.randn(sizes, generator=generator) * 0.3
        result[path] = _as(drawn, dtype)
    return result


def read_weights(file: Path) -> Mapping[str, Any]:
    """The tensors of a safetensors file, by name. UsageError: it is none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except FileNotFoundError:
        raise UsageError(f"there is no file '{file}'") from None
    except SafetensorError as error:
        raise UsageError(f"'{file}' is not a safetensors file: {error}") from error


def _params(module: ModuleOp) -> set[tuple[str, Any, tuple[int, ...]]]:
    result: set[tuple[str, Any, tuple[int, ...]]] = set()
    for op in walk(module):
        if isinstance(op, ParamOp | host.ParamOp):
            kind = _kind(op.result.type)
            if kind is not None and kind[0] is not None and kind[1] is not None:
                result.add((op.path.data, kind[0], kind[1]))
        for attribute in attributes_of(op):
            if isinstance(attribute, ParamAttr):
                sizes = tuple(size.value.data for size in attribute.shape)
                result.add((attribute.path.data, torch_dtype(attribute.dtype), sizes))
    return result
