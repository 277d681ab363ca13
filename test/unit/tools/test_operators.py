"""`python -m tools.operators`: what it says of operators, processes and its page."""

import json
import os
import subprocess
import time

import pytest
import torch

from tools.operators import isolation
from tools.operators.isolation import Limits, judged, judged_together, within
from tools.operators.judge import in_order, judge
from tools.operators.page import page
from tools.operators.results import Results
from tools.operators.samples import (
    Lines,
    difference,
    exactly,
    lines_of,
    operators,
)

LIMITS = Limits(together=100, alone=100)


def the_operator(name):
    return next(op for op in operators() if op.name == name)


def started(seconds):
    """Start a process that outlives its parent, and never answer."""
    child = subprocess.Popen(["sleep", str(seconds)])
    return child.wait()


@pytest.mark.parametrize(
    ("function", "argument", "outcome"),
    [(abs, -2, (2, "")), (os._exit, 7, (None, "died")), (int, "a", (None, "died"))],
)
def test_a_process_answers_or_dies(function, argument, outcome):
    assert within(20, function, argument) == outcome


def busy(seconds):
    """Use so much CPU."""
    while time.process_time() < seconds:
        pass


def sleeping(times):
    """Wait longer than the limit, but work in between."""
    for _ in range(times):
        time.sleep(0.4)
        busy(time.process_time() + 0.02)
    return times


def test_a_process_that_stands_still_is_ended_with_what_it_started():
    start = time.monotonic()
    assert within(1, started, 50) == (None, "late")
    assert time.monotonic() - start < 25


def test_limits_are_of_cpu():
    """On a loaded machine nothing is late that is not on an idle one."""
    assert within(0.6, busy, 1000) == (None, "late")
    assert within(1.5, sleeping, 5) == (5, "")


def test_the_call_that_ends_the_process_is_found(monkeypatch):
    def deadly(lines):
        if any("cos" in call for call in lines.calls):
            os._exit(1)
        return [(call, "same", "") for call in lines.calls]

    monkeypatch.setattr("tools.operators.isolation.judge", deadly)
    lines = Lines(["torch.sin(t0)", "torch.cos(t0)"], [torch.ones(2)])
    monkeypatch.setattr("tools.operators.isolation.lines_of", lambda *_: lines)
    assert judged("op", "function", torch.float32, 2, LIMITS) == [
        ("torch.sin(t0)", "same", ""),
        ("torch.cos(t0)", "died", ""),
    ]


def test_no_tensor_comes_back_from_a_child(monkeypatch):
    """What the process that goes on for hours is given is text."""
    given = []
    real = isolation.within

    def watched(seconds, function, *arguments):
        given.append(real(seconds, function, *arguments)[0])
        return given[-1], ""

    monkeypatch.setattr(isolation, "within", watched)
    unit = the_operator("sin"), "function", torch.float32
    judged_together([unit], 2, LIMITS)
    judged(*unit, 2, LIMITS)
    assert len(given) == 3
    json.dumps(given)


def test_equal_elements_may_be_sorted_in_another_order():
    """Rows of many equal elements, of which eager keeps no order."""
    x = torch.arange(200).remainder(3).to(torch.uint8).reshape(2, 100)
    calls = ["torch.sort(t0)", "torch.sort(t0, 0, True)", "torch.argsort(t0, dim=1)"]
    assert judge(Lines(calls, [x])) == [(call, "same", "") for call in calls]


@pytest.mark.parametrize(
    ("call", "ordered"),
    [
        ("torch.sort(t0, -1, True)", "stable=True, dim=-1, descending=True"),
        ("torch.argsort(t0, dim=1)", "stable=True, dim=1"),
        ("torch.sort(t0)", "stable=True"),
    ],
)
def test_a_sort_is_compared_with_one_that_keeps_the_order(call, ordered):
    name = call.partition("(")[0]
    assert in_order(call) == f"{name}(t0, {ordered})"
    assert in_order(in_order(call)) == in_order(call)


def test_what_is_nearer_to_the_exact_answer_than_eager_is_the_same():
    near, far = torch.tensor([1.0, 1.001]), torch.tensor([1.0, 1.005])
    exact = torch.tensor([1.0, 1.002]).double()
    assert difference(near, far, exact) == ""
    assert difference(far, near, exact).endswith("at 1 of 2")
    assert difference(near * torch.nan, far, exact)
    # As far from it as another branch: eager compares with 0.7 as a float32.
    assert difference(near * 0, near, exact * 0)
    assert difference(near > 1, far > 2, exact > 1)
    (rounded,) = exactly("torch.sum(t0)", [torch.tensor([1.0, 1e-9])])
    assert rounded.item() == 1.0 + float(torch.tensor(1e-9))


