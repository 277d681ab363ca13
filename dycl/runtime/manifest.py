"""The manifest of an artifact: read, and checked before anything is made of it.

Its own hash finds damage. Whoever writes one can hash it, too, so what stands in it is
checked as well: what is not there, or of another kind, is a sentence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dycl.runtime.json_tests import (
    Test,
    Wrong,
    anything,
    dict_of,
    fields_of,
    is_size,
    is_text,
    list_of,
    refuse,
)
from dycl.runtime.members import ArtifactError
from dycl.runtime.signature import Signature, items_of, parts
from dycl.runtime.target_members import members_of_target
from dycl.runtime.weights import PREPARED, SAFETENSORS_NAMES

FORMAT = 5
"""The version of the format that is written and read: of its members, and of the
layouts by which Python calls its code (`dycl.runtime.objects`, `cells`, `tensors`)."""

MANIFEST = "manifest.json"
HOST = "host.py"
WEIGHTS = "weights.safetensors"
GRAPH = "hcfg.json"
PICTURE = "hcfg.svg"
SOURCE_MAP = "srcmap.json"
SINGLE = "single.dycl"
"""The network for one row, where many are computed together: an artifact without
weights, which has those of the one that it is in."""
PROGRAM = "program.mlir.zlib"
"""Only `dycl.check` reads it; the network runs without."""
LARGEST_PROGRAM = 1 << 30
"""Bytes of its text; more is damage."""
CHECK = "check"
"""In the manifest: the hash of all that stands in it besides."""


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of a manifest that its own hash is of."""
    entries = {key: value for key, value in manifest.items() if key != CHECK}
    return json.dumps(entries, sort_keys=True, separators=(",", ":")).encode()


def read_manifest(path: object, members: Mapping[str, memoryview]) -> dict[str, Any]:
    """The manifest of the artifact at `path`. ArtifactError: it cannot be used."""
    if MANIFEST not in members:
        raise ArtifactError(f"'{path}' is not an artifact: it has no {MANIFEST}")
    content = read_json(path, MANIFEST, members[MANIFEST])
    if not isinstance(content, dict) or "format" not in content:
        raise damaged(path, MANIFEST)
    manifest = cast("dict[str, Any]", content)
    if manifest["format"] != FORMAT:
        raise ArtifactError(
            f"'{path}' has format {manifest['format']!r:.20}; this version of dycl "
            f"reads format {FORMAT}: save it again, or install the version that wrote "
            "it"
        )
    if hashlib.sha256(canonical(manifest)).hexdigest() != manifest.get(CHECK):
        raise damaged(path, MANIFEST)
    try:
        _check(manifest)
    except (Wrong, RecursionError) as error:
        raise unfit(path, f"in {MANIFEST}, {error}") from error
    return manifest


def read_json(path: object, name: str, data: memoryview) -> Any:
    """The content of a member. ArtifactError: it is no JSON."""
    try:
        return json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise damaged(path, name) from error


def damaged(path: object, name: str) -> ArtifactError:
    """The error of a member that is not what was saved."""
    return ArtifactError(
        f"'{path}' is damaged: {name} is not what was saved; copy or save it again"
    )


def unfit(path: object, why: str) -> ArtifactError:
    """The error of an artifact that no version of ours has written so."""
    return ArtifactError(f"'{path}' does not hold together: {why}; save it again")


# ---- what has to stand where


def _check(manifest: Mapping[str, Any]) -> None:
    for name, test in _ENTRIES.items():
        if name not in manifest:
            raise Wrong(f"`{name}` is missing")
        test(manifest[name], name)
    files: Mapping[str, Any] = manifest["files"]
    codes = [
        name for target in manifest["targets"] for name in members_of_target(target)
    ]
    for needed in (HOST, WEIGHTS, GRAPH, SOURCE_MAP, *codes):
        if needed not in files:
            raise Wrong(f"`files` has no {needed}")
    for name, paths in manifest["made"].items():
        if not name.startswith(PREPARED) or name.partition(":")[2] != ",".join(paths):
            raise Wrong(f"`made` says of '{name}' that it is made of something else")
    _check_sizes(manifest)
    if "rows" in manifest:
        _check_rows(manifest["rows"], len(manifest["inputs"]))
    if manifest["signature"] is not None:
        _check_signature(manifest["signature"], len(manifest["inputs"]))


def _dtype(value: Any, where: str) -> None:
    if not isinstance(value, str) or value not in SAFETENSORS_NAMES:
        refuse(where, "a dtype")


_tensor = fields_of(dtype=_dtype, shape=list_of(is_size))


def _named_size(value: Any, where: str) -> None:
    """A size, or the name of one that each call decides."""
    if not isinstance(value, str):
        is_size(value, where)


_open_tensor = fields_of(dtype=_dtype, shape=list_of(_named_size))


