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
    runs: float = 1.0
    """How often a call launches it: counted, or guessed."""
    is_open: bool = False
    """Whether sizes of it are not known yet, so that it cannot be timed."""

    @property
    def left(self) -> tuple[str, float] | None:
        """The fastest backend, and the microseconds of a call that it would gain, if
        another one computes the kernel."""
        if not self.times:
            return None
        fastest = min(self.times, key=lambda name: self.times[name])
        gained = self.runs * (self.times[self.backend] - self.times[fastest])
        return (fastest, gained) if gained > 0.0 else None

    def __str__(self) -> str:
        """`forward_head (net.py:12): openvino; 8.1 us by openvino, 9.4 us by cpu`."""
        where = "" if self.at is None else f" ({self.at.file}:{self.at.line})"
        times = sorted(self.times.items(), key=lambda one: one[1])
        said = ", ".join(f"{time:.1f} us by {name}" for name, time in times)
        if not said:
            said = "sizes are open" if self.is_open else "nobody else takes it"
        if self.times and self.runs != 1.0:
            said += f"; {self.runs:.3g} launches a call"
        if self.left is not None:
            said += f"; {self.left[0]} would gain {self.left[1]:.1f} us a call"
        return f"{self.kernel}{where}: {self.backend}; {said}"


@dataclass(frozen=True)
class Placement:
    """Who computes which kernel of a network, and why."""

    rows: tuple[PlacedKernel, ...] = ()
    candidates: tuple[str, ...] = ()
    """The backends that were compared with our own."""
    copies: int = 0
    """At how many places a tensor is copied between the memory of a GPU and that of the
    processor."""
    counted: bool = False
    """Whether a profile has counted how often kernels are launched."""
    why_not: str = ""
    """Why nothing was compared, as a sentence without its full stop."""

    def __str__(self) -> str:
        """A headline, why some kernels are not where they are fastest, and a line for
        each kernel."""
        if self.why_not:
            return f"All kernels are computed by cpu: {self.why_not}"
        left = [row for row in self.rows if row.left is not None]
        lines = [self._head(all_fastest=not left)]
        if left:
            lines.append(
                "    Others are faster for some, but a call would gain less than it "
                "costs to convert or copy what these take and give, or less than a "
                "twentieth on each path"
            )
        if any(row.times and row.runs != 1.0 for row in self.rows):
            how = "as counted by the profile"
            if not self.counted:
                how = "guessed from decisions and loops; profile=[inputs] counts them"
            lines.append(f"    Launches a call: {how}")
        return "\n".join([*lines, *(f"    {row}" for row in self.rows)])

    @property
    def _others(self) -> str:
        return " or ".join(self.candidates)

    def _head(self, *, all_fastest: bool) -> str:
        count = sum(row.backend != "cpu" for row in self.rows)
        if count:
            verb = "is" if count == 1 else "are"
            head = f"Of {len(self.rows)} kernels {count} {verb} not computed by cpu"
            if self.copies:
                head += f"; copies between GPU and processor: {self.copies}"
            return head
        head = "All kernels are computed by cpu"
        if not any(row.times for row in self.rows):
            return f"{head}: none could be timed by {self._others}"
        if all_fastest:
            head += f", which is the fastest for each that {self._others} takes"
        return head
