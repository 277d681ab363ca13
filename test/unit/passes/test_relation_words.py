"""Relations between sizes as sentences."""

import pytest

from dycl.passes.expansion.relation_words import in_words

NAMES = {"d0r1_": "n", "d1r1_": "m"}

SENTENCES = {
    "d0r1_ == 16": "`n` must be 16",
    "(d0r1_ % 4) == 0": "`n` must be a multiple of 4",
    "d0r1_ == d1r1_": "`n` must be `m`",
    "3 <= d0r1_": "`n` must be at least 3",
    "d0r1_ == Min(d0r1_, 64)": "`n` must be at most 64",
    "Min(64, d0r1_) == d0r1_": "`n` must be at most 64",
    "d0r1_ == Max(d1r1_, d0r1_)": "`n` must be at least `m`",
    "d0r1_ == Min(64, d1r1_)": "`n` must be `Min(64, m)`",
}


@pytest.mark.parametrize("relation", SENTENCES)
def test_a_relation_in_words(relation: str):
    assert in_words(relation, NAMES) == SENTENCES[relation]
