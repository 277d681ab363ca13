"""Random networks: eager, interpreted and compiled code agree, or DyCL refuses."""

from collections import Counter

import pytest

torch = pytest.importorskip("torch")

from tools.fuzz import judge, write_program  # noqa: E402

PROGRAMS = 100


def test_networks():
    """The first hundred seeds; `python -m tools.fuzz` makes a failing one small."""
    kinds, sides = Counter(), Counter()
    for seed in range(PROGRAMS):
        verdict = judge(write_program(seed))
        assert not verdict.failed, (
            f"seed {seed}: {verdict.kind}: {verdict.detail}\n"
            f"python -m tools.fuzz --from-seed {seed} --programs 1"
        )
        kinds[verdict.kind] += 1
        sides.update(len(taken) for taken in verdict.sides.values())
    assert kinds["refused"] < 0.3 * PROGRAMS, kinds
    assert kinds["same"] > 0.6 * PROGRAMS, kinds
    assert sides[2] > sides[1], sides
