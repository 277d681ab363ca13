"""Labels of scopes: each is unique in its module."""

from xdsl.dialects.builtin import ModuleOp

from dycl.ir.dialect import ScopeOp
from dycl.ir.walking import walk


def labels_of(module: ModuleOp) -> dict[str, int]:
    """The labels of all scopes, each with the number to try next for its stem."""
    return {o.label.data: 1 for o in walk(module) if isinstance(o, ScopeOp)}


def fresh_label(taken: dict[str, int], stem: str) -> str:
    """A label that no scope has yet; it is taken from now on."""
    label = stem
    while label in taken:
        label = f"{stem}_{taken[stem]}"
        taken[stem] += 1
    taken[label] = 1
    return label
