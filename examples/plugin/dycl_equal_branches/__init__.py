"""A researcher's own pass as a package of its own, plugged in by an entry point."""

from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _load() -> type[ModulePass]:
    from dycl_equal_branches.merge_equal_branches import MergeEqualBranchesPass

    return MergeEqualBranchesPass


UNIVERSE = Universe(all_passes={"research-merge-equal-branches": _load})
