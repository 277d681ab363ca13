"""What says that a network is run for many rows, each on its own way.

    dycl.rows = ["x"]                   the input `x` has rows
    dycl.row_counts = {rows = 100, decisions = [["exit 1", "net.py", 12, 63, 37]]}
    dycl.row_results = {decisions = [["exit 1", "p > 0", "net.py", 12]], ways = [...]}

The first is on the entry function from the beginning, and the second up to
`dycl-regroup-rows`, if there is a profile: how many of so many rows found each decision
true, and false. The third is on it from there on, if that has changed the function.
"""

from collections.abc import Iterable
from types import NoneType

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from dycl.ir.records import DATACLASS, MAPPING, NAMEDTUPLE

ROWS = "dycl.rows"
"""On an entry function: the names of the inputs that have rows."""

ROW_COUNTS = "dycl.row_counts"
"""On an entry function: how many rows went each way at each decision, as profiled."""

ROW_RESULTS = "dycl.row_results"
"""On an entry function: how results and decisions of rows are told apart."""

RECORDS = (DATACLASS, NAMEDTUPLE, MAPPING)
"""Kinds of records that come back once for all rows, with the results of all of them in
each field. Objects of other classes are more than their fields."""

KEYS = (str, int, bool, NoneType)
"""Of which classes the keys of dicts are that come back so."""


def rows_attr(names: Iterable[str]) -> ArrayAttr[Attribute]:
    """The attribute `dycl.rows`."""
    return ArrayAttr(map(StringAttr, names))


def rows_of(entry: Operation) -> list[str]:
    """The names of the inputs that have rows; none: it is not run for rows."""
    names = entry.attributes.get(ROWS)
    if not isinstance(names, ArrayAttr):
        return []
    return [name.data for name in names if isinstance(name, StringAttr)]
