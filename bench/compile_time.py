"""What compiling costs: seconds by stage, lines of IR, kernels shared.

`again` is what the second process pays that compiles a network: seconds of CPU, imports
of the compiler included, while torch and the model are there before.
"""

import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import dycl
from bench.peers.keep import cpu_seconds

PASSES = ("source", "normal", "typed", "hcfg", "host")
"""What DyCL does to a program itself, with what it asks of torch on the way."""
STAGES = (*PASSES, "kernels", "native host", "weights")


@dataclass
class Compilation:
    """One compilation, told by the driver as it goes (a `dycl.report.Listener`)."""

    network: str
    seconds: dict = field(default_factory=dict)
    cpu: dict = field(default_factory=dict)
    """Seconds of CPU, whatever else the machine does."""
    total: float = 0.0
    net: Any = None

    def stage_started(self, name):
        """Start the clock of this process; the driver has the other one."""
        self.cpu[name] = -cpu_seconds()

    def stage_done(self, name, seconds, detail):
        """Note the seconds of one stage."""
        self.seconds[name] = seconds
        self.cpu[name] += cpu_seconds()

    def step_done(self, index, total, name, seconds):
        """Nothing: steps are a part of the stage `kernels`."""

    def lines(self, level):
        """Lines of IR of a level."""
        return self.net.stages[level].count("\n")

    def row(self):
        """Seconds by stage; of all CPU seconds in stages, those of the passes."""
        seconds = {name: self.seconds[name] for name in STAGES}
        share = self.passes / sum(self.cpu.values())
        return {
            "network": self.network,
            **seconds,
            "total": self.total,
            "passes %": 100 * share,
        }

    @property
    def passes(self):
        """Seconds of CPU in the stages of the passes."""
        return sum(self.cpu[name] for name in PASSES)

    def sizes(self):
        """Lines of IR by level, decisions, and kernels before and after sharing."""
        # Each kernel is outlined with the one launch that needs it, so launches are
        # what the number of kernels was before equal ones were shared.
        launches = self.net.stages["hcfg"].count("dycl.launch @")
        return {
            "network": self.network,
            **{level: self.lines(level) for level in self.net.stages},
            "decisions": len(self.net.decisions),
            "kernels before sharing": launches,
            "after": len(self.net.library.specs),
        }


def compile_case(name, model, inputs):
    """Compile a model for its first inputs: the `Compilation`, model and inputs.

    No kernel comes from the cache.
    """
    compilation = Compilation(name)
    start = time.perf_counter()
    compilation.net = dycl.compile(model, inputs[0], listener=compilation, cache=False)
    compilation.total = time.perf_counter() - start
    return compilation, model, inputs


def again(place, names, full_size):
    """Seconds of CPU to compile case `place` of `networks.chosen`, in a process of its
    own, with the caches of the process before."""
    command = [sys.executable, "-m", "bench.compile_time", str(place), *names]
    command += ["--full-size"] * full_size
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _main(place, *names):
    from bench.networks import chosen

    full_size = "--full-size" in names
    known = [name for name in names if name != "--full-size"]
    _, model, inputs = chosen(known, full_size)[int(place)]
    spent = -cpu_seconds()
    dycl.compile(model, inputs[0])
    print(spent + cpu_seconds())


if __name__ == "__main__":
    _main(*sys.argv[1:])
