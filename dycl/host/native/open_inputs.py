"""Inputs with sizes that a call decides, as C: a table of them, and the check.

Such an input is a `dycl_tensor`, which brings its sizes. A run begins with a look at
the table; a size that is out of range, or another where one name stands, is an error.
"""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from dycl.host.native.tables import Tables
from dycl.host.native.types import c_table, c_type, declared, slot
from dycl.ir import host
from dycl.ir.host.types import is_static
from dycl.ir.input_sizes import InputSize, sizes_of

_LARGEST = "INT64_MAX"


def input_line(place: int, value: SSAValue, name: str) -> str:
    """A local variable for an input."""
    kind = c_type(value.type)
    const = "const" if kind.endswith("*") else ""
    left = f"{kind}{const} {name}" if const else f"const {declared(kind, name)}"
    return f"{left} = in[{place}].{slot(value)};"


def is_open(value: SSAValue) -> bool:
    """Whether calls decide a size of an input."""
    return isinstance(value.type, MemRefType) and not is_static(value.type)


def size_table(func: host.FuncOp) -> list[str]:
    """Each open dimension: its range, and the first one of the same name."""
    places = {name: i for i, name in enumerate(func.param_names)}
    rows: list[str] = []
    for size in sizes_of(func):
        high = _LARGEST if size.high is None else size.high
        first = size.places[0]
        for name, dimension in size.places:
            row = f"{places[name]}, {dimension}, {size.low}, {high}"
            rows.append(f"{{{row}, {places[first[0]]}, {first[1]}}}")
    if not rows:
        return []
    title = "/* Input, dimension, smallest, largest; the first that is of that size. */"
    return [
        title,
        *c_table("static const struct dycl_open dycl_open_sizes[]", rows),
        "",
    ]


def size_fields(func: host.FuncOp) -> dict[str, object]:
    """What dycl.c is told of the table."""
    count = sum(len(size.places) for size in sizes_of(func))
    return {"open": "dycl_open_sizes", "open_count": count} if count else {}


def size_check(func: host.FuncOp, tables: Tables) -> list[str]:
    """Raise where the sizes that are given do not fit."""
    sizes = sizes_of(func)
    if not sizes:
        return []
    text = "InputError: the sizes of the inputs do not fit: "
    error = tables.add_check(func, text + "; ".join(map(_in_words, sizes)))
    return [f"if (!dycl_sizes_fit(h->net.inputs)) RAISE({error});"]


def _in_words(size: InputSize) -> str:
    return f"{size.name} = {size.range_text} is {size.where}"
