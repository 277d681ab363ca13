"""How often a call runs each launch of a program that is to be placed, by a profile.

A profile of the network as placed counts launches of parts, and copies between them:

profile: forward_first 5, forward_head_cpu 3, forward_head_openvino 3
program: forward_first 5, forward_head 3
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import FloatAttr, ModuleOp, f64

from dycl.analysis.control.decisions import identifier
from dycl.backends import installed
from dycl.driver.profiles import another
from dycl.ir import LaunchOp
from dycl.ir.costs import RUNS
from dycl.ir.host.memories import COPIES
from dycl.ir.walking import walk


def note_runs(module: ModuleOp, profile: Mapping[str, Any]) -> None:
    """Say on each launch how often a call runs it on average.

    CompileError (DY506): the profile is of another network.
    """
    launches = [op for op in walk(module) if isinstance(op, LaunchOp)]
    names = [launch.kernel_name for launch in launches]
    try:
        counts = _counts(names, profile["launches"])
        calls = int(profile["calls"]["count"])
    except (LookupError, TypeError) as error:
        raise another(str(error)) from error
    if calls:
        for launch, count in zip(launches, counts, strict=True):
            launch.attributes[RUNS] = FloatAttr(count / calls, f64)


def _counts(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """How often each launch was run, by the name of its kernel; in their order."""
    left = [row for row in rows if not row["kernel"].startswith(COPIES)]
    counts: list[int] = []
    for name in names:
        is_part = _parts_of(name)
        found = left[0]["kernel"] if left else "other one"
        if found != name and not is_part(found):
            raise another(f"@{found} is launched where here it is @{name}")
        counts.append(left[0]["count"])
        seen = set[str]()
        while left and left[0]["kernel"] not in seen and is_part(left[0]["kernel"]):
            seen.add(left.pop(0)["kernel"])
        if not seen:
            left.pop(0)
    if left:
        raise another(f"here is no launch of @{left[0]['kernel']}")
    return counts


def _parts_of(name: str) -> Callable[[str], Any]:
    """Whether a kernel is a part of the one called `name`: it has the backend's name
    behind that, as `dycl-partition-backends` gives it, and a number if need be."""
    backends = "|".join(re.escape(identifier(one)) for one in sorted(installed()))
    return re.compile(rf"{re.escape(name)}_({backends})(_\d+)?").fullmatch
