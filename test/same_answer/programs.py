"""A random program: Python source, inputs, and thresholds that split the inputs."""

import linecache
import re
from dataclasses import dataclass, field
from itertools import count

_GATE = re.compile(r"«(\d+):(.*?)»")
_numbers = count()

FUNCTION_PRELUDE = '''\
def helper(a, b=2, c=1):
    """Two exits, defaults, and keywords."""
    if a > b:
        return a * c % 11
    total = c
    for k in range(3):
        if k == b:
            continue
        total += k * a % 5
    return total


'''

MODULE_PRELUDE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.scale = scale

    def forward(self, x, k=1):
        y = self.lin(x)
        if self.scale > 0.5:
            return torch.tanh(y) + x
        return y * self.scale * k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 0.75
        self.limit = 3
        self.widths = [1, 2, 3]
        self.lin = nn.Linear(3, 3)
        self.blocks = nn.ModuleList([Block(0.25), Block(0.75)])
        self.tail = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def shift(self, x, by=0.5, times=1):
        for _ in range(times):
            x = x + by * self.scale
        return x

"""


@dataclass
class Program:
    """Source with gates, and what it is run on.

    A gate is written `«k:expression»` and stands for `expression > threshold k`.
    """

    template: str
    gates: int
    inputs: list
    is_module: bool
    thresholds: list = field(default_factory=list)

    def __post_init__(self):
        self.thresholds = [0.0] * self.gates
        for gate in range(self.gates):
            self._calibrate(gate)
        self.name = f"<program {next(_numbers)}>"
        self.forward = self._load(self.source, {}, self.name)

    @property
    def source(self):
        """The program as a user would write it."""
        return self._render(lambda m: f"{m[2]} > {self.thresholds[int(m[1])]!r}")

    @property
    def text_with_inputs(self):
        """All that a program is: its weights are those of one seed."""
        shown = [
            tuple(v.tolist() if hasattr(v, "tolist") else v for v in values)
            for values in self.inputs
        ]
        return f"{self.source}\n# inputs: {shown}\n"

    def _repr_pretty_(self, printer, cycle):
        """How hypothesis shows a program that fails: as source."""
        printer.text(f"\n{self.text_with_inputs}")

    def run(self):
        """What eager Python gives, for each of the inputs."""
        return [call(self.forward, values) for values in self.inputs]

    def source_level(self):
        """The program as a module of the source level, and its weights by name."""
        from xdsl.dialects.builtin import f32

        from dycl.frontend import import_model
        from dycl.ir.torch import FloatT, IntT, VTensorType

        if not self.is_module:
            return import_model(self.forward, [IntT, FloatT]).module, {}
        imported = import_model(self.forward, [VTensorType.of([2, 3], f32)])
        return imported.module, imported.params

    def _render(self, gate):
        prelude = MODULE_PRELUDE if self.is_module else FUNCTION_PRELUDE
        return prelude + _GATE.sub(gate, self.template)

    def _load(self, source, extra, name):
        lines = source.splitlines(keepends=True)
        linecache.cache[name] = (len(source), None, lines, name)
        namespace = {"__name__": "generated", **extra}
        exec(compile(source, name, "exec"), namespace)
        if not self.is_module:
            return namespace["forward"]
        import torch

        torch.manual_seed(0)
        return namespace["Net"]().eval()

    def _calibrate(self, gate):
        """Put this gate's threshold between the values that reach it."""
        seen = []

        def ask(number, value):
            if number == gate:
                seen.append(float(value))
            return value > self.thresholds[number]

        source = self._render(lambda m: f"_gate({m[1]}, {m[2]})")
        forward = self._load(source, {"_gate": ask}, "<calibration>")
        for values in self.inputs:
            call(forward, values)
        finite = sorted({v for v in seen if abs(v) < 1e6})
        if len(finite) > 1:
            middle = len(finite) // 2
            self.thresholds[gate] = _between(finite[middle - 1], finite[middle])


def call(forward, values):
    """Run eagerly, without gradients when there are tensors."""
    if any(hasattr(v, "dtype") for v in values):
        import torch

        with torch.no_grad():
            return forward(*[v.clone() for v in values])
    return forward(*values)


def _between(low, high):
    """A short number strictly between the two."""
    for digits in range(17):
        short = round((low + high) / 2, digits)
        if low < short < high:
            return short
    return low
