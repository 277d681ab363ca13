"""A sample of wrong PTX is caught; `python test/unit/cuda/mutants.py` tries all."""

import random

import pytest

pytest.importorskip("triton")
from mutants import ORDER, Kernel, mutants_of, without_redundant

_SAMPLE = 30
_NEVER = ("no barrier", "no wait", "wait for less")
"""Mutants that would be a race on a GPU: all of them are tried."""


@pytest.fixture(scope="module")
def kernel():
    return Kernel("contraction-deep")


def test_what_is_not_waited_for_is_found(kernel) -> None:
    """But for the last wait: the last group of copies is empty."""
    tried = [(f, m) for f, m in kernel.mutants() if m.kind in _NEVER]
    assert len(tried) >= 6
    left = [m for f, m in tried if kernel.survives(f, m)]
    last = max((m for _, m in tried if "wait" in m.kind), key=lambda m: m.number)
    assert {(m.kind, m.number) for m in left} <= {("wait for less", last.number)}


def test_most_changes_of_an_instruction_are_found(kernel) -> None:
    others = [(f, m) for f, m in kernel.mutants() if m.kind not in _NEVER]
    sample = random.Random(0).sample(others, _SAMPLE)
    left = [m.line for f, m in sample if kernel.survives(f, m)]
    assert len(left) <= _SAMPLE * 0.05, left


def test_on_9_0_what_is_not_missed_is_redundant() -> None:
    """Triton has a wait and a fence for each product, where one serves those that sum
    to the same registers and read what was written before the first."""
    kernel = Kernel("contraction-causal@90")
    kernel.calls = kernel.calls[:1]
    gone = without_redundant(kernel)
    assert len(gone) <= 7, [m.line for _, m in gone]
    left = [(f, m) for f, m in kernel.mutants() if m.kind in ORDER]
    assert len(left) >= 18
    assert {m.kind for _, m in left} == {*ORDER}
    assert not [m.line for f, m in left if kernel.survives(f, m)]


def test_a_mutant_is_one_line() -> None:
    text = "\tbar.sync \t0;\n\tadd.s32 \t%r1, %r2, 4;\n"
    kinds = [(m.kind, m.text(text)) for m in mutants_of(text)]
    assert kinds == [
        ("no barrier", "\n\tadd.s32 \t%r1, %r2, 4;\n"),
        ("operation", "\tbar.sync \t0;\n\tsub.s32 \t%r1, %r2, 4;\n"),
        ("number", "\tbar.sync \t0;\n\tadd.s32 \t%r1, %r2, 5;\n"),
    ]
