"""A kernel backend in a package of its own: elementwise and dense ops in C."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from dycl.diag import CodedError
from dycl.ir.claims import COMPOSITE, Pattern
from dycl.ir.torch import ConstantOp
from dycl.kernels import KernelSpec, Progress, specs_of
from dycl.kernels.c_source import CKernel, c_library
from dycl.kernels.specs import TensorSpec, input_spec
from dycl.kernels.texts import kernels_in, parse_kernels

LINEAR = "torch.aten.linear"
ELEMENTWISE = {
    "torch.aten.add.Tensor": "{0} + {1} * {2}",
    "torch.aten.add.Scalar": "{0} + {1} * {2}",
    "torch.aten.sub.Tensor": "{0} - {1} * {2}",
    "torch.aten.sub.Scalar": "{0} - {1} * {2}",
    "torch.aten.mul.Tensor": "{0} * {1}",
    "torch.aten.mul.Scalar": "{0} * {1}",
    "torch.aten.div.Tensor": "{0} / {1}",
    "torch.aten.neg": "-{0}",
    "torch.aten.relu": "({0} <= 0 ? 0 : {0})",  # NaN stays NaN, as in eager
    "torch.aten.exp": "expf({0})",
    "torch.aten.tanh": "tanhf({0})",
    "torch.aten.sigmoid": "1 / (1 + expf(-{0}))",
}
"""Op -> an element of its result in C, of those of its operands."""


class ToyBackend:
    """Kernels of f32 tensors in C: a loop for each op, three for a dense layer."""

    PATTERNS: ClassVar[tuple[Pattern, ...]] = (
        Pattern(
            "dense_relu",
            (LINEAR, "torch.aten.relu"),
            lambda ops: cannot_take(ops[0]) or cannot_take(ops[1]),
        ),
    )
    key = "toy 0.1.0"
    """What decides the answers of `cannot_take`; without it, programs aren't cached."""

    def __init__(self, target: str, cache: bool = True, **_: Any):
        self.target, self.cache = target, cache

    def cannot_take(self, op: Operation) -> str | None:
        """Why an op is left to DyCL's own code; None: it is not."""
        return cannot_take(op)

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> Any:
        """All kernels of a module; see `dycl.kernels.KernelBackend`."""
        module = parse_kernels(module_text)
        found = specs_of(module)
        kernels = {name: _Kernel(f).write() for name, f in kernels_in(module).items()}
        library = c_library(found, kernels, self.target, self.cache)
        for count, spec in enumerate(found, start=1):
            if progress is not None:
                progress(count, len(found), spec.name, False)
        return library

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """What it has taken it can compile."""
        return [None] * len(module_texts)


def cannot_take(op: Operation) -> str | None:
    """Why the toy engine cannot take an op; None: it can."""
    if op.name != LINEAR and op.name not in ELEMENTWISE:
        return f"`{op.name.removeprefix('torch.')}` is not in its table"
    operands = [v for v in op.operands if not isinstance(v.owner, ConstantOp)]
    owners = [v.owner for v in op.operands]
    numbers = [o.python_value() for o in owners if isinstance(o, ConstantOp)]
    if any(isinstance(n, float) and not math.isfinite(n) for n in numbers):
        return "an infinite number"
    specs = [_spec(value) for value in (*operands, *op.results)]
    if any(spec is None for spec in specs):
        return "it computes f32 tensors of known sizes only"
    *given, made = (spec.shape for spec in specs if spec is not None)
    if op.name == LINEAR:
        return None if len(given[1]) == 2 else "a vector of weights"
    if any(shape != made[len(made) - len(shape) :] for shape in given):
        return "an operand is repeated in its last dimensions"
    return None


def _spec(value: SSAValue) -> TensorSpec | None:
    """What a tensor is; None: nothing for the toy engine."""
    try:
        spec = input_spec(str(value.type))
    except ValueError:
        return None
    fits = isinstance(spec, TensorSpec) and not spec.open_dims
    return spec if fits and spec.dtype == "float32" else None


class _Kernel:
    """A kernel that is being written: a buffer for each value, a loop for each op."""

    def __init__(self, function: FuncOp):
        self.block = function.body.block
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self.workspace = 0
        dense = [op for op in self.block.ops if op.name == LINEAR]
        self.fused = {_user(op) for op in dense if COMPOSITE in op.attributes}
        """The ops that a dense layer computes with its own."""

    def write(self) -> CKernel:
        end = self.block.last_op
        assert isinstance(end, ReturnOp)
        for index, argument in enumerate(self.block.args):
            self.names[argument] = f"in{index}"
        for index, value in enumerate(end.operands):
            self.names.setdefault(value, f"out{index}")
        for op in self.block.ops:
            if op.name == LINEAR:
                self._dense(op)
            elif op.name in ELEMENTWISE and op not in self.fused:
                self._elementwise(op)
        for index, value in enumerate(end.operands):
            if self.names[value] != f"out{index}":  # given twice
                size = 4 * _count(value)
                line = f"memcpy(out{index}, {self.names[value]}, {size});"
                self.lines.append(line)
        given = [f"const float *in{i}" for i in range(len(self.block.args))]
        given += [f"float *restrict out{i}" for i in range(len(end.operands))]
        given += ["char *workspace"] * (self.workspace > 0)
        body = "\n    ".join(self.lines)
        head = "#include <math.h>\n#include <string.h>\n"
        text = f"{head}void kernel({', '.join(given)}) {{\n    {body}\n}}"
        return CKernel(text, self.workspace)

    def _buffer(self, value: SSAValue) -> str:
        """Where a value is put: its output, or a place in the workspace."""
        if value not in self.names:
            self.names[value] = name = f"v{len(self.names)}"
            place = f"(float *)(workspace + {self.workspace})"
            self.lines.append(f"float *{name} = {place};")
            self.workspace += -(-4 * _count(value) // 64) * 64
        return self.names[value]

    def _elementwise(self, op: Operation) -> None:
        count = _count(op.results[0])
        out = self._buffer(op.results[0])
        element = ELEMENTWISE[op.name].format(*map(self._element, op.operands))
        self.lines.append(f"for (long i = 0; i < {count}; i++) {out}[i] = {element};")

    def _element(self, value: SSAValue) -> str:
        if isinstance(value.owner, ConstantOp):
            return f"({float(value.owner.python_value())!r}f)"
        return f"{self.names[value]}[i % {_count(value)}]"

    def _dense(self, op: Operation) -> None:
        x, weight, bias = op.operands
        result = _user(op).results[0] if COMPOSITE in op.attributes else op.results[0]
        rows, (columns, depth) = _count(x) // _shape(weight)[1], _shape(weight)
        start = "0" if bias not in self.names else f"{self.names[bias]}[j]"
        end = "sum <= 0 ? 0 : sum" if result is not op.results[0] else "sum"
        out, x_name, w_name = self._buffer(result), self.names[x], self.names[weight]
        self.lines.append(
            f"for (long i = 0; i < {rows}; i++) for (long j = 0; j < {columns}; j++) {{"
            f" float sum = {start}; for (long k = 0; k < {depth}; k++)"
            f" sum += {x_name}[i * {depth} + k] * {w_name}[j * {depth} + k];"
            f" {out}[i * {columns} + j] = {end}; }}"
        )


def _user(op: Operation) -> Operation:
    return next(iter(op.results[0].uses)).operation


def _shape(value: SSAValue) -> tuple[int, ...]:
    spec = _spec(value)
    assert spec is not None
    return spec.shape


def _count(value: SSAValue) -> int:
    return math.prod(_shape(value))
