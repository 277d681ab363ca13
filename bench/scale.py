"""How compiling grows with the number of decisions: `python -m bench --only scale`.

Gated blocks and exits in a row: n gated blocks have 2^n paths. Seconds, lines and bytes
for each decision should stay what they are for 10; kernels are shared, so their number
and the time that LLVM takes do not grow at all. Seconds are the processor's: what else
the machine does is not counted.

Each row is a process of its own, because a process has one peak of memory:

    python -m bench.scale "gated blocks" 1000        one row as JSON
"""

import json
import resource
import subprocess
import sys
import time

import torch

from bench.compile_time import compile_case
from bench.models import Exits, Gated, built
from bench.peers.keep import cpu_seconds

KINDS = {"gated blocks": Gated, "exits": Exits}
SIZES = (("gated blocks", (10, 100, 1000)), ("exits", (10, 100)))
LONG = (("gated blocks", (10, 100, 1000, 10_000)), ("exits", (10, 100, 1000)))


def rows(sizes):
    """The table's rows, in order. RuntimeError: a process failed, with what it said."""
    return [_in_process(kind, count) for kind, counts in sizes for count in counts]


def measure(kind, count):
    """One row: compile, and run once beside eager."""
    x = torch.randn(1, 4, generator=torch.Generator().manual_seed(0))
    model = built(KINDS[kind](count))
    cpu = -cpu_seconds()
    done, *_ = compile_case(kind, model, [(x,)])
    cpu += cpu_seconds()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    net = done.net
    net(x)  # weights are bound in the first run
    start = time.perf_counter()
    given = net(x)
    run = time.perf_counter() - start
    with torch.no_grad():
        start = time.perf_counter()
        eager = model(x)
        run_eager = time.perf_counter() - start
    return {
        "network": f"{count:,} {kind}",
        "passes": done.passes,
        "kernels": done.cpu["kernels"],
        "total": cpu,
        "ms a decision": cpu * 1e3 / count,
        "hcfg lines": done.lines("hcfg"),
        "host lines": done.lines("host"),
        "host.py lines": net.host_source.count("\n"),
        "compiled kernels": len(net.library.specs),
        "peak MiB": peak // 1024,
        "run ms": run * 1e3,
        "eager ms": run_eager * 1e3,
        "off by": (torch.as_tensor(given) - eager).abs().max().item(),
    }


def _in_process(kind, count):
    command = [sys.executable, "-m", "bench.scale", kind, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{count:,} {kind}:\n{done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
