"""What kernels cost: attributes that a measurement leaves, for passes to read.

func.func @k(..) attributes {dycl.kernel, dycl.times = {cpu = 9.0 : f64, mine = ..}}
%y = dycl.launch @k(%x) {dycl.runs = 2.5 : f64}
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, f64
from xdsl.ir import Operation

TIMES = "dycl.times"
"""On a kernel: microseconds of one launch, by the name of a backend."""

RUNS = "dycl.runs"
"""On a launch: how often a call of the network runs it, on average."""


def times_of(kernel: Operation) -> dict[str, float]:
    """The microseconds of a launch, by backend; {}: nobody has measured it."""
    times = kernel.attributes.get(TIMES)
    if not isinstance(times, DictionaryAttr):
        return {}
    return {
        name: time.value.data
        for name, time in times.data.items()
        if isinstance(time, FloatAttr)
    }


def set_times(kernel: Operation, times: Mapping[str, float]) -> None:
    """Note what a launch of a kernel takes."""
    kernel.attributes[TIMES] = DictionaryAttr(
        {name: FloatAttr(times[name], f64) for name in sorted(times)}
    )


def runs_of(launch: Operation) -> float | None:
    """How often a call runs a launch; None: nobody has counted."""
    runs = launch.attributes.get(RUNS)
    return runs.value.data if isinstance(runs, FloatAttr) else None
