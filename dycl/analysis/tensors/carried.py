"""What a loop may carry from one iteration to the next, as abstract values."""

from dycl.analysis.tensors.abstract import (
    Node,
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    children,
    is_container,
    kind_of,
    map_leaves,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf


def holds_list(value: object) -> bool:
    """Whether a value is a list or dict, or holds one."""
    if not is_container(value):
        return False
    return isinstance(value, (list, dict)) or any(map(holds_list, children(value)))


def is_carried(leaf: object) -> bool:
    """Whether a loop can hand on something of this kind, whatever its value."""
    number = kind_of(leaf) is not None
    return number or isinstance(leaf, (Tensor, ListOf, Node, Unknown, Unbound))


def any_iteration(value: object) -> object:
    """A value of a loop's start as one that other iterations may have too."""

    def one(leaf: object) -> object:
        kind = kind_of(leaf)
        return leaf if kind is None else Scalar(kind)

    return map_leaves(value, one)
