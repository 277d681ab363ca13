"""Wrong PTX on purpose: how much of it the PTX machine and eager's values find.

    python test/unit/cuda/mutants.py                   all mutants of the kernels below
    python test/unit/cuda/mutants.py rows-softmax      of a case of test_templates
    python test/unit/cuda/mutants.py contraction-causal@90     as PTX for 9.0

A mutant is a kernel's PTX with one instruction changed or left out. It is caught if the
machine complains, or if a value is not eager's. Those that are not are printed.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

import torch
from ptx_machine import PtxError
from test_templates import CASES, EAGER, compiled, run, text_of

from dycl.kernels.cuda.building import tiles_of

NAMES = (
    *("rows-softmax", "rows-arg-of-nan", "rows-extremes", "movement-padded"),
    *("contraction-deep", "contraction-max-pool", "contraction-causal"),
    *("sequence-sums", "sequence-sorted", "sequence-put", "movement-table"),
)
ORDER = ("no barrier", "no wait", "no fence")
"""Mutants whose threads, copies or products would run into each other on a GPU."""
_MOST = 2e-5
"""How far from eager's a value may be, as in the templates' tests."""
_OTHER = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_OTHER |= {f"{a}u": f"{b}u" for a, b in _OTHER.items()}
_TWIN = {"add": "sub", "sub": "add", "min": "max", "max": "min", "and": "or"}


@dataclass(frozen=True)
class Mutant:
    """One changed line of a text."""

    kind: str
    number: int
    line: str
    """What it was."""
    new: str

    def text(self, whole: str) -> str:
        """The text with the change."""
        lines = whole.split("\n")
        lines[self.number] = self.new
        return "\n".join(lines)


def mutants_of(text: str) -> list[Mutant]:
    """All mutants of a text, in order."""
    found: list[Mutant] = []
    for number, line in enumerate(text.split("\n")):
        if not line.startswith("\t") or line.lstrip().startswith((".", "ld.param")):
            continue
        found += [Mutant(k, number, line, new) for k, new in _changes(line)]
    return found


def _changes(line):
    body = line.strip()
    if body.startswith("bar.sync"):
        yield "no barrier", ""
    if body.startswith(("wgmma.fence", "fence.proxy")):
        yield "no fence", ""
    if wait := re.match(r"(?:cp\.async|wgmma)\.wait_group\S*\s+(\d+)", body):
        yield "no wait", ""
        yield "wait for less", f"{line[: line.index(body)]}{_less(body, wait)}"
    if body.startswith("@"):
        negated = line.replace("@!", "@", 1)
        yield "other branch", negated if "@!" in line else line.replace("@", "@!", 1)
    if re.match(r"(@!?%p\d+ )?st\.", body):
        yield "no store", ""
    if match := re.search(r"\[(%\w+)(?:\+(\d+))?\]", line):
        at = int(match[2] or 0) + 4
        new = line.replace(match[0], f"[{match[1]}+{at}]", 1)
        yield "offset", new
    if (match := re.match(r"setp\.(\w+)\.", body)) and match[1] in _OTHER:
        new = line.replace(f"setp.{match[1]}", f"setp.{_OTHER[match[1]]}", 1)
        yield "comparison", new
    match = re.match(r"(\w+)\.", body)
    if match and match[1] in _TWIN and ".pred" not in body:
        yield "operation", line.replace(match[1], _TWIN[match[1]], 1)
    if match := re.match(r"(shl|shr|and|add|mul|mad|shfl)\b.*?, (-?\d+)[,;]", body):
        number = _other_number(match[1], int(match[2]))
        yield "number", re.sub(r", (-?\d+)(?=[,;])", f", {number}", line, count=1)


def _less(body: str, wait: re.Match[str]) -> str:
    """A wait that leaves one group more under way."""
    return f"{body[: wait.start(1)]}{int(wait[1]) + 1}{body[wait.end(1) :]}"


def _other_number(op: str, number: int) -> int:
    """One that has another effect: a mask may lack a bit, and a lane be one's own."""
    return {"and": number & (number - 1), "shfl": 0}.get(op, number + 1)


def others(inputs):
    """Three more inputs of these shapes: other numbers, ties that differ in size from
    row to row, and a NaN here and there if there was one. Integers may be indices: they
    come in another order."""
    for seed in range(3):
        random = torch.Generator().manual_seed(seed)
        yield [_other(x, seed, random) for x in inputs]


