"""How to compile: one frozen dataclass; every field is also a flag of `dycl`."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

HOSTS = ("auto", "native", "python")
TARGETS = ("native", "x86-64-v4", "x86-64-v3")
"""Processors, by the names of `dycl.runtime.targets`; the fastest first."""
_LIST = ", ".join(TARGETS)

AUTO = "auto"
"""What is asked for instead of a backend where each kernel gets the fastest one."""

WEIGHT_DTYPES = ("f32", "bf16")
"""Forms in which weights may be kept."""

MATMUL_DTYPES = ("f32", "bf16", "tf32")
"""What products of matrices may be computed from."""

MOST_THREADS = 64

_BESIDE = ("dynamic_shapes", "hints", "kwargs", "listener", "options", "profile")
"""What `dycl.compile` is given by keyword besides these."""


@dataclass(frozen=True)
class CompileOptions:
    """What the driver needs to know besides the model and its inputs.

    ValueError: a number is out of range.
    """

    keep: Path | str | None = None
    """Folder that gets the program at every stage, as numbered files; None: nowhere."""

    max_trip_count: int = 100_000
    """Loops with at most this many known iterations are unrolled."""

    max_unrolled: int = 256
    """Loops over a range, or the rows of a tensor, with more known iterations than this
    stay loops, as long as their iterations are alike."""

    max_iterations: int | None = None
    """Most iterations of one run of a loop whose length the input decides; None: any.

    One more raises `dycl.runtime.IterationLimit`, which names the loop's line.
    """

    max_recursion: int = 1000
    """Most calls of a function in itself that may be open at once, where the data ends
    its recursion. One more raises `dycl.runtime.RecursionLimit`, which names its line.
    """

    batch_trees: bool = False
    """Whether kernels of a recursion that the data ends run for several of its calls at
    once, where the host is native: those that wait for no other, as all leaves do.
    Results differ from those of single calls by the rounding of sums."""

    pipeline: str = "default"
    """The passes and phases to run, as text: "normalise,my-pass{limit=3},type,...".
    Each level is reached at the pass that checks it, the last of its phase."""

    without: tuple[str, ...] = ()
    """Passes to leave out of the pipeline, by name; also steps of the kernels, the
    `OPTIONAL_STEPS` of their backend."""

    verify: bool = False
    """Check the IR after every pass, and that every op still leads to a source line."""

    host: str = "auto"
    """What runs the decisions: "native", compiled from C; "python", the printed text;
    "auto", native code where it can be made."""

    backend: str = "cpu"
    """What computes the kernels: the name of a backend that is installed; "auto": for
    each kernel the one with which calls are fastest on this machine, as timed;
    "cuda,cpu": code for a GPU and for the processor, of which the first runs that the
    machine can run, where the network is loaded; "cuda+onnxruntime": kernels are
    divided, each goes to the first of these that takes it, or else to "cpu"."""

    target: str | Sequence[str] = "native"
    """The processor: "native", the one of this machine with all that it has;
    "x86-64-v3" (AVX2); "x86-64-v4" (AVX-512). Several, in a list or with commas
    between them: the artifact has code for each, and the best that it can run is taken
    where it is loaded."""

    cache: bool = True
    """Whether programs and kernels that were compiled before are looked for, and left,
    in the cache on disk."""

    threads: int = 1
    """How many threads share the work of a large kernel; the native host starts them.
    Results are the same, bit by bit. The Python host has one. With rows, threads share
    the rows of a call instead, and groups may be others, unless large weights are read:
    then they share kernels, too."""

    weight_dtype: str = "f32"
    """How f32 weights are kept: "f32", as they are; "bf16", rounded to 8 bits where a
    product reads each of them once, as with a single row, which then takes half the
    time. What that changes on the example inputs is in the result's `narrowing`."""

    matmul_dtype: str = "f32"
    """From what products are computed: "f32"; "bf16", both factors of products of
    matrices with weights rounded to 8 bits and products summed in f32, in half the time
    on a processor with AVX512-BF16: others are refused; "tf32", both factors of
    products and convolutions cut to 11 bits, with backend="cuda" alone. What that
    changes on the example inputs is in the result's `narrowing`."""

    whole_graph: bool = False
    """Whether a network that a GPU cannot run as one CUDA graph is refused (DY507), at
    the line that is in the way; if not, its longest parts are graphs."""

    tuning: Path | str | None = None
    """A file that `dycl tune` has written: how products are cut was timed on the user's
    own GPU. Another backend than "cuda" refuses it."""

    kernel_timeout: float = 1800.0
    """Seconds that the compiler may take for one kernel: one that takes longer is
    refused (DY502), with its lines. `math.inf`: any time."""

    def __post_init__(self) -> None:
        """Refuse what no pass could honour."""
        if self.host not in HOSTS:
            raise ValueError(f"host is '{self.host}', not one of {', '.join(HOSTS)}")
        for target in self._listed() or ("",):
            if target not in TARGETS:
                raise ValueError(f"target is '{target}', not one of {_LIST}")
        if self.weight_dtype not in WEIGHT_DTYPES:
            known = ", ".join(WEIGHT_DTYPES)
            raise ValueError(
                f"weight_dtype is '{self.weight_dtype}', not one of {known}"
            )
        if self.matmul_dtype not in MATMUL_DTYPES:
            known = ", ".join(MATMUL_DTYPES)
            raise ValueError(
                f"matmul_dtype is '{self.matmul_dtype}', not one of {known}"
            )
        if not 1 <= self.threads <= MOST_THREADS:
            raise ValueError(
                f"threads is {self.threads}, not between 1 and {MOST_THREADS}"
            )
        if not self.kernel_timeout > 0:
            raise ValueError(f"kernel_timeout is {self.kernel_timeout}, not above zero")
        if self.max_trip_count < 0:
            raise ValueError(f"max_trip_count is {self.max_trip_count}, below zero")
        if self.max_unrolled < 0:
            raise ValueError(f"max_unrolled is {self.max_unrolled}, below zero")
        if self.max_recursion < 1:
            raise ValueError(f"max_recursion is {self.max_recursion}, below one")
        if self.max_iterations is not None and self.max_iterations < 0:
            raise ValueError(f"max_iterations is {self.max_iterations}, below zero")

    def with_changes(self, **changes: Any) -> "CompileOptions":
        """The same but for some. TypeError: there is no option of a name."""
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                close = difflib.get_close_matches(name, [*known, *_BESIDE], 1)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                raise TypeError(f"there is no option '{name}'{hint}")
        return replace(self, **changes)

    @property
    def recorded(self) -> dict[str, Any]:
        """What an artifact says of them: all that decides what a network is."""
        own = ("keep", "verify", "cache", "kernel_timeout", "target", "tuning")
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in known.items() if name not in own}

    @property
    def targets(self) -> tuple[str, ...]:
        """The processors that are asked for, each once, the fastest first."""
        return tuple(target for target in TARGETS if target in self._listed())

    def _listed(self) -> Sequence[str]:
        if isinstance(self.target, str):
            return [name.strip() for name in self.target.split(",")]
        return self.target
