"""The options of the compiler agree with the passes that honour them."""

import dataclasses

import pytest

from dycl.options import CompileOptions
from dycl.passes.roll_loops import RollLoopsPass
from dycl.passes.unroll_loops import UnrollLoopsPass

LIMITS = {"max_trip_count": UnrollLoopsPass, "max_unrolled": RollLoopsPass}


@pytest.mark.parametrize("name", LIMITS)
def test_the_default_limit_is_that_of_the_pass(name):
    fields = {field.name: field for field in dataclasses.fields(LIMITS[name])}
    assert getattr(CompileOptions(), name) == fields[name].default


@pytest.mark.parametrize("name", LIMITS)
def test_a_negative_limit_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} is -1"):
        CompileOptions(**{name: -1})
