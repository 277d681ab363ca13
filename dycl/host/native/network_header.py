"""Print `network.h`: what one network takes and gives, for C programs to be checked by.

    #define DYCL_INPUTS 1
    #define DYCL_INPUT_X 0                  its place: net->inputs[DYCL_INPUT_X].tensor
    #define DYCL_INPUT_0_TYPE float
    #define DYCL_INPUT_0_ELEMENTS 8
    #define DYCL_RETURN_1_Y 0               net->outputs[...] where net->site is 1

Each fact stands in a comment, for people, and as a macro, for the compiler.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, cast

from dycl.host.lines import indent
from dycl.host.native.layout import comment
from dycl.host.native.program import NativeProgram
from dycl.host.native.types import ELEMENTS, item_size

_FIELDS = {"int": "integer", "bool": "integer", "float": "real", "str": "text"}
"""Kinds of numbers -> the field of `dycl_value` that they are in."""


def print_header(program: NativeProgram) -> str:
    """The text of network.h."""
    tables = program.tables
    inputs, returns = tables["inputs"], tables["returns"]
    widest = max((len(entry["types"]) for entry in returns), default=0)
    names = _Macros()
    lines = [
        "/* The network in model.so: what it takes, gives, decides. Printed by DyCL.",
        "   A float16 or bfloat16 is its bits. What a run decides is `?`. */",
        "",
        "#ifndef DYCL_NETWORK_H",
        "#define DYCL_NETWORK_H",
        "",
        '#include "dycl.h"',
        "#include <stdbool.h>",
        "",
        f"#define DYCL_INPUTS {len(inputs)}",
        f"#define DYCL_RETURNS {len(returns)}",
        f"#define DYCL_OUTPUTS {widest}  // at most: each return has its own",
        f"#define DYCL_DECISIONS {len(tables['decisions'])}",
        "",
        *_sizes(tables.get("sizes", []), names),
    ]
    for number, (name, kind, shape) in enumerate(inputs):
        value = kind if shape is None else [kind, shape]
        what = f"{_field(value)}: {_ascii(name)}, {_type(value)}"
        lines.append(f"/* net->inputs[{number}]{what} */")
        lines.append(f"#define {names.fresh('DYCL_INPUT', name)} {number}")
        lines += [*_facts(f"DYCL_INPUT_{number}", value), ""]
    for number, entry in enumerate(returns):
        lines += _return(number, entry, names, has_state=tables["state"])
    lines += _output_bytes(returns, widest)
    for number, (name, test, file, line) in enumerate(tables["decisions"]):
        words = comment(f"{test} ({file}:{line})".replace("\n", " "))
        lines.append(f"#define {names.fresh('DYCL_DECISION', name)} {number}{words}")
    return "\n".join([*lines, "", "#endif"]) + "\n"


class _Macros:
    """Names of macros, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, prefix: str, name: str) -> str:
        """`DYCL_INPUT_X` for an input `x`; with a letter, where that is a number's."""
        words = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "VALUE"
        plain = f"{prefix}_{words}" if not words[0].isdigit() else f"{prefix}_N{words}"
        wanted, count = plain, 1
        while wanted in self._taken:
            count += 1
            wanted = f"{plain}_{count}"
        self._taken.add(wanted)
        return wanted


def _sizes(sizes: Sequence[Sequence[Any]], names: _Macros) -> list[str]:
    """The limits of sizes that a call decides."""
    lines: list[str] = []
    for name, low, high in sizes:
        most = "any size" if high is None else f"at most {high}"
        lines.append(f"/* {_ascii(name)}: at least {low}, {most} */")
        lines.append(f"#define {names.fresh('DYCL_LEAST', name)} {low}")
        if high is not None:
            lines.append(f"#define {names.fresh('DYCL_MOST', name)} {high}")
    return [*lines, ""] if lines else []


def _return(
    number: int, entry: Any, names: _Macros, *, has_state: bool
) -> Iterator[str]:
    """What is given where `net->site` is this number."""
    types, parts = entry["types"], [((), entry["structure"])]
    if has_state:
        returned, state = entry["structure"]["tuple"]
        parts = [((), returned), (("state",), state)]
    yield f"/* net->site == {number}:"
    for path, structure in parts:
        text = "".join((*path, ": " if path else "", _shown(structure, types)))
        yield from textwrap.wrap(
            text, 84, initial_indent="   ", subsequent_indent="   "
        )
    yield "*/"
    yield f"#define {names.fresh(f'DYCL_RETURN_{number}', 'outputs')} {len(types)}"
    leaves = [one for path, structure in parts for one in _leaves(structure, path)]
    for path, leaf in leaves:
        macro = names.fresh(f"DYCL_RETURN_{number}", "_".join(path))
        yield f"#define {macro} {leaf}"
        yield from _facts(f"DYCL_RETURN_{number}_{leaf}", types[leaf])
    yield ""


