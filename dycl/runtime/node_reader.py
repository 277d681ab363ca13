"""Nodes for a host in C, read in native code: `nodes.h`.

To ask each attribute of a node takes Python a microsecond, and native code, which asks
CPython's own functions, a tenth of that. What is not at once of a kind that the network
was compiled for is left to `NativeTree`, which looks more closely.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import finalize

from dycl.runtime.builtin_nodes import (
    BUILTIN,
    DICT,
    KEYS,
    LEAVES,
    LISTS,
    attribute_of,
    is_exact,
    member_name,
)
from dycl.runtime.objects import NUMBERS, Wanted, method_of, want_tensor
from dycl.runtime.trees import NODE, TreeKind

if TYPE_CHECKING:
    from dycl.runtime.native import NativeHost

_UNFIT = -100
_NODE, _LIST, _TEXT, _TENSOR, _MEMBER = range(5)
_ATTRIBUTES, _VALUE, _ENTRIES = range(3)
_WHOLE, _KEYS_OF, _VALUES_OF = range(3)
_ADDRESS = ctypes.c_void_p


class _Field(ctypes.Structure):
    """`struct dycl_field_kind`."""


_Field._fields_ = (
    ("name", ctypes.c_void_p),
    ("kind", ctypes.c_int64),
    ("wanted", ctypes.POINTER(Wanted)),
    ("items", ctypes.POINTER(_Field)),
    ("members", ctypes.POINTER(ctypes.c_void_p)),
    ("constructors", ctypes.c_int64),
    ("member_count", ctypes.c_int64),
    ("part", ctypes.c_int64),
)


class _Class(ctypes.Structure):
    """`struct dycl_class`."""

    _fields_ = (
        ("class", ctypes.c_void_p),
        ("constructor", ctypes.c_int64),
        ("how", ctypes.c_int64),
        ("fields", ctypes.c_uint64),
        ("method_count", ctypes.c_int64),
        ("methods", ctypes.POINTER(ctypes.c_void_p)),
    )


_FUNCTIONS = (
    *("PySequence_Tuple", "PyDict_Next", "PyDict_GetItemWithError"),
    *("PyDict_Contains", "PyDict_Values", "PyUnicode_AsUTF8AndSize"),
    *("Py_IncRef", "Py_DecRef", "PyErr_Clear"),
)
_DICTIONARY = "__dict__"
_OBJECTS = (None, list, tuple, dict, str, _DICTIONARY)


class _Reader(ctypes.Structure):
    """The first of `struct dycl_reader`; the rest are zeros at first."""

    _fields_ = (
        ("objects", ctypes.c_void_p),
        ("python", ctypes.c_void_p),
        ("classes", ctypes.POINTER(_Class)),
        ("class_count", ctypes.c_int64),
        ("field_count", ctypes.c_int64),
        ("fields", ctypes.POINTER(_Field)),
        ("rest", ctypes.c_int64 * 16),
    )


class NodeReader:
    """Reads the trees of one input, for one thread.

    Nodes last until `end`, or until the reader is gone.
    """

    def __init__(self, kind: TreeKind, host: NativeHost):
        """AttributeError, KeyError: this Python or this host lacks what it takes."""
        objects = host.objects
        if objects is None:
            raise AttributeError("objects are not where they are expected")
        code = host.library
        self._kind = kind
        self._kept: list[object] = [code, objects]
        self._keys: dict[str, str] = {}
        self._members: list[tuple[Any, list[str]]] = []
        """Fields, or items, that are members of an enum, and its constructors."""
        self._enum_count = 0
        fields = (_Field * (len(kind.fields) + 1))()
        for (name, wanted, _), output in zip(kind.fields, fields):
            self._describe(output, name, wanted)
        python = _python()
        self._reader = reader = _Reader(objects.address, ctypes.addressof(python))
        reader.field_count, reader.fields = len(kind.fields), fields
        self._kept += [fields, python]
        address = ctypes.addressof(reader)
        self._read, first = method_of(code.address("dycl_read_tree"), address)
        end = code.address("dycl_end_tree")
        self.end, second = method_of(end, address, takes_one=False)
        """A run has ended: nothing is read any more."""
        self._kept += [first, second]
        free = code.function("dycl_free_reader", None, _ADDRESS)
        finalize(self, _free, self.end, free, address, [reader, *self._kept])

    def read(self, root: object) -> tuple[int, int] | None:
        """Where a root's node is, and of the tensors in nodes, whether any are torch's
        (1) and NumPy's (2); None: Python has to look, and nothing is to be ended."""
        if self._reader.class_count != len(self._kind.classes):
            self._use_classes()
        if self._enum_count != len(self._kind.enums):
            self._use_enums()
        found: int = self._read(root)
        return None if found == _UNFIT else (found & ~3, found & 3)

    def _describe(self, output: Any, name: str, kind: Any) -> None:
        """Say what a field, or an item, is."""
        key = name[2:-2] if name.startswith("[") else attribute_of(name)
        if key != name and not name.startswith("["):
            output.part = _KEYS_OF if name.endswith(KEYS) else _VALUES_OF
        self._kept.append(key)
        output.name = id(key)
        if isinstance(kind, dict) and "members" in kind:
            output.kind = _MEMBER
            output.constructors = len(cast("dict[str, Any]", kind)["members"])
            self._members.append((output, cast("dict[str, Any]", kind)["members"]))
        elif isinstance(kind, dict):
            output.kind = _LIST
            output.items = (_Field * 1)()
            inner = cast("dict[str, Any]", kind)["items"]
            self._describe(output.items[0], attribute_of(name), inner)
        elif kind == NODE:
            output.kind = _NODE
        elif kind == "str":
            output.kind = _TEXT
        elif isinstance(kind, str):
            output.kind = NUMBERS[kind]
        else:
            output.kind = _TENSOR
            output.wanted = (Wanted * 1)()
            self._kept.append(want_tensor(output.wanted[0], kind[0], kind[1]))

    def _use_enums(self) -> None:
        """Know the members of the enums that Python has come across."""
        known = [*self._kind.enums]
        for output, names in self._members:
            found = [
                {member_name(one): one for one in cls.__members__.values()}
                for cls in cast("list[Any]", known)
            ]
            of = [one for one in found if not one.keys().isdisjoint(names)]
            members = [one.get(name) for one in of for name in names]
            output.members = (ctypes.c_void_p * (len(members) + 1))(*map(id, members))
            output.member_count = len(members)
            self._kept += [output.members, *members]
        self._enum_count = len(known)

    def _use_classes(self) -> None:
        """Know the classes that Python has come across."""
        known = [*self._kind.classes.items()]
        classes = (_Class * (len(known) + 1))()
        for (cls, place), output in zip(known, classes):
            self._use(output, cls, place)
        # Readers of old ones may run: they are kept.
        self._kept.append(classes)
        self._reader.classes, self._reader.class_count = classes, len(known)

    def _use(self, output: Any, cls: type, place: int) -> None:
        kind = self._kind
        name = kind.constructors[place]
        if name in BUILTIN and not is_exact(cls, name):
            return  # of a class like it: no object is of none
        setattr(output, "class", id(cls))
        output.constructor = place
        if name in LEAVES or name in LISTS:
            output.how = _VALUE
        else:
            output.how = _ENTRIES if name == DICT else _ATTRIBUTES
        output.fields = sum(1 << at for at in kind.read_of[place])
        methods = sorted(kind.methods[cls])
        output.method_count = len(methods)
        output.methods = (ctypes.c_void_p * (len(methods) + 1))(*map(id, methods))
        self._kept += methods


def _free(
    end: Callable[[], int], free: Any, address: int, kept: Sequence[object]
) -> None:
    """Give back what a reader has; until then, what it points to is there."""
    end()
    free(address)


def _python() -> Any:
    """`struct dycl_python`. AttributeError: a function is not there."""
    api = ctypes.pythonapi
    try:
        find = api.PyObject_GetOptionalAttr  # from CPython 3.13 on
    except AttributeError:
        find = api._PyObject_LookupAttr
    functions = [find, *(getattr(api, name) for name in _FUNCTIONS)]
    addresses = [ctypes.cast(function, _ADDRESS).value for function in functions]
    objects = [id(one) for one in _OBJECTS]
    return (ctypes.c_void_p * (len(addresses) + len(objects)))(*addresses, *objects)
