"""What is written down of a model when all its objects are captured."""

from collections.abc import Iterable, Mapping
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr

from dycl.frontend.capture.objects import Capture
from dycl.frontend.capture.values import attribute_of
from dycl.frontend.lookup import find
from dycl.ir import ObjectOp
from dycl.ir.module_walks import ORDER
from dycl.ir.module_walks import TABLES as ORDERED
from dycl.ir.values import UnsupportedRef

_OF_MADE = "a table of a module that is made while the network runs"
CLASS_NAMES = ("__module__", "__name__", "__qualname__")
"""What a class says of itself."""


def note_shared(capture: Capture, ops: Mapping[str, ObjectOp]) -> None:
    """Write down which lists, dicts and tensors are reached in two ways.

    Needs all objects to be captured.
    """
    by_class: dict[str, dict[str, list[object]]] = {}
    for paths in capture.held.values():
        for path in paths if len(set(paths)) > 1 else ():
            owner, _, name = path.partition("[")[0].rpartition(".")
            by_class.setdefault(owner, {}).setdefault("__shared__", []).append(name)
    if shared := overlapping(capture):
        by_class.setdefault("", {})["__overlapping__"] = list(shared)
    for path, notes in by_class.items():
        if path in ops:
            members = dict(ops[path].members.data)
            members |= {k: attribute_of(sorted(map(str, v))) for k, v in notes.items()}
            ops[path].members = DictionaryAttr(dict(sorted(members.items())))


def note_order(capture: Capture, ops: Mapping[str, ObjectOp]) -> None:
    """Write down in which order torch has the parts of each module."""
    import torch

    for path, op in ops.items():
        target = capture.objects.get(path)
        bare = path in capture.templates or path in capture.views
        if isinstance(target, torch.nn.Module) and not bare:
            order = {
                kind: list(getattr(target, table)) for kind, table in ORDERED.items()
            }
            members = {**op.members.data, ORDER: attribute_of(order)}
            op.members = DictionaryAttr(dict(sorted(members.items())))


def note_tables(
    capture: Capture, ops: Mapping[str, ObjectOp], names: Iterable[str]
) -> None:
    """Write down tables of each module: of its submodules, parameters or buffers.

    Needs all objects to be captured, so that all of these are known.
    """
    import torch

    for path, op in ops.items():
        target: Any = capture.objects.get(path)
        if isinstance(target, torch.nn.Module):
            members = dict(op.members.data)
            for name in names:
                if path in capture.templates:
                    members[name] = attribute_of(UnsupportedRef(_OF_MADE))
                    continue
                table = dict(getattr(target, name))
                captured = capture.value(table, f"{path}.{name}")
                members[name] = attribute_of(captured)
            op.members = DictionaryAttr(dict(sorted(members.items())))


def note_class_attributes(
    capture: Capture, ops: Mapping[str, ObjectOp], names: Iterable[str]
) -> None:
    """Write down which of these names, which functions set, the classes have.

    A module that is set under such a name is registered, and never read.
    """
    import torch

    for path, op in ops.items():
        target = capture.objects.get(path)
        if not isinstance(target, torch.nn.Module):
            continue
        attributes = [(n, find(target, n)) for n in sorted(names)]
        of_class = [
            n for n, attribute in attributes if attribute and attribute.place == "class"
        ]
        if of_class:
            members = {**op.members.data, "__of_class__": attribute_of(of_class)}
            op.members = DictionaryAttr(dict(sorted(members.items())))


def note_classes(capture: Capture, ops: Mapping[str, ObjectOp]) -> None:
    """Write down the class of each object, and what each class is called.

    Classes that nothing has mentioned before are captured.
    """
    for path, op in ops.items():
        if path in capture.views or path not in capture.objects:
            continue
        target = capture.objects[path]
        classes: dict[str, object] = {}
        if not isinstance(target, type):
            classes["__class__"] = capture.value(type(target), path)
        elif type(target) is type:
            for name in CLASS_NAMES:
                classes[name] = getattr(target, name)
        noted = {name: attribute_of(value) for name, value in classes.items()}
        if op.members.data.keys().isdisjoint(noted):
            members = {**op.members.data, **noted}
            op.members = DictionaryAttr(dict(sorted(members.items())))


def overlapping(capture: Capture) -> list[str]:
    """The tensors whose memory another tensor shares, by name."""
    import torch

    by_memory: dict[int, list[str]] = {}
    for path, tensor in capture.params.items():
        if tensor.layout == torch.strided and tensor.numel():
            memory = tensor.untyped_storage().data_ptr()
            by_memory.setdefault(memory, []).append(path)
    groups = [p for m, p in by_memory.items() if m != 0 and len(p) > 1]
    return sorted(path for group in groups for path in group)
