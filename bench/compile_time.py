"""What compiling costs: seconds by stage, lines of IR, kernels shared.

The scale run shows growth: gated blocks and exits in a row. 200 gated blocks have 2^200
paths; seconds and lines for each decision should stay what they are for 10.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import torch

import dycl
from bench.models import Exits, Gated, built

STAGES = ("source", "normal", "typed", "hcfg", "host", "kernels")
SIZES = (("gated blocks", Gated, (10, 50, 200)), ("exits", Exits, (50, 500)))
LONG = (("gated blocks", Gated, (1000,)),)


@dataclass
class Compilation:
    """One compilation, told by the driver as it goes (a `dycl.report.Listener`)."""

    network: str
    seconds: dict = field(default_factory=dict)
    total: float = 0.0
    net: Any = None

    def stage_started(self, name):
        """Nothing: the driver tells the time at the end."""

    def stage_done(self, name, seconds, detail):
        """Note the seconds of one stage."""
        self.seconds[name] = seconds

    def step_done(self, index, total, name, seconds):
        """Nothing: steps are a part of the stage `kernels`."""

    def lines(self, storey):
        """Lines of IR of a storey."""
        return self.net.stages[storey].count("\n")

    def row(self):
        """The table's row: seconds, lines, and kernels before and after sharing."""
        # Each kernel is outlined with the one launch that needs it, so launches are
        # what the number of kernels was before equal ones were shared.
        launches = self.net.stages["hcfg"].count("dycl.launch @")
        return {
            "network": self.network,
            **{name: self.seconds[name] for name in STAGES},
            "total": self.total,
            "decisions": len(self.net.decisions),
            "lines normal": self.lines("normal"),
            "hcfg": self.lines("hcfg"),
            "kernels before sharing": launches,
            "after": len(self.net.library.specs),
        }


def compile_case(name, model, inputs):
    """Compile a model for its first inputs: the `Compilation`, model and inputs."""
    compilation = Compilation(name)
    start = time.perf_counter()
    compilation.net = dycl.compile(model, inputs[0], listener=compilation)
    compilation.total = time.perf_counter() - start
    return compilation, model, inputs


def scale(sizes=SIZES, long=False):
    """Rows of the scale run; `long` adds 1,000 gated blocks."""
    torch.manual_seed(0)
    x = torch.randn(1, 4)
    rows = []
    for what, cls, counts in (*sizes, *(LONG if long else ())):
        for count in counts:
            done, *_ = compile_case(what, built(cls(count)), [(x,)])
            rows.append(scale_row(what, count, done))
    return rows


def scale_row(what, count, done):
    """One size: totals, and what each decision costs."""
    lines = done.lines("hcfg") + done.lines("host")
    return {
        "decisions in a row": what,
        "number": count,
        **{name: done.seconds[name] for name in STAGES},
        "total": done.total,
        "ms each": done.total * 1e3 / count,
        "lines normal": done.lines("normal"),
        "hcfg + host": lines,
        "each": lines / count,
        "kernels": len(done.net.library.specs),
    }
