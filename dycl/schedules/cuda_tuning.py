"""CUDA kernels: plans that were timed on a GPU, and the file that keeps them.

    {
      "format": 1,
      "device": "NVIDIA H100 80GB HBM3",
      "capability": 90,
      "products": [
        {"batch": 1, "rows": 8, "columns": 4096, "depth": 4096, "half": false,
         "windows": false, "tile": [16, 64, 64], "splits": 4, "warps": 4, "stages": 3,
         "microseconds": 26.1, "usual": 28.2}
      ]
    }

`tile` is rows, columns and depth; `usual` is what the plan took that is chosen without
the file.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, cast

from dycl.schedules.cuda_model import Launch
from dycl.schedules.cuda_products import DotPlan, Sizes, best_plans, dot_plan, plans

FORMAT = 1

Planner = Callable[[Sizes], DotPlan]
"""Says how a product is cut."""


@dataclass(frozen=True)
class OfTf32:
    """The plans of another planner, with factors that are cut to tf32: one product
    instead of three. A planner that can be given to another process, too."""

    planner: Planner

    def __call__(self, sizes: Sizes) -> DotPlan:
        """The plan for these sizes."""
        return replace(self.planner(sizes), precision="tf32")


@dataclass(frozen=True)
class Ranked:
    """The plan that is on paper at a place, from 0 on; where there are fewer, the last.

    A planner that can be given to another process, as `Timings` is.
    """

    place: int

    def __call__(self, sizes: Sizes) -> DotPlan:
        """The plan for these sizes."""
        return best_plans(sizes, self.place + 1)[-1]


@dataclass(frozen=True)
class Timing:
    """A product, and the plan that was fastest."""

    sizes: Sizes
    plan: DotPlan
    microseconds: float
    usual: float
    """Microseconds of the plan that is chosen without a file."""


@dataclass(frozen=True)
class Timings:
    """The products of a network on one device. As a planner: the fastest plan of those
    that were timed; of other products the one on paper."""

    device: str
    capability: int
    products: tuple[Timing, ...] = ()

    @cached_property
    def _plans(self) -> Mapping[Sizes, DotPlan]:
        return {timing.sizes: timing.plan for timing in self.products}

    def __call__(self, sizes: Sizes) -> DotPlan:
        """The plan for these sizes."""
        return self._plans.get(sizes) or dot_plan(sizes)

    def to_json(self) -> str:
        """The text of the file, a line for each product."""
        lines = [json.dumps(_entry(timing)) for timing in self.products]
        products = ",\n    ".join(lines)
        head = {"format": FORMAT, "device": self.device, "capability": self.capability}
        text = json.dumps(head, indent=2).removesuffix("\n}")
        return f'{text},\n  "products": [\n    {products}\n  ]\n}}\n'


def timings_of(text: str) -> Timings:
    """What a file says. ValueError: it is none of ours, in words."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError("it holds no object")
    entries = cast("dict[str, object]", data)
    if entries.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    device, capability = entries.get("device"), entries.get("capability")
    products = entries.get("products")
    if not (
        isinstance(device, str)
        and isinstance(capability, int)
        and isinstance(products, list)
    ):
        raise ValueError("it names no device, capability and products")
    timings = [
        _timing(number, entry)
        for number, entry in enumerate(cast("list[object]", products), start=1)
    ]
    return Timings(device, capability, tuple(timings))


_SIZES = ("batch", "rows", "columns", "depth")
_TIMES = ("microseconds", "usual")


def _entry(timing: Timing) -> dict[str, Any]:
    plan, sizes = timing.plan, asdict(timing.sizes)
    return {
        **{name: sizes[name] for name in _SIZES},
        "half": timing.sizes.is_half,
        "windows": timing.sizes.has_windows,
        "tile": [plan.rows, plan.columns, plan.depth],
        "splits": plan.splits,
        **asdict(plan.launch),
        **{name: round(getattr(timing, name), 3) for name in _TIMES},
    }


def _timing(number: int, entry: object) -> Timing:
    what = f"product {number}"
    if not isinstance(entry, dict):
        raise ValueError(f"{what} is no object")
    given = cast("dict[str, object]", entry)
    batch, rows, columns, depth = (_count(what, given, name) for name in _SIZES)
    half, windows = (_flag(what, given, name) for name in ("half", "windows"))
    sizes = Sizes(batch, rows, columns, depth, half, windows)
    tile = given.get("tile")
    if not isinstance(tile, list) or len(cast("list[object]", tile)) != 3:
        raise ValueError(f"the tile of {what} has not three sizes")
    high, wide, deep = (_whole(what, n) for n in cast("Sequence[object]", tile))
    splits, warps, stages = (
        _count(what, given, name) for name in ("splits", "warps", "stages")
    )
    plan = DotPlan(high, wide, deep, splits, Launch(warps, stages))
    if plan not in plans(sizes):
        raise ValueError(f"{what} has a plan that is none for its sizes")
    fast, usual = (_time(what, given.get(name)) for name in _TIMES)
    return Timing(sizes, plan, fast, usual)


def _count(what: str, entry: Mapping[str, object], name: str) -> int:
    return _whole(what, entry.get(name))


def _flag(what: str, entry: Mapping[str, object], name: str) -> bool:
    value = entry.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{what} has {value!r} for '{name}', not true or false")
    return value


def _whole(what: str, value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{what} has {value!r} where a number above zero has to be")
    return value


def _time(what: str, value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ValueError(f"{what} has {value!r} for a time")
    return float(value)
