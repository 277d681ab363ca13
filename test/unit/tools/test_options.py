"""The options of the compiler agree with the passes that honour them."""

import dataclasses

import pytest

from dycl.options import CompileOptions
from dycl.passes.unroll_loops import UnrollLoopsPass


def test_the_default_limit_is_that_of_the_pass():
    fields = {field.name: field for field in dataclasses.fields(UnrollLoopsPass)}
    assert CompileOptions().max_trip_count == fields["max_trip_count"].default


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="max_trip_count is -1"):
        CompileOptions(max_trip_count=-1)
