"""Records of ours that stand for a library's objects, as these when they are returned.

    #dycl.record<"dycl.prelude.distributions.Normal", "dataclass",
                 ["loc", "scale", "_batch_shape", ..., "_dycl_is_checked"], [...]>
    #dycl.record<"torch.distributions.normal.Normal", "object",
                 ["loc", "scale", "_batch_shape", ...], [...]>

So are objects of the user's classes that have one of ours as a base.
"""

from collections.abc import Callable

from dycl.ir.records import CALL, OBJECT, Record, RecordType
from dycl.prelude import ATTRIBUTES, RETURNED

TORCH_SIZE = "torch.Size"
"""The class of shapes."""
_SHAPES = ("_batch_shape", "_event_shape")


def as_librarys(record: Record, is_none: Callable[[object], bool]) -> Record:
    """The library's object, or the record itself if it stands for none.

    `is_none` says which of the items are None: these the library's object has not.
    """
    kind = record.type
    if kind.name not in RETURNED and ATTRIBUTES.keys().isdisjoint(kind.fields):
        return record
    found = {
        ATTRIBUTES.get(field, field): size_of_torch(item) if field in _SHAPES else item
        for field, item in zip(kind.fields, record.items, strict=True)
        if field not in ATTRIBUTES or not is_none(item)
    }
    found.pop("", None)
    name = RETURNED.get(kind.name, kind.name)
    return Record(RecordType(name, OBJECT, tuple(found)), tuple(found.values()))


def size_of_torch(sizes: object) -> Record:
    """A tuple as torch's class of shapes, where torch is imported when it is made."""
    return Record(RecordType(TORCH_SIZE, CALL, ("sizes",)), (sizes,))
