"""What DyCL plugs into xDSL by the entry point `xdsl.universe`: all of it lazily.

With it `dycl-opt` and plain `xdsl-opt` know our dialects and passes. A researcher's
package joins in the same way; `examples/plugin/` is one.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from xdsl.ir import Dialect
from xdsl.universe import XDSL_UNIVERSE, Universe

from dycl.passes import get_all_passes

_DIALECTS = {
    "dycl": "dycl.ir:Dycl",
    "host": "dycl.ir.host:Host",
    "torch": "dycl.ir.torch:Torch",
}


def _loader(where: str) -> Callable[[], Dialect]:
    module, name = where.split(":")
    return lambda: getattr(import_module(module), name)


DYCL_UNIVERSE = Universe(
    all_dialects={name: _loader(where) for name, where in _DIALECTS.items()},
    all_passes=get_all_passes(),
)
"""Our dialects and passes; a dialect is imported when its first op is met."""


@cache
def everything() -> Universe:
    """xDSL's, our own and every plugin's dialects, passes and targets.

    Works without an installation of DyCL too (a checkout on PYTHONPATH has no entry
    points). ValueError: two packages define the same name.
    """
    found = Universe.get_multiverse()
    parts = [found, *(u for u in (XDSL_UNIVERSE, DYCL_UNIVERSE) if not _in(u, found))]
    return Universe(
        all_dialects={n: d for u in parts for n, d in u.all_dialects.items()},
        all_passes={n: p for u in parts for n, p in u.all_passes.items()},
        all_targets={n: t for u in parts for n, t in u.all_targets.items()},
    )


def _in(universe: Universe, found: Universe) -> bool:
    return universe.all_dialects.keys() <= found.all_dialects.keys()