def _check_sizes(manifest: Mapping[str, Any]) -> None:
    """Each name in the shape of an input has a range, which has a size in it."""
    ranges = manifest.get("sizes", [])
    list_of(fields_of(name=is_text, min=is_size, max=anything))(ranges, "sizes")
    for place, one in enumerate(ranges):
        if one["max"] is not None:
            is_size(one["max"], f"sizes[{place}].max")
            if one["max"] < one["min"]:
                refuse(f"sizes[{place}]", "a range")
    known = {one["name"] for one in ranges}
    for place, given in enumerate(manifest["inputs"]):
        names = {size for size in given.get("shape", ()) if isinstance(size, str)}
        if not names <= known:
            refuse(f"inputs[{place}].shape", "of sizes that are known")


def _check_rows(value: Any, inputs: int) -> None:
    """What `dycl.runtime.rows` is told."""
    fields_of(
        inputs=list_of(is_size),
        form=is_text,
        most=is_size,
        few=is_size,
        shared=is_size,
        threads=is_size,
        ways=list_of(_way),
        decisions=list_of(anything),
    )(value, "rows")
    if not value["inputs"] or not all(one < inputs for one in value["inputs"]):
        refuse("rows.inputs", "numbers of inputs")
    if value["form"] not in ("one by one", "in order", "numbered", "by way"):
        refuse("rows.form", "a form that results have")
    if value["most"] < 1:
        refuse("rows.most", "a number of rows")
    for place, one in enumerate(value["decisions"]):
        kinds = [type(part) for part in one] if isinstance(one, list) else []
        if kinds != [str, str, str, int]:
            refuse(f"rows.decisions[{place}]", "a decision")


def _way(value: Any, where: str) -> None:
    """What the model returns on one way out: a structure, and its values."""
    fields_of(structure=anything, values=list_of(_row_value))(value, where)
    _check_structure(value["structure"], where, len(value["values"]))


def _check_structure(value: Any, where: str, leaves: int, depth: int = 0) -> None:
    """What `dycl.runtime.row_results` makes of so many leaves."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        refuse(where, "a structure")
    ((kind, content),) = cast("dict[str, Any]", value).items()
    items: list[Any] = []
    if kind == "leaf":
        is_right = type(content) is int and 0 <= content < leaves
    elif kind == "constant":
        is_right = content is None or isinstance(content, (bool, int, float, str))
    elif kind in ("tuple", "list"):
        items, is_right = content, isinstance(content, list)
    elif kind == "record":
        fields_of(name=is_text, kind=_record_kind, fields=anything)(content, where)
        is_right = _are_entries(content["fields"], str)
        items = [pair[1] for pair in content["fields"]] if is_right else []
    else:
        is_right = kind == "dict" and _are_entries(content, str, int, bool, type(None))
        items = [pair[1] for pair in content] if is_right else []
    if not is_right:
        refuse(where, "a structure")
    for item in items:
        _check_structure(item, where, leaves, depth + 1)


def _are_entries(value: Any, *kinds: type) -> bool:
    """Whether this is a list of pairs, of a key of such a class and something."""
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], kinds)
        for pair in cast("list[Any]", value)
    )


def _record_kind(value: Any, where: str) -> None:
    if value not in ("dataclass", "namedtuple", "mapping"):
        refuse(where, "a kind of records")


_DEEPEST = 200
"""How deep structures may lie in each other: Python's stack has room for these."""


def _row_value(value: Any, where: str) -> None:
    """A tensor or a number of one row."""
    fields_of(dtype=is_text, shape=anything)(value, where)
    if value["shape"] is not None:
        _tensor(value, where)


def _input(value: Any, where: str) -> None:
    """A tensor or a number, with a name."""
    fields_of(name=is_text)(value, where)
    if "scalar" not in value:
        _open_tensor(value, where)
    elif value["scalar"] not in ("int", "float", "bool", "node"):
        refuse(where, "a tensor or number")


def _targets(value: Any, where: str) -> None:
    list_of(_target)(value, where)
    names = [target["name"] for target in value]
    if not names or len({*names}) < len(names):
        refuse(where, "a list of different targets")


_target = fields_of(
    ("kernels", "engines", "memories"),
    name=is_text,
    engines=list_of(is_text),
    memories=list_of(is_text),
    triple=is_text,
    features=list_of(is_text),
    kernels=list_of(fields_of(name=is_text, symbol=is_text)),
)


_ENTRIES: dict[str, Test] = {
    "made_by": dict_of(is_text),
    "targets": _targets,
    "inputs": list_of(_input),
    "outputs": list_of(anything),
    "options": dict_of(anything),
    "signature": anything,
    "aliases": dict_of(is_text),
    "made": dict_of(list_of(is_text)),
    "left_out": dict_of(_tensor),
    "files": dict_of(fields_of(("sums",), bytes=is_size, sha256=is_text, sums=is_text)),
}


