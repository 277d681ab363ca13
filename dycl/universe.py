"""What DyCL plugs into xDSL by the entry point `xdsl.universe`: all of it lazily.

With it `dycl-opt` and plain `xdsl-opt` know our dialects and passes. A researcher's
package joins in the same way; `examples/plugin/` is one.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from xdsl.ir import Dialect
from xdsl.universe import XDSL_UNIVERSE, Universe

from dycl.diag import CodedError
from dycl.passes import get_all_passes

_DIALECTS = {
    "dycl": "dycl.ir:Dycl",
    "graph": "dycl.ir.graph:Graph",
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


class PluginError(CodedError):
    """A package that is installed cannot be used; the sentence names it."""

    def __init__(self, what: str):
        """DY292; the remedy is always the same."""
        super().__init__("DY292", what, hint="repair the package, or uninstall it")


@cache
def everything() -> Universe:
    """xDSL's, our own and every plugin's dialects, passes and targets.

    Works without an installation of DyCL too (a checkout on PYTHONPATH has no entry
    points). PluginError: a plugin cannot be loaded, or two define the same name; also
    from a loader in the result, when what it loads raises.
    """
    found = _installed()
    for universe in (XDSL_UNIVERSE, DYCL_UNIVERSE):
        if universe not in found.values():
            name = "xdsl" if universe is XDSL_UNIVERSE else "dycl"
            found.setdefault(name, universe)
    return Universe(
        all_dialects=_joined("dialect", {n: u.all_dialects for n, u in found.items()}),
        all_passes=_joined("pass", {n: u.all_passes for n, u in found.items()}),
        all_targets=_joined("target", {n: u.all_targets for n, u in found.items()}),
    )


def _installed() -> dict[str, Universe]:
    """What entry points give, by the name of the plugin, sorted."""
    points = sorted(entry_points(group="xdsl.universe"), key=lambda point: point.name)
    result: dict[str, Universe] = {}
    for point in points:
        try:
            universe = point.load()
        except Exception as error:
            raise PluginError(
                f"the plug-in '{point.name}' ({point.value}) cannot be imported: "
                f"{_headline(error)}"
            ) from error
        if not isinstance(universe, Universe):
            kind = type(universe).__name__
            raise PluginError(
                f"the plug-in '{point.name}' ({point.value}) is a {kind}, not an "
                "xdsl.universe.Universe"
            )
        if result.setdefault(point.name, universe) is not universe:
            raise PluginError(f"two packages have a plug-in called '{point.name}'")
    return result


T = TypeVar("T")


def _joined(
    kind: str, parts: Mapping[str, Mapping[str, Callable[[], T]]]
) -> dict[str, Callable[[], T]]:
    owners: dict[str, str] = {}
    joined: dict[str, Callable[[], T]] = {}
    for plugin, loaders in parts.items():
        for name, load in loaders.items():
            if name in owners:
                raise PluginError(
                    f"the plug-ins '{owners[name]}' and '{plugin}' both define the "
                    f"{kind} '{name}'"
                )
            owners[name] = plugin
            own = plugin in ("dycl", "xdsl")
            joined[name] = load if own else partial(_load, kind, name, plugin, load)
    return joined


def _load(kind: str, name: str, plugin: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except Exception as error:
        raise PluginError(
            f"the {kind} '{name}' of the plug-in '{plugin}' cannot be loaded: "
            f"{_headline(error)}"
        ) from error


def _headline(error: Exception) -> str:
    first, *_ = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {first}"
