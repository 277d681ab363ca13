"""Who computes which kernel of a network where `backend="auto"` has chosen, and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from dycl.diag import SourceLoc


@dataclass(frozen=True)
class PlacedKernel:
    """A kernel, and who computes it."""

    kernel: str
    at: SourceLoc | None
    launches: int
    """How many places of the program launch it."""
    times: Mapping[str, float]
    """Microseconds of a launch, by backend; {}: only our own takes it, or it cannot be
    run alone."""
    backend: str

    def __str__(self) -> str:
        """`forward_head (net.py:12): openvino; 8.1 us by openvino, 9.4 us by cpu`."""
        where = "" if self.at is None else f" ({self.at.file}:{self.at.line})"
        times = sorted(self.times.items(), key=lambda one: one[1])
        said = ", ".join(f"{time:.1f} us by {name}" for name, time in times)
        return f"{self.kernel}{where}: {self.backend}; {said or 'nobody else takes it'}"


@dataclass(frozen=True)
class Placement:
    """Who computes which kernel of a network, and why."""

    rows: tuple[PlacedKernel, ...] = ()
    candidates: tuple[str, ...] = ()
    """The backends that were compared with our own."""
    copies: int = 0
    """At how many places a tensor is copied between the memory of a GPU and that of the
    processor."""
    why_not: str = ""
    """Why nothing was compared, as a sentence without its full stop."""

    def __str__(self) -> str:
        """A headline, and a line for each kernel."""
        if self.why_not:
            return f"All kernels are computed by cpu: {self.why_not}"
        count = sum(row.backend != "cpu" for row in self.rows)
        others = " and ".join(self.candidates)
        if count:
            head = f"Of {len(self.rows)} kernels {count} are not computed by cpu"
            if self.copies:
                head += f"; copies between GPU and processor: {self.copies}"
        else:
            head = (
                f"All kernels are computed by cpu: with {others} for some of them a "
                "call would be slower, or less than a twentieth faster"
            )
        return "\n".join([head, *(f"    {row}" for row in self.rows)])
