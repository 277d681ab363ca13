"""Profiles of networks: counts and times by launch, decision and path.

clocks.py         what runs are timed by, and how ticks become nanoseconds
recorders.py      how a run of either host is recorded
distributions.py  counts, sums and percentiles in memory of fixed size
paths.py          the calls of each path
totals.py         what recorded calls add up to
trace.py          recorded calls, for Perfetto
table.py          the whole as text
profile.py        what users have of all this
environment.py    DYCL_PROFILE
"""

from __future__ import annotations

from typing import Protocol, cast

from dycl.runtime.keywords import suggests
from dycl.runtime.profiling.profile import Profile, Profiled
from dycl.runtime.profiling.recorders import ProfileError

__all__ = ["Profile", "ProfileError", "Profiled", "profile"]


class _Around(Protocol):
    """A compiled model: a network, and what it was made of."""

    @property
    def network(self) -> Profiled:
        """What runs the calls."""
        ...


@suggests
def profile(net: Profiled | _Around) -> Profile:
    """Profile a network: `with dycl.profile(net) as p:`, then `print(p)`.

    All calls in the block are counted and timed, those of other threads too.
    ProfileError: the network was saved by a version of DyCL whose native code cannot
    be timed; or `net` is no compiled network.
    """
    network = getattr(net, "network", net)
    if not hasattr(network, "recorder"):
        raise ProfileError(
            f"a {type(net).__name__} is no compiled network: give what dycl.compile "
            "or dycl.load gives"
        )
    return Profile(cast("Profiled", network))
