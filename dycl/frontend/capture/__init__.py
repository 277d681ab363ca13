"""The model's objects as `dycl.object` ops, and its parameters by name.

`values` gives paths to what the model refers to, `attributes` reads objects as Python
does, `modules` adds what torch keeps of a module, `objects` makes the ops of it all
(`Capture`), and `notes` completes these once all objects are known.
"""

from dycl.frontend.capture.notes import (
    CLASS_NAMES,
    note_class_attributes,
    note_classes,
    note_order,
    note_shared,
    note_tables,
)
from dycl.frontend.capture.objects import Capture

__all__ = [
    "CLASS_NAMES",
    "Capture",
    "note_class_attributes",
    "note_classes",
    "note_order",
    "note_shared",
    "note_tables",
]
