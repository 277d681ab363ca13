"""`python -m tools.fuzz`: a run says where the next one goes on."""

from argparse import Namespace

import pytest

pytest.importorskip("torch")

from tools.commits import commit
from tools.fuzz.__main__ import piece


@pytest.mark.parametrize(
    ("left", "job", "tried", "then"),
    [(None, 0, "100 to 149", "150"), (120, 0, "100 to 119", "120")],
)
def test_a_run_says_how_to_go_on(left, job, tried, then):
    text = piece(range(100, 150), left, Namespace(job=job, jobs=1))
    assert text == f"seeds {tried} on {commit()}; go on with --from-seed {then}"


def test_jobs_go_on_with_their_own_seeds():
    """Job 1 of 2 from 100 on tries 101, 103, ...: so it does from 110 on."""
    text = piece(range(100, 150), 111, Namespace(job=1, jobs=2))
    assert text.endswith("go on with --from-seed 110 --job 1 --jobs 2")
