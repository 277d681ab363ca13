"""What kernels take of a GPU, by `ptxas`, which the Triton wheel brings.

python -m bench.ptx_table            print the table: registers, spills, shared memory
python -m bench.ptx_table --write    write docs/speed/registers.md

PTX is what the runtime gives the driver: that for 9.0 on 9.0, that for 8.0 on all
others. The exit status is 1 if a function spills registers.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

PAGE = Path(__file__).resolve().parent.parent / "docs" / "speed" / "registers.md"
HEAD = """# What CUDA kernels take

Registers of a thread and shared memory of a block, by NVIDIA's assembler: `python -m \
bench.ptx_table --write` writes this page. No GPU has a part in it.
"""
CHIPS = (80, 90, 100)


@dataclass(frozen=True)
class Taken:
    """What one function takes of one chip."""

    registers: int
    """Of a thread."""
    spilled: int
    """Bytes."""
    stack: int
    """Bytes."""


def assembled(text: str, chip: int) -> Taken:
    """What PTX takes of a chip. CalledProcessError: `ptxas` takes it for wrong."""
    import triton

    folder = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    name = "sm_90a" if ".target sm_90a" in text else f"sm_{chip}"
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "kernel.ptx"
        source.write_text(text, encoding="utf-8")
        output = str(Path(work) / "kernel.cubin")
        command = [str(folder / "ptxas"), "-v", f"-arch={name}", str(source)]
        done = subprocess.run(
            [*command, "-o", output],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

    def number(pattern: str) -> int:
        found = [int(n) for n in re.findall(pattern, done.stderr)]
        assert found, done.stderr
        return sum(found)

    return Taken(
        number(r"Used (\d+) registers"),
        number(r"(\d+) bytes spill (?:stores|loads)"),
        number(r"(\d+) bytes stack frame"),
    )


class Product(nn.Module):
    """A product of matrices, with a bias and an activation."""

    def forward(self, x, w, b):
        return F.gelu(F.linear(x, w, b))


class Convolution(nn.Module):
    """A convolution, with an activation."""

    def forward(self, x, w):
        return F.conv2d(x, w, padding=1).relu()


class Depthwise(nn.Module):
    """A convolution of each channel alone."""

    def forward(self, x, w):
        return F.conv2d(x, w, padding=1, groups=256)


class Attention(nn.Module):
    """Attention, causal."""

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Softmax(nn.Module):
    """Softmax of rows."""

    def forward(self, x):
        return x.softmax(-1)


class Norm(nn.Module):
    """A norm of rows."""

    def forward(self, x):
        return F.layer_norm(x, (768,))


class Sum(nn.Module):
    """A long sum."""

    def forward(self, x):
        return x.sum()


class Columns(nn.Module):
    """Sums of columns."""

    def forward(self, x):
        return x.sum(0)


class Sort(nn.Module):
    """A sort, with places."""

    def forward(self, x):
        return x.sort(-1)


class Selection(nn.Module):
    """The greatest of rows, with places."""

    def forward(self, x):
        return x.topk(2, -1)


class Scan(nn.Module):
    """Running sums."""

    def forward(self, x):
        return x.cumsum(-1)


class Scatter(nn.Module):
    """Sums at places that a run tells."""

    def forward(self, x, i, y):
        return x.scatter_add(0, i, y)


def _many(*shape):
    return torch.zeros(shape)


_LONG = torch.zeros(4096, 256, dtype=torch.int64)
_IMAGE = _many(1, 256, 56, 56)
SUBJECTS = {
    "product, 2048 x 2048 x 2048": (
        *(Product(), _many(2048, 2048), _many(2048, 2048), _many(2048)),
    ),
    "product, 8 x 4096 x 4096": (
        *(Product(), _many(8, 4096), _many(4096, 4096), _many(4096)),
    ),
    "convolution 3x3, 64 channels, 56x56": (
        *(Convolution(), _many(1, 64, 56, 56), _many(64, 64, 3, 3)),
    ),
    "depthwise 3x3, 256 channels, 56x56": (Depthwise(), _IMAGE, _many(256, 1, 3, 3)),
    "attention, 8 heads of 64, 512 tokens": (
        *(Attention(), *[_many(1, 8, 512, 64)] * 3),
    ),
    "attention, 8 heads of 128, 512 tokens": (
        *(Attention(), *[_many(1, 8, 512, 128)] * 3),
    ),
    "softmax, 4096 rows of 1024": (Softmax(), _many(4096, 1024)),
    "norm, 512 rows of 768": (Norm(), _many(512, 768)),
    "sum of 16 million": (Sum(), _many(1 << 24)),
    "sums of columns, 4096 x 4096": (Columns(), _many(4096, 4096)),
    "sort, 64 rows of 1000": (Sort(), _many(64, 1000)),
    "two greatest, 64 rows of 64": (Selection(), _many(64, 64)),
    "running sums, 64 rows of 4096": (Scan(), _many(64, 4096)),
    "scattered sums, 4096 x 256": (
        *(Scatter(), _many(1024, 256), _LONG, _many(4096, 256)),
    ),
}


def rows():
    """Each function: its kernel, number, warps, shared memory, and what it takes."""
    import dycl
    from dycl.kernels.cuda import CudaBackend

    for title, (model, *inputs) in SUBJECTS.items():
        net = dycl.compile(model.eval(), tuple(inputs), backend="cuda")
        library = CudaBackend().compile(net.kernel_stages["torch"])
        codes = {n: library.codes(n) for n in (80, 90)}
        for kernel, of_90 in zip(codes[80], codes[90], strict=True):
            pairs = zip(kernel.functions, of_90.functions, strict=True)
            for number, (old, new) in enumerate(pairs, start=1):
                taken = [assembled((new if c == 90 else old).ptx, c) for c in CHIPS]
                yield title, number, old.warps, (old.shared, new.shared), taken


def main(argv):
    """Print or write the table; the exit status."""
    chips = " | ".join(f"{c // 10}.{c % 10}" for c in CHIPS)
    lines = [
        f"| function | warps | shared memory, KiB | registers on {chips} |",
        f"| --- | ---: | ---: |{' ---: |' * len(CHIPS)}",
    ]
    spills = 0
    for title, number, warps, shared, taken in rows():
        spills += sum(t.spilled for t in taken)
        kept = " to ".join(f"{n / 1024:.3g}" for n in dict.fromkeys(shared))
        counts = " | ".join(
            f"{t.registers}" + (f" ({t.spilled} B spilled)" if t.spilled else "")
            for t in taken
        )
        name = title if number == 1 else f"the same, function {number}"
        lines.append(f"| {name} | {warps} | {kept} | {counts} |")
    table = "\n".join(lines)
    print(table)
    if "--write" in argv:
        PAGE.write_text(f"{HEAD}\n{table}\n", encoding="utf-8")
    return int(spills > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
