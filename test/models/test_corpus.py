"""The sample of `tools.corpus`: programs as other people write them, and the tool."""

import os
import time

import pytest
import torch

from tools.corpus.child import limited
from tools.corpus.judge import judge
from tools.corpus.libraries import programs_of
from tools.corpus.page import MOST, summary, write_page
from tools.corpus.programs import Program, Result
from tools.corpus.rounding import is_rounding
from tools.corpus.variants import FIRST

SAMPLE = list(programs_of("own", None))


@pytest.mark.parametrize("program", SAMPLE, ids=lambda program: program.name)
def test_sample(program):
    """Equal on every input, and decisions went both ways."""
    result = judge(program)
    assert (result.verdict, result.cause) == ("same", "")
    assert result.calls >= FIRST
    assert result.both or not result.decisions


def test_sample_is_a_sample():
    assert len(SAMPLE) == 30
    assert len({program.name for program in SAMPLE}) == 30


class Double(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x


def program_of(model, *inputs):
    return Program("test", "it", lambda: (model, inputs, {}))


class Refused(torch.nn.Module):
    def rows(self, x):
        try:
            yield x
        finally:
            print("the end")

    def forward(self, x):
        if x.sum() > 0:
            return list(self.rows(x))
        return x


def test_refusals_have_code_cause_and_line():
    result = judge(program_of(Refused(), torch.ones(2)))
    assert (result.verdict, result.code, result.dynamic) == ("refused", "DY103", True)
    assert "generator" in result.cause
    assert result.where == "yield x"


def test_what_does_not_count():
    class Fails(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    class Random(torch.nn.Module):
        def forward(self, x):
            return x + torch.rand(2)

    results = [judge(program_of(m(), torch.ones(2))) for m in (Fails, Random)]
    assert [r.verdict for r in results] == ["eager fails", "random"]
    assert not any(r.counts for r in results)


def test_wrong_answers_are_found(monkeypatch):
    from dycl.compiled import CompiledModel

    called = CompiledModel.__call__
    monkeypatch.setattr(CompiledModel, "__call__", lambda net, *x: called(net, *x) + 1)
    result = judge(program_of(Double(), torch.ones(2)))
    assert result.verdict == "wrong"
    assert "input 0: result 0: 3.0, not 2.0" in result.cause


def test_limits():
    began = time.monotonic()
    assert limited(time.sleep, 600, seconds=0.5, gib=1) == "late"
    assert time.monotonic() - began < 500
    assert limited(os._exit, 0, seconds=60, gib=1) == "died"
    assert limited(bytearray, 2**31, seconds=60, gib=1) == "died"
    assert limited(max, 1, 2, seconds=60, gib=1) == 2


def test_page(tmp_path):
    results = [
        Result("lib", "a", "same", dynamic=True, decisions=2, both=1),
        Result("lib", "b", "refused", code="DY301", cause="a | b", where="x.y()"),
        Result("lib", "c", "random"),
        *(Result("lib", f"{i}", "wrong", cause=f"cause {i}") for i in range(MOST)),
    ]
    assert [Result.from_json(r.to_json()) for r in results] == results
    assert "dynamic: 1 of 1 = 100.0% (1 same)" in summary(results)
    write_page(tmp_path / "page.md", results)
    text = (tmp_path / "page.md").read_text()
    assert "| all | 1 | 27 | 3.7% |" in text
    assert "| 1 | DY301 | a \\| b | `b` |" in text
    assert "Of 2 decisions that were seen, 1 went both ways." in text
    assert "And 1 causes of fewer programs." in text


class Cancels(torch.nn.Module):
    """The root of what cancels: an error of 1e-7 becomes one of 1e-4."""

    def forward(self, x):
        squares = (x * x).sum(1, keepdim=True)
        distances = squares + squares.t() - 2 * x @ x.t()
        return distances.clamp(min=1e-12).sqrt().diagonal().sum() + 1


@pytest.mark.parametrize(("factor", "is_small"), [(1e-4, True), (1e-2, False)])
def test_rounding(factor, is_small):
    """What eager itself moves by is no difference; more is."""
    x = torch.rand(4, 4, generator=torch.Generator().manual_seed(0))
    wanted = Cancels()(x)
    small = torch.rand(3, generator=torch.Generator().manual_seed(1))
    assert is_rounding(wanted + factor, wanted, Cancels(), (x,), {}) == is_small
    assert not is_rounding(small * (1 + factor), small, torch.nn.ReLU(), (small,), {})


class Counts(torch.nn.Module):
    """Sets an attribute, and then raises for some inputs."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count += 1
        if x.isnan().any():
            raise ValueError("no number")
        return x * self.count


def test_state_after_an_exception():
    """Eager keeps what was set before, we do not: both begin anew."""
    make = lambda: (Counts(), (torch.ones(2),), {})  # noqa: E731
    result = judge(Program("test", "it", make))
    assert result.verdict == "same"
    assert result.both == result.decisions == 1
