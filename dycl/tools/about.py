"""What is in an artifact, as facts for machines and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dycl.runtime.dtypes import dtype_name
from dycl.runtime.saved import Saved
from dycl.runtime.summary import size
from dycl.runtime.target_members import needs_gpu, targets_for_one_row

_MOST = 12
"""Weights, kernels and files that are listed; of the rest it is said how many."""


def about(saved: Saved) -> dict[str, Any]:
    """The facts. ArtifactError: some of them cannot be read."""
    manifest, places = saved.manifest, saved.source_map()
    weights = saved.weights()
    files = manifest["files"]
    return {
        "file": saved.path.name,
        "sha256": saved.sha256,
        "bytes": sum(entry["bytes"] for entry in files.values()),
        "format": manifest["format"],
        "inputs": manifest["inputs"],
        "outputs": _outputs(manifest),
        "decisions": places["decisions"],
        "kernels": places["kernels"],
        "weights": [
            {"name": n, "dtype": dtype_name(a), "shape": [*a.shape], "bytes": a.nbytes}
            for n, a in weights.params.items()
        ],
        "prepared": {
            "count": len(weights.made),
            "bytes": sum(made.data.nbytes for made in weights.made.values()),
        },
        "left_out": sorted(weights.left_out),
        "targets": [
            {
                "name": target["name"],
                "host": _host(target["name"], files),
                "gpu": _needs_gpu(saved, target),
                "features": target["features"],
            }
            for target in manifest["targets"]
        ],
        "files": {name: entry["bytes"] for name, entry in files.items()},
        "options": manifest["options"],
        "made_by": manifest["made_by"],
    }


def _outputs(manifest: Mapping[str, Any]) -> list[Any]:
    """What a call gives: for each `return`, or with rows for all of them together."""
    if (rows := manifest.get("rows")) is None:
        return manifest["outputs"]
    if not (ways := rows["ways"]):  # Each row is a call.
        return [{"items": output} for output in manifest["outputs"]]
    if len(ways) == 1:
        leaves = [_of_rows(value) for value in ways[0]["values"]]
        return [_filled(ways[0]["structure"], leaves, is_of_rows=True)]
    return [
        {"items": _filled(way["structure"], [_of_row(v) for v in way["values"]])}
        for way in ways
    ]


def _of_row(value: Mapping[str, Any]) -> Any:
    return {"scalar": value["dtype"]} if value["shape"] is None else value


def _of_rows(value: Mapping[str, Any]) -> Any:
    """A value of all rows: one tensor, or a list with an item for each row."""
    shape = value["shape"]
    if shape and shape[0] == 1:
        return {**value, "shape": ["rows", *shape[1:]]}
    return {"items": _of_row(value)}


def _filled(structure: Any, leaves: list[Any], is_of_rows: bool = False) -> Any:
    """What `forward` returns, with these types as its leaves."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        return leaves[content]
    if kind == "constant":
        is_number = isinstance(content, (bool, int, float))
        return {"items": structure} if is_of_rows and is_number else structure
    if kind == "record":
        fields = {n: _filled(item, leaves, is_of_rows) for n, item in content["fields"]}
        return {"record": content["name"], "fields": fields}
    if kind == "dict":
        return {
            kind: [[key, _filled(item, leaves, is_of_rows)] for key, item in content]
        }
    return {kind: [_filled(item, leaves, is_of_rows) for item in content]}


def lines_of(facts: Mapping[str, Any]) -> Iterator[str]:
    """The facts, a line or some for each."""
    whole = size(facts["bytes"])
    yield _row("file", f"{facts['file']}, {whole}, format {facts['format']}")
    yield _row("sha256", facts["sha256"])
    inputs = [f"{e['name']}: {_type(e)}" for e in facts["inputs"]]
    yield from _rows("inputs", inputs, len(inputs))
    yield from _rows(
        "outputs", [_type(e) for e in facts["outputs"]], len(facts["outputs"])
    )
    decisions = [
        f"{d['name']}: {d['test']} ({d['file']}:{d['line']})"
        for d in facts["decisions"]
    ]
    yield from _rows("decisions", decisions)
    kernels = [f"{name} ({_at(place)})" for name, place in facts["kernels"].items()]
    yield from _rows("kernels", kernels)
    weights = sorted(facts["weights"], key=lambda w: -w["bytes"])
    listed = [f"{w['name']}: {_type(w)}, {size(w['bytes'])}" for w in weights]
    yield from _rows("weights", listed)
    prepared = facts["prepared"]
    if prepared["count"]:
        yield _row(
            "", f"and {prepared['count']} made of them, {size(prepared['bytes'])}"
        )
    if facts["left_out"]:
        yield _row("", f"{len(facts['left_out'])} are left out: no run reads them")
    for target in facts["targets"]:
        needs = ["a GPU of NVIDIA's"] * target["gpu"] + target["features"]
        needs = " ".join(needs) or "nothing special"
        yield _row("target", f"{target['name']}, {target['host']} host; needs {needs}")
    sizes = sorted(facts["files"].items(), key=lambda item: -item[1])
    yield from _rows("files", [f"{name}: {size(count)}" for name, count in sizes])
    options = [f"{name}={value}" for name, value in facts["options"].items()]
    yield _row("options", " ".join(options) or "unknown")
    made_by = [f"{name} {version}" for name, version in facts["made_by"].items()]
    yield _row("made by", ", ".join(made_by))


def _host(target: str, files: Mapping[str, Any]) -> str:
    return "native" if f"{target}/host.json" in files else "python"


def _needs_gpu(saved: Saved, target: Mapping[str, Any]) -> bool:
    """Whether a GPU computes a part, be it for one row only."""
    if needs_gpu(target) or (single := saved.single()) is None:
        return needs_gpu(target)
    inner = targets_for_one_row(single.manifest["targets"], target["name"])
    return any(map(needs_gpu, inner))


def _at(place: Mapping[str, Any]) -> str:
    return f"{place['file']}:{place['line']}"


def _row(title: str, text: str) -> str:
    return f"{title:<11}{text}".rstrip()


def _rows(title: str, items: list[str], most: int = _MOST) -> Iterator[str]:
    if not items:
        yield _row(title, "none")
    for number, item in enumerate(items[:most]):
        yield _row("" if number else title, item)
    if len(items) > most:
        yield _row("", f"and {len(items) - most} more")


def _type(entry: Any) -> str:
    """What `dycl.host.outputs` and the manifest say of a value, as Python writes it."""
    if not isinstance(entry, dict):
        return repr(entry)
    if "shape" in entry:
        known = ["?" if size == -1 else str(size) for size in entry["shape"]]
        sizes = entry.get("sizes", known)
        return f"{entry['dtype']}[{', '.join(sizes)}]"
    if "constant" in entry:
        return repr(entry["constant"])
    if "scalar" in entry:
        return str(entry["scalar"])
    if "items" in entry:
        return f"list of {_type(entry['items'])}"
    if "tuple" in entry:
        return f"({', '.join(map(_type, entry['tuple']))})"
    if "list" in entry:
        return f"[{', '.join(map(_type, entry['list']))}]"
    if "dict" in entry:
        return f"{{{', '.join(f'{_key(k)}: {_type(v)}' for k, v in entry['dict'])}}}"
    if "fields" in entry:
        fields = [f"{name}={_type(value)}" for name, value in entry["fields"].items()]
        return f"{str(entry.get('record')).rpartition('.')[2]}({', '.join(fields)})"
    return str(entry)


def _key(key: Any) -> str:
    return _type(key) if isinstance(key, dict) else repr(key)