_GRAPH = fields_of(
    title=is_text,
    nodes=list_of(
        fields_of(
            ("size", "flops", "bytes"),
            **dict.fromkeys(("kind", "label", "name", "place", "size"), is_text),
            **dict.fromkeys(("row", "column", "flops", "bytes"), is_size),
        )
    ),
    edges=list_of(
        fields_of((), **{"from": is_size, "to": is_size}, label=is_text, back=anything),
    ),
)
_SOURCE_MAP = fields_of(
    kernels=dict_of(fields_of(file=is_text, line=is_size)),
    decisions=list_of(
        fields_of(name=is_text, test=is_text, file=is_text, line=is_size)
    ),
)


def check_graph(path: object, value: Any) -> dict[str, Any]:
    """What hcfg.json holds, as it should be. ArtifactError: it is not."""
    _checked(path, GRAPH, _GRAPH, value)
    count = len(value["nodes"])
    if any(("flops" in node) != ("bytes" in node) for node in value["nodes"]):
        raise unfit(path, f"in {GRAPH}, a node has half of its work")
    ends = [edge[end] for edge in value["edges"] for end in ("from", "to")]
    if any(end >= count for end in ends):
        raise unfit(path, f"in {GRAPH}, an edge has no node")
    return value


def check_source_map(path: object, value: Any) -> dict[str, Any]:
    """What srcmap.json holds, as it should be. ArtifactError: it is not."""
    _checked(path, SOURCE_MAP, _SOURCE_MAP, value)
    return value


def _checked(path: object, name: str, test: Test, value: Any) -> None:
    try:
        test(value, name)
    except Wrong as error:
        raise unfit(path, str(error)) from error


def _check_signature(value: Any, inputs: int) -> None:
    """What `dycl.runtime.signature` describes, with so many inputs."""
    pairs = list_of(list_of(anything))
    tests = {"arguments": pairs, "positional": list_of(is_text), "count": is_size}
    fields_of((), **tests, defaults=dict_of(anything))(value, "signature")
    for pair in value["arguments"]:
        if len(pair) != 2 or not isinstance(pair[0], str):
            refuse("signature.arguments", "a list of names and structures")
    made = Signature.of(value)
    assert made is not None
    leaves = [leaf for one in made.arguments.values() for leaf in _leaves(one)]
    if len(leaves) != inputs or made.count > len(made.arguments):
        refuse("signature", "about the inputs")


def _leaves(structure: Any) -> Iterator[str]:
    where = "signature.arguments"
    if not isinstance(structure, dict):
        refuse(where, "a structure")
    known = cast("Mapping[str, Any]", structure)
    if "leaf" in known:
        yield known["leaf"]
    elif "tree" in known:
        _tree(known, where)
        yield known["tree"]
        return
    elif "constant" in known:
        return
    elif "record" in known:
        fields_of(record=is_text, kind=is_text, fields=dict_of(anything))(known, where)
    elif items_of(known) is not None:
        list_of(anything)(items_of(known), where)
    else:
        fields_of(dict=list_of(_pair))(known, where)
    for _, inner, _ in parts(known, ""):
        yield from _leaves(inner)


_KINDS = ("node", "int", "float", "bool", "str")


def _tree(value: Any, where: str) -> None:
    """What `dycl.runtime.trees` describes."""
    tests = {"constructors": list_of(is_text), "read": list_of(is_size)}
    fields_of((), **tests, tree=is_text, fields=list_of(_tree_field))(value, where)
    fields: list[Any] = value["fields"]
    constructors = len(value["constructors"])
    if any(place >= len(fields) for place in value["read"]):
        refuse(where, "of fields that are known")
    if any(place >= constructors for _, _, of in fields for place in of):
        refuse(where, "of constructors that are known")


def _tree_field(value: Any, where: str) -> None:
    """Name, kind, the places of the constructors that have it."""
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 3:
        refuse(where, "a field")
    name, kind, of = cast("list[Any]", value)
    is_text(name, where)
    list_of(is_size)(of, where)
    while isinstance(kind, dict) and "members" not in kind:
        kind = cast("dict[str, Any]", kind).get("items")
    if isinstance(kind, dict):
        list_of(is_text)(cast("dict[str, Any]", kind)["members"], where)
    elif isinstance(kind, list) and len(cast("list[Any]", kind)) == 2:
        _tensor({"dtype": kind[0], "shape": kind[1]}, where)
    elif kind not in _KINDS:
        refuse(where, "a field")


def _pair(value: Any, where: str) -> None:
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 2:
        refuse(where, "a key and a value")
    if isinstance(value[0], (list, dict)):
        refuse(where, "a key and a value")
