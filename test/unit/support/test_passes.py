"""Passes from their names and options."""

from dataclasses import dataclass, field

import pytest
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from dycl.passes import get_all_passes
from dycl.support.passes import made

PASSES = {name: load() for name, load in get_all_passes().items()}


def test_no_options_are_those_of_the_spec():
    """What is made without `from_spec` is what that makes."""
    for name, cls in PASSES.items():
        spec = ArgSpec(name, {})
        if not cls.required_fields():
            assert made(cls, spec) == cls.from_spec(spec)


@dataclass(frozen=True)
class Odd(ModulePass):
    """Has an option with no default value, which may be left out."""

    name = "odd"
    limit: int | None
    kept: tuple[int, ...] = field(default_factory=tuple)

    def apply(self, ctx, op):
        pass


class Own(Odd):
    @classmethod
    def from_spec(cls, spec):
        return cls(7)


def test_options_are_read():
    assert made(Odd, ArgSpec("odd", {})).limit is None
    assert made(Odd, ArgSpec("odd", {"limit": (3,)})).limit == 3
    assert made(Own, ArgSpec("odd", {})).limit == 7
    with pytest.raises(ValueError, match="mismatch"):
        made(PASSES["dycl-inline-calls"], ArgSpec("odd", {}))
    with pytest.raises(ValueError, match="requires"):
        made(PASSES["dycl-repeat"], ArgSpec("dycl-repeat", {}))