def test_what_draws_a_random_number_is_no_sample():
    lines = lines_of(the_operator("bernoulli"), "function", torch.float32)
    assert [x.numel() for x in lines.tensors] == [0]


def test_a_kernel_that_cannot_be_built_is_a_refusal():
    calls = ["torch.sin(t0)", "torch.nn.functional.max_pool3d(t1, 1)"]
    given = Lines(calls, [torch.ones(2), torch.ones(1, 2, 2, 2, dtype=torch.int64)])
    found = {call: outcome for call, outcome, _ in judge(given)}
    assert found == {"torch.sin(t0)": "same", calls[1]: "refused"}


def test_bf16_is_given_and_comes_back_as_bf16():
    x = torch.linspace(-1, 1, 7, dtype=torch.bfloat16)
    calls = ["torch.neg(t0)", "torch.sort(t0)", "t0.float() * 1.001"]
    assert judge(Lines(calls, [x])) == [(call, "same", "") for call in calls]


@pytest.mark.parametrize("form", ["function", "in place"])
def test_an_operator_is_as_in_eager(form):
    found = judged(the_operator("sin"), form, torch.float32, 2, LIMITS)
    assert [outcome for _, outcome, _ in found] == ["same"] * len(found)
    assert ("sin_" in found[0][0]) == (form == "in place")


def test_several_operators_are_judged_in_one_model():
    units = [(the_operator(name), "function", torch.float32) for name in ("sin", "cos")]
    sines, cosines = judged_together(units, 2, LIMITS)
    assert {call.partition("(")[0] for call, *_ in sines} == {"torch.sin"}
    assert {call.partition("(")[0] for call, *_ in cosines} == {"torch.cos"}
    assert {outcome for _, outcome, _ in sines + cosines} == {"same"}


def test_wrong_and_refused_calls_are_told_apart(monkeypatch):
    for module in ("judge", "samples"):
        monkeypatch.setattr(
            f"tools.operators.{module}.evaluated", lambda *_: torch.ones(2)
        )
    lines = Lines(["torch.sin(t0)", "torch.rand_like(t0)"], [torch.zeros(2)])
    found = {call: (outcome, words) for call, outcome, words in judge(lines)}
    assert found["torch.sin(t0)"] == ("wrong", "0.0, not 1.0, at 0 of 2")
    assert found["torch.rand_like(t0)"][0] == "refused"


def test_a_run_goes_on_where_it_ended(tmp_path):
    file = tmp_path / "results.jsonl"
    Results([file], keeps=False).add(
        "sin", "function", "float32", [["c", "same", ""]], 1
    )
    again = Results([file], keeps=True)
    assert again.holds("sin", "function", "float32")
    assert not again.holds("sin", "function", "int64")
    assert json.loads(file.read_text())["commit"]
    assert not Results([file], keeps=False).holds("sin", "function", "float32")


def test_the_page_counts_and_says_causes(tmp_path):
    results = Results([tmp_path / "results.jsonl"], keeps=False)
    calls = [["one", "same", ""], ["two", "refused", "DY301 no `f`, (1, 2)"]]
    results.add("sin", "function", "float32", calls, 1)
    results.add("cos", "function", "float32", [["three", "wrong", "1"]], 1)
    text = page(results)
    every = sum(op.supports_dtype(torch.float32, "cpu") for op in operators())
    row = f"| float32 | function | 2 of {every} | 1 | 1 | 1 | 0 | 0 | 66.7 % | "
    assert row in text
    assert "* three: cos (float32)" in text
    assert "* DY301 no ..., ...: sin (float32)" in text


def results_of(path, *of):
    """Results with one call, refused, of each (operator, form, dtype)."""
    results = Results([path], keeps=False)
    for name, form, dtype in of:
        calls = [["c", "refused", "DY301 `x`: none (1)"]]
        results.add(name, form, dtype, calls, 1)
    return results


def test_the_page_keeps_what_was_not_asked_again(tmp_path):
    """Neither rows nor causes are lost, or kept twice."""
    file, first = tmp_path / "results.jsonl", ("sin", "function", "float32")
    more = ("sin", "in place", "float32"), ("median with_dim", "function", "int64")
    whole = page(results_of(file, first, *more))
    for one in (first, *more):
        assert page(results_of(file, one), whole) == whole
    again = page(results_of(file, ("cos", "function", "float32")), whole)
    assert (
        "* DY301 ...: none ...: cos (float32), median with_dim (int64), sin (" in again
    )
    assert "sin (float32 in place)" in again
    assert "sin (float32)," not in again
