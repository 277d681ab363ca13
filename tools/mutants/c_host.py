"""The C host under AddressSanitizer, which opens mutants of its weights and runs.

    python -m tools.mutants.c_host --count 10000

It is built of the C texts of an artifact and the object code of its kernels. A mutant
is opened and run, or `dycl_why` says why not; a read outside of memory ends the run.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import torch
from torch import nn

import dycl
from dycl.runtime.manifest import WEIGHTS
from dycl.toolchain import find_compiler
from tools.mutants.edits import edited_weights

_SANITIZE = (
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-fno-sanitize=alignment", "-g", "-O1", "-w", "-std=gnu11"),
)
"""Not of alignment: kernels and hosts read words of files where they lie."""

_MAIN = """
#include "dycl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    static char path[4096];
    static float input[1 << 16] __attribute__((aligned(64)));
    while (fgets(path, sizeof path, stdin) != NULL) {
        path[strcspn(path, "\\n")] = 0;
        dycl_net *net = dycl_open(path);
        if (net != NULL) {
            net->inputs[0].tensor = input;
            printf("ran: %d\\n", dycl_run(net));
        } else {
            printf("%s\\n", dycl_why());
        }
        dycl_destroy(net);
    }
    return 0;
}
"""


class Net(nn.Module):
    """Weights that are prepared, and some that are read."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.fc = nn.Linear(16, 5)
        self.scale = nn.Parameter(torch.ones(5))

    def forward(self, x):
        y = self.fc(self.conv(x).relu().mean((2, 3)))
        if y.sum() > 0:
            return y * self.scale
        return y


def can_sanitize():
    """Whether there is a compiler that has the sanitizer, and what it makes runs."""
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "a.c").write_text("int main(void) { return 0; }")
        return _compiled(at, ["a.c"]) and not subprocess.run([at / "run"]).returncode


def _compiled(at, sources):
    compiler = find_compiler()
    if compiler is None:
        return False
    command = [*compiler.command, *_SANITIZE, *sources, "-o", "run", "-lm"]
    return not subprocess.run(command, cwd=at, capture_output=True).returncode


def build(at):
    """Make the program `run` in a folder; the bytes of the weights."""
    torch.manual_seed(0)
    net = dycl.compile(Net().eval(), (torch.randn(1, 3, 8, 8),))
    net.save(at / "net", folder=True)
    texts = [*(at / "net").glob("*.[ch]"), *(at / "net").glob("*/host.c")]
    for path in texts:
        (at / path.name).write_bytes(path.read_bytes())
    names = net.native.program.names.items()
    defines = [f"#define {n} {net.library.symbols[s]}\n" for n, s in names]
    host = (at / "host.c").read_text()
    (at / "host.c").write_text("".join(defines) + host)
    (at / "main.c").write_text(_MAIN)
    objects = []
    for number, code in enumerate(net.library.objects().values()):
        objects.append(f"kernel{number}.o")
        (at / objects[-1]).write_bytes(code)
    assert _compiled(at, ["main.c", "host.c", "dycl.c", *objects])
    return (at / "net" / WEIGHTS).read_bytes()


def said_of(at, weights, seeds):
    """What the program says of each mutant of the weights.

    RuntimeError: it ended early, with what the sanitizer says.
    """
    paths = []
    for seed in seeds:
        paths.append(at / f"{seed}.safetensors")
        paths[-1].write_bytes(edited_weights(weights, random.Random(seed)))
    lines = "".join(f"{path}\n" for path in paths)
    done = subprocess.run(
        [at / "run"], input=lines, capture_output=True, text=True, errors="replace"
    )
    for path in paths:
        path.unlink()
    said = done.stdout.splitlines()
    if done.returncode or len(said) != len(paths):
        raise RuntimeError(f"mutant {seeds[len(said)]}: {done.stderr[-4000:]}")
    return said


def main():
    """Run; the exit status."""
    parser = argparse.ArgumentParser("python -m tools.mutants.c_host")
    parser.add_argument("--count", type=int, default=1000)
    count = parser.parse_args().count
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        weights = build(at)
        for start in range(0, count, 500):
            seeds = range(start, min(start + 500, count))
            for line in said_of(at, weights, seeds):
                counts["opened, and ran" if line.startswith("ran:") else "refused"] += 1
    print(", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
