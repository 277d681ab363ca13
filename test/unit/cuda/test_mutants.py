"""A sample of wrong PTX is caught; `python test/unit/cuda/mutants.py` tries all."""

import random

import pytest

pytest.importorskip("triton")
from mutants import Kernel, mutants_of

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


def test_a_mutant_is_one_line() -> None:
    text = "\tbar.sync \t0;\n\tadd.s32 \t%r1, %r2, 4;\n"
    kinds = [(m.kind, m.text(text)) for m in mutants_of(text)]
    assert kinds == [
        ("no barrier", "\n\tadd.s32 \t%r1, %r2, 4;\n"),
        ("operation", "\tbar.sync \t0;\n\tsub.s32 \t%r1, %r2, 4;\n"),
        ("number", "\tbar.sync \t0;\n\tadd.s32 \t%r1, %r2, 5;\n"),
    ]
