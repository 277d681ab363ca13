"""The targets of an artifact: what they are called, and which members they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DEVICE = "cuda"
"""The target whose kernels run on a GPU, and its host in Python on any processor."""
TREE = f"{DEVICE}/graph.json"
"""The graphs of that target."""


def code_of(target: str) -> str:
    """The member that has the code for a target."""
    return f"{target}/{'kernels.json' if target == DEVICE else 'model.so'}"


def member_of_engine(target: str, engine: str) -> str:
    """The member that has the kernels of a target which an engine runs."""
    return f"{target}/engines/{engine}.json"


def beside_gpu(target: str) -> str:
    """The name of a target of which a GPU computes a part, and a processor the rest."""
    return f"{DEVICE}+{target}"


def needs_gpu(target: Mapping[str, Any]) -> bool:
    """Whether a GPU computes all or a part of a target."""
    return target["name"].partition("+")[0] == DEVICE


def targets_for_one_row(
    targets: Sequence[Mapping[str, Any]], name: str
) -> list[Mapping[str, Any]]:
    """Of the targets of a network for one row those that go with the one that is called
    `name` of the network around it, the best first.

    Of two backends, a GPU may compute all or a part of one row, and nothing of many,
    whose number is dynamic; so the names of both may differ.
    """
    if same := [target for target in targets if target["name"] == name]:
        return same
    wanted = name.removeprefix(beside_gpu(""))
    return [
        target
        for target in targets
        if name == DEVICE or target["name"] in (DEVICE, wanted, beside_gpu(wanted))
    ]


def members_for_gpu(target: Mapping[str, Any]) -> list[str]:
    """The kernels of a target that a GPU runs, and the copies; []: it runs none."""
    if DEVICE not in target.get("memories", []):
        return []
    return [f"{target['name']}/{name}.json" for name in ("kernels", "copies")]


def has_code(target: Mapping[str, Any]) -> bool:
    """Whether a target has code: not, if engines or a GPU run all of its kernels."""
    others = target.get("engines") or target.get("memories")
    return not others or bool(target.get("kernels"))


def members_of_target(target: Mapping[str, Any]) -> list[str]:
    """The members that a target cannot do without."""
    name, engines = target["name"], target.get("engines", [])
    members = [member_of_engine(name, engine) for engine in engines]
    members += members_for_gpu(target)
    return [*members, code_of(name)] if has_code(target) else members
