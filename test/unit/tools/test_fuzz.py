"""`python -m tools.fuzz`: a run says where the next one goes on."""

import os
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from tools.commits import commit
from tools.fuzz.__main__ import piece
from tools.fuzz.isolation import each_isolated
from tools.fuzz.page import note
from tools.fuzz.runs import eager


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


TWO_TIMES = """
import time
from tools.fuzz.runs import Endless, at_most

def spend():
    end = time.process_time() + 10
    while time.process_time() < end:
        pass

start = time.process_time()
try:
    with at_most(0.3):
        try:
            with at_most(0.1):
                spend()
        except Endless:
            print("inner")
        spend()
except Endless:
    print("outer", 0.2 < time.process_time() - start < 5)
"""


def test_a_block_inside_another_ends_at_its_own_time():
    """And the outer one's time goes on. Signals are for a process of its own."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", TWO_TIMES],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=120,
    )
    assert done.stdout.split() == ["inner", "outer", "True"], done.stderr


def _spend_ten_seconds():
    end = time.process_time() + 10
    while time.process_time() < end:
        pass


class Counter(torch.nn.Module):
    """Raises for what is not positive, after it has counted."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        assert x.sum() > 0
        return x + self.calls


@pytest.mark.parametrize(
    ("signs", "calls"), [((1, 1, 1), 3), ((1, -1, 1), 2), ((-1, 1, 1), 2)]
)
def test_a_call_that_raises_changes_no_state(signs, calls):
    model = Counter()
    wanted, state = eager(model, [torch.tensor([float(sign)]) for sign in signs])
    assert state("calls") == calls
    assert ["raised" in one for one in wanted] == [sign < 0 for sign in signs]
    assert wanted[-1]["given"] == 1 + calls
    assert model.calls == 0


def _one_of(kind):
    if kind == "sleeps":
        time.sleep(60)
    elif kind == "works":
        _spend_ten_seconds()
    elif kind == "dies":
        os._exit(3)
    return kind


def test_what_dies_or_does_not_end_costs_no_other_call():
    kinds = ["fine", "sleeps", "dies", "fine", "works", "fine"]
    found = list(each_isolated(_one_of, kinds, patience=0.5))
    assert found == ["fine", None, None, "fine", None, "fine"]


def test_a_call_that_waits_for_its_turn_is_not_dead():
    """It sleeps longer than our patience, and works in between."""

    def works_now_and_then(_):
        for _ in range(4):
            time.sleep(0.5)
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass
        return "done"

    assert list(each_isolated(works_now_and_then, [0], patience=1.5)) == ["done"]