def _other(x, seed, random):
    if not x.is_floating_point():
        return x.flatten()[torch.randperm(x.numel(), generator=random)].view_as(x)
    numbers = torch.randn(x.shape, generator=random)
    if seed == 1:
        scales = 16.0 ** torch.randint(2, (*x.shape[:-1], 1), generator=random)
        numbers = (numbers * 4).round() / 4 * scales
    if seed == 2 and x.isnan().any():
        numbers[torch.rand(x.shape, generator=random) < 0.05] = float("nan")
    return numbers.to(x.dtype)


@dataclass(frozen=True)
class Call:
    """One input of a kernel, and what eager makes of it."""

    inputs: Sequence[torch.Tensor]
    expected: Sequence[torch.Tensor]
    tolerance: float
    """Twice as far as the kernel itself is off, at least."""


class Kernel:
    """A case of the templates' tests, compiled for 8.0, or for what stands behind @."""

    def __init__(self, name: str):
        name, _, architecture = name.partition("@")
        function, *inputs = CASES[name]
        text = text_of(re.sub(r"\W", "_", name), function, inputs)
        (self.program,) = tiles_of("module {\n" + text + "}\n", 120).programs
        functions = self.program.functions
        self.known = dict(
            zip(
                (f.name for f in functions),
                compiled(functions, int(architecture or 80)),
                strict=True,
            )
        )
        self.steps: list[int] = []
        eager = EAGER.get(name, function)
        self.calls = [self._call(eager, x) for x in (inputs, *others(inputs))]

    def _call(self, eager, inputs) -> Call:
        expected = eager(*inputs)
        if not isinstance(expected, tuple):
            expected = (expected,)
        found = run(self.program, self.known, inputs, steps=self.steps)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, _MOST)
        off = max(_off(one, other) for one, other in zip(found, expected, strict=True))
        return Call(inputs, expected, min(_MOST, 2 * off + 1e-7))

    def mutants(self):
        """Pairs of a function's name and a mutant of it."""
        for name, ptx in self.known.items():
            yield from ((name, mutant) for mutant in mutants_of(ptx.text))

    def survives(self, function: str, mutant: Mutant) -> bool:
        """Whether nobody notices."""
        ptx = self.known[function]
        changed = {**self.known, function: replace(ptx, text=mutant.text(ptx.text))}
        most = 4 * max(self.steps) + 1000
        try:
            for call in self.calls:
                found = run(self.program, changed, call.inputs, most=most)
                for one, other in zip(found, call.expected, strict=True):
                    assert_close(one, other, call.tolerance)
        except (PtxError, AssertionError):
            return False
        return True


def without_redundant(kernel: Kernel) -> list[tuple[str, Mutant]]:
    """Leave out, one after the other, each barrier, wait and fence that is not missed
    in the kernel as it is by then; which these are. Those that stay order the rest."""
    gone: list[tuple[str, Mutant]] = []
    for name in kernel.known:
        for mutant in mutants_of(kernel.known[name].text):
            if mutant.kind in ORDER and kernel.survives(name, mutant):
                ptx = kernel.known[name]
                kernel.known[name] = replace(ptx, text=mutant.text(ptx.text))
                gone.append((name, mutant))
    return gone


def assert_close(one, other, tolerance) -> None:
    """AssertionError: two tensors are further apart, by a number and by their sizes."""
    torch.testing.assert_close(
        one, other, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def _off(one, other) -> float:
    """How far apart two tensors are, by a number and by their sizes."""
    far = (one.double() - other.double()).abs() / (1 + other.double().abs())
    return float(far.nan_to_num().max())


def main(names) -> int:
    """Print what survives, and how many of each kind; 1: fewer than 95 % are caught."""
    made, caught = Counter(), Counter()
    for name in names or NAMES:
        kernel = Kernel(name)
        for function, mutant in kernel.mutants():
            made[mutant.kind] += 1
            if kernel.survives(function, mutant):
                print(
                    f"{function}:{mutant.number} {mutant.kind}: {mutant.line.strip()}"
                )
            else:
                caught[mutant.kind] += 1
        sys.stdout.flush()
    for kind, count in sorted(made.items()):
        print(f"{kind:16}{caught[kind]:6} of {count:5}{caught[kind] / count:8.1%}")
    share = caught.total() / made.total()
    print(f"{'all':16}{caught.total():6} of {made.total():5}{share:8.1%}")
    return int(share < 0.95)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
