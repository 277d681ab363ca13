"""What a run says where sizes are not as they have to be for an op.

d0r1_512 == 16   "`n` must be 16 (net.py:30)"
d3 == d4         "data-dependent sizes do not fit (net.py:7): `a` must be `b`, where `a`
                 is a size in `x[m]` (net.py:5) and `b` is a size in `f(x)` (net.py:6)"

Only sizes of inputs have names of the user's. Others are called by letters, and where
they come from is said.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from string import ascii_lowercase

from xdsl.ir import Operation, OpResult, SSAValue

from dycl.analysis.dynamic_sizes.ranges import is_of_inputs, is_ranged
from dycl.analysis.dynamic_sizes.size_texts import words
from dycl.analysis.dynamic_sizes.sizes import CHANGES, GUARD, NEGATIVE, Requirement
from dycl.diag import SourceLoc
from dycl.ir.dialect.model import INDEX_ERROR, INPUT_ERROR
from dycl.passes.expansion.relation_words import in_words
from dycl.prelude import is_our_file

_LONGEST = 40
"""Of source text that is quoted."""


def message_of(
    required: Requirement,
    op: Operation,
    input_names: Mapping[str, str],
    sizes: Mapping[str, tuple[SSAValue, int]],
) -> str:
    """What is raised at `op` where a requirement does not hold.

    `input_names`: what the user calls sizes of inputs. `sizes`: what other names in a
    relation are, a dimension of a value, or an int (-1).
    """
    said = required.message.removeprefix(INDEX_ERROR)
    at = _place(_of_user(SourceLoc.of(op)))
    is_vague = said in (GUARD, CHANGES, NEGATIVE)
    if is_of_inputs(required.relation):
        why = "" if said in (GUARD, CHANGES) else f": {said}"
        return f"{INPUT_ERROR}{in_words(required.relation, input_names)}{at}{why}"
    if not is_vague:
        return required.message
    own = [n for n in dict.fromkeys(words(required.relation)) if not is_ranged(n)]
    letters = dict(zip(own, _letters(input_names.values()), strict=False))
    what = in_words(required.relation, {**input_names, **letters})
    origins = [_origin(letters[name], *sizes[name]) for name in own if name in sizes]
    where = f", where {' and '.join(origins)}" if origins else ""
    kind = required.message.removesuffix(said)
    return f"{kind}{said}{at}: {what}{where}"


def _letters(taken: Iterable[str]) -> Iterator[str]:
    """Names for sizes, other than the user's: `a`, and `a1` after `z`."""
    used = set(taken)
    numbered = (f"{one}{n or ''}" for n in count() for one in ascii_lowercase)
    return (name for name in numbered if name not in used)


def _origin(name: str, value: SSAValue, dimension: int) -> str:
    """Where a size, or a number, comes from: `in` and not `of` an expression, as a step
    on the way to its result has its location, too."""
    kind = "a number" if dimension < 0 else "a size"
    location = _of_user(SourceLoc.of(value.op)) if isinstance(value, OpResult) else None
    if location is None:
        hint = value.name_hint
        return f"`{name}` is {kind}{'' if hint is None else f' of `{hint}`'}"
    text = location.text()
    if _is_short_expression(text):
        return f"`{name}` is {kind} in `{text}`{_place(location)}"
    return f"`{name}` is {kind} made at {_file_line(location)}"


def _is_short_expression(text: str) -> bool:
    """Whether this is all of an expression, and short enough to be quoted."""
    if not text or len(text) > _LONGEST:
        return False
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _of_user(location: SourceLoc | None) -> SourceLoc | None:
    """The place in the user's own code: functions of torch's that are written in Python
    for us are called from there."""
    while location is not None and is_our_file(location.file):
        location = location.called_from
    return location


def _place(location: SourceLoc | None) -> str:
    """` (net.py:30)`; empty where that is not known."""
    return "" if location is None else f" ({_file_line(location)})"


def _file_line(location: SourceLoc) -> str:
    return f"{Path(location.file).name}:{location.line}"