def _output_bytes(returns: Sequence[Any], widest: int) -> list[str]:
    """A table, for programs that ask at run time."""
    if not returns or not widest:
        return []
    rows = [
        ", ".join(str(_bytes(kind)) for kind in entry["types"]) or "0"
        for entry in returns
    ]
    return [
        "/* The bytes of net->outputs[i] by net->site; 0: it is no tensor, -1: a run",
        "   decides its size. */",
        "static const int64_t dycl_output_bytes[DYCL_RETURNS][DYCL_OUTPUTS] = {",
        *indent([f"{{{row}}}," for row in rows]),
        "};",
        "",
    ]


def _bytes(kind: Any) -> int:
    if not isinstance(kind, list):
        return 0
    dtype, shape = cast("list[Any]", kind)
    if not _is_known(shape):
        return -1
    return item_size(dtype) * prod(shape)


def _is_known(shape: Sequence[Any]) -> bool:
    return all(isinstance(size, int) and size >= 0 for size in shape)


def _facts(name: str, kind: Any) -> Iterator[str]:
    """The macros of a tensor; a number has none."""
    if not isinstance(kind, list):
        return
    dtype, shape = cast("list[Any]", kind)
    yield f"#define {name}_TYPE {ELEMENTS[dtype]}"
    yield f"#define {name}_RANK {len(shape)}"
    for dim, size in enumerate(shape):
        if isinstance(size, int) and size >= 0:
            yield f"#define {name}_SIZE_{dim} {size}"
    if _is_known(shape):
        yield f"#define {name}_ELEMENTS {prod(shape)}"


def _field(kind: Any) -> str:
    """The field of `dycl_value` that a value is in."""
    if isinstance(kind, dict):
        return ".list"
    if isinstance(kind, list):
        return ".tensor" if _is_known(cast("list[Any]", kind)[1]) else ".sized"
    return f".{_FIELDS.get(kind, 'integer')}"


def _type(kind: Any) -> str:
    if isinstance(kind, dict):
        return f"list of {_type(cast('dict[str, Any]', kind)['items'])}"
    if not isinstance(kind, list):
        return str(kind)
    dtype, shape = cast("list[Any]", kind)
    sizes = ["?" if size == -1 else _ascii(str(size)) for size in shape]
    return f"{dtype}[{', '.join(sizes)}]"


def _shown(structure: Any, types: Sequence[Any]) -> str:
    """A structure as Python writes it, with the place of each output and its type."""
    match structure:
        case {"leaf": int(leaf)}:
            return f"outputs[{leaf}]{_field(types[leaf])}: {_type(types[leaf])}"
        case {"tuple": items}:
            return f"({', '.join(_shown(item, types) for item in items)})"
        case {"list": items}:
            return f"[{', '.join(_shown(item, types) for item in items)}]"
        case {"dict": entries}:
            pairs = (f"{_shown(k, types)}: {_shown(v, types)}" for k, v in entries)
            return f"{{{', '.join(pairs)}}}"
        case {"record": name, "fields": fields, "items": items}:
            pairs = zip(fields, items, strict=True)
            inner = ", ".join(f"{field}={_shown(v, types)}" for field, v in pairs)
            return f"{_ascii(str(name)).rpartition('.')[2]}({inner})"
        case {"named": name}:
            return _ascii(str(name))
        case _:
            return _ascii(repr(structure.get("value")))


def _leaves(structure: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, int]]:
    """Each output of a structure, with the keys and places that lead to it."""
    match structure:
        case {"leaf": int(leaf)}:
            yield path, leaf
        case {"tuple": items} | {"list": items}:
            for place, item in enumerate(items):
                yield from _leaves(item, (*path, str(place)))
        case {"dict": entries}:
            for key, value in entries:
                yield from _leaves(value, (*path, str(key.get("value", "key"))))
        case {"record": _, "fields": fields, "items": items}:
            for field, item in zip(fields, items, strict=True):
                yield from _leaves(item, (*path, str(field)))
        case _:
            return


def _ascii(text: str) -> str:
    """Text for a comment, which it neither ends nor continues."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")
