"""`python -m tools.fuzz`: a run says where the next one goes on."""

from argparse import Namespace

import pytest

pytest.importorskip("torch")

from tools.commits import commit
from tools.fuzz.__main__ import piece
from tools.fuzz.page import note


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


def test_a_page_keeps_a_line_of_each_run(tmp_path):
    page = tmp_path / "fuzz.md"
    note(page, range(100, 150), {"same": 48, "refused": 2}, [])
    note(page, range(151, 160, 2), {"same": 4, "compiled": 1}, [155])
    *_, first, second = page.read_text().splitlines()
    assert first == f"| 100 to 149 | {commit()} | 50 | 48 | 0 | 2 | 0 | none |"
    assert second.startswith("| 151 to 159, one of 2 |")
    assert second.endswith("| 5 | 4 | 0 | 0 | 0 | 155 |")
