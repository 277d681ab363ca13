"""Some hundred mutants of artifacts; `python -m tools.mutants` makes more of them."""

import pytest

from tools.mutants import Verdict, c_host, judge, mutant
from tools.mutants.__main__ import verdicts
from tools.mutants.subjects import SUBJECTS

COUNT = 250


@pytest.mark.parametrize("make", SUBJECTS, ids=lambda make: make.__name__)
def test_each_is_loaded_right_or_refused(make, tmp_path):
    kinds = []
    for seed, verdict in verdicts(make(tmp_path), range(COUNT), tmp_path):
        assert not verdict.failed, (seed, verdict.text)
        kinds.append(verdict.kind)
    assert kinds.count("refused") > COUNT / 2
    assert kinds.count("right") > COUNT / 20


def test_what_is_no_sentence_fails(saved, tmp_path, monkeypatch):
    """The verdicts can be bad ones."""
    data = saved.read_bytes()
    assert judge(data, set(), tmp_path / "m.dycl", []) == Verdict("right")
    import numpy as np

    x = np.ones((1, 4), np.float32)
    wrong = judge(data, set(), tmp_path / "m.dycl", [((x,), 1)])
    assert wrong.failed
    assert wrong.kind == "wrong"
    monkeypatch.setattr("tools.mutants.judging.Saved", lambda path: 1 / 0)
    assert judge(data, set(), tmp_path / "m.dycl", []).kind == "another error"


def test_a_seed_gives_one_mutant():
    members = {"manifest.json": b"{}", "a.json": b"[1]", "weights.safetensors": b"1"}
    assert mutant(members, 7) == mutant(members, 7)
    assert len({mutant(members, seed)[0] for seed in range(20)}) > 10


@pytest.mark.skipif(not c_host.can_sanitize(), reason="there is no AddressSanitizer")
def test_the_c_host_reads_no_memory_but_its_own(tmp_path):
    weights = c_host.build(tmp_path)
    said = c_host.said_of(tmp_path, weights, range(COUNT))
    assert 10 < sum(line.startswith("ran:") for line in said) < COUNT
