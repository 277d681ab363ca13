"""The bases of a user's own dicts: `class Output(OrderedDict)`.

An object that the network makes is one of its class, around a dict. What `dict` and
`OrderedDict` do without asking methods of the user's, these do on that dict. What gives
a view gives a list.
"""

from typing import Any

from dycl.prelude.refusals import NotCompiled

_WHAT = "this method of a class derived from dict"
_HINT = "go over `items()`, and make a new one"


def pairs(mapping: Any) -> Any:
    """What `dict` takes of an object that has `keys`."""
    return [(key, mapping[key]) for key in mapping.keys()]  # noqa: SIM118


class DictBase:
    """`dict`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._dycl_entries = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        """KeyError: there is no such entry."""
        return self._dycl_entries[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._dycl_entries[key] = value

    def __delitem__(self, key: Any) -> None:
        """KeyError: there is no such entry."""
        del self._dycl_entries[key]

    def __len__(self) -> int:
        return len(self._dycl_entries)

    def __bool__(self) -> bool:
        return len(self._dycl_entries) > 0

    def __contains__(self, key: Any) -> bool:
        return key in self._dycl_entries

    def __iter__(self) -> Any:
        return list(self._dycl_entries)  # as of an iterator, what it goes over

    def keys(self) -> Any:
        """The keys, in order."""
        return list(self._dycl_entries.keys())

    def values(self) -> Any:
        """The values, in the order of the keys."""
        return list(self._dycl_entries.values())

    def items(self) -> Any:
        """Pairs of both."""
        return list(self._dycl_entries.items())

    def _dycl_pairs(self) -> Any:
        """What `dict` takes of such an object: it asks no method of the user's."""
        return list(self._dycl_entries.items())

    def get(self, key: Any, default: Any = None) -> Any:
        """An entry, or the default."""
        return self._dycl_entries.get(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        """An entry, which goes. KeyError: it is not there, and there is no default."""
        return self._dycl_entries.pop(key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """An entry, which is made if there is none."""
        return self._dycl_entries.setdefault(key, default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several entries."""
        for key, value in dict(*args, **kwargs).items():
            self._dycl_entries[key] = value

    def clear(self) -> None:
        """Leave no entries."""
        self._dycl_entries.clear()

    def copy(self) -> Any:
        """A plain dict, whatever the class."""
        return dict(self._dycl_entries)

    def popitem(self) -> Any:
        """Is not compiled."""
        raise NotCompiled(_WHAT, _HINT)

    def __eq__(self, other: object) -> Any:
        raise NotCompiled(_WHAT, _HINT)

    __hash__ = None  # type: ignore[assignment]


class OrderedDictBase(DictBase):
    """`OrderedDict`, which sets its entries by the user's `__setitem__`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._dycl_entries = {}
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several entries."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self) -> Any:
        """Is not compiled."""
        raise NotCompiled(_WHAT, _HINT)
