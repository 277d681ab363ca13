"""The bench runs, adds up and prints; what it measures is for people to judge."""

import json

import pytest
import torch

from bench import __main__ as bench
from bench import calls, compile_time, growth, kernels, networks, ops, rows, scale
from bench.models import Gated, built


@pytest.fixture(scope="module")
def case():
    """Three gated blocks, compiled, and inputs that take more than one path."""
    generator = torch.Generator().manual_seed(0)
    inputs = [(torch.randn(1, 4, generator=generator) * 3,) for _ in range(12)]
    return compile_time.compile_case("tiny", built(Gated(3)), inputs)


def test_paths_differ_in_what_they_launch(case):
    ways, sums = networks.measure(*case, rounds=2)
    assert [row["way"] for row in ways][:1] == ["cheapest"]
    assert len(ways) >= 2
    assert all(row["compiled"] > 0 and row["eager"] > 0 for row in ways)
    launches = [row["launches"] for row in sums]
    assert launches == sorted(launches)
    assert launches[0] < launches[-1] <= sums[0]["of"]
    assert all(row["its kernels"] > 0 for row in sums)


def test_compilation_knows_its_stages_and_sizes(case):
    row, sizes = case[0].row(), case[0].sizes()
    assert 0 < sum(row[name] for name in compile_time.STAGES) <= row["total"]
    assert sizes["decisions"] == 3
    assert sizes["after"] < sizes["kernels before sharing"]


def test_rows_are_compared_with_eager():
    function, tensors = rows.cases()["confidence 1x10"]
    row = rows.measure("confidence", function, tensors)
    fastest, median = map(float, row["ours us"].split())
    assert 0 < fastest <= median
    with pytest.raises(AssertionError, match="not close"):
        rows.measure("wrong", Wrong(), tensors)


class Wrong:
    """Another function each time: traced once, then called for the comparison."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x + self.calls


def test_scale_row_adds_up():
    row = scale.measure("exits", 2)
    assert row["network"] == "2 exits"
    assert row["passes"] > 0 < row["kernels"]
    assert row["passes"] + row["kernels"] <= row["total"]
    assert row["ms a decision"] == pytest.approx(row["total"] * 500)
    assert 0 < row["hcfg lines"] < row["host lines"] < row["host.py lines"]
    assert row["off by"] < 1e-5


@pytest.mark.parametrize("kind", growth.KINDS)
def test_growth_row_adds_up(kind):
    row = growth.measure(kind, 20, passes=True)
    stages = sum(row[name] for name in compile_time.STAGES)
    passes = sum(value for name, value in row.items() if name.startswith("dycl-"))
    assert 0 < passes < stages <= row["total"]
    assert row["off by"] < 1e-5


def test_json_has_what_was_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scale, "SIZES", (("gated blocks", (1,)),))
    file = tmp_path / "sub" / "bench.json"
    assert bench.main(["--only", "scale", "--json", str(file)]) == 0
    report = json.loads(file.read_text(encoding="utf-8"))
    assert list(report) == ["machine", "scale"]
    printed = capsys.readouterr().out
    assert report["machine"]["torch"] in printed
    assert "1 gated blocks" in printed


def test_failing_scale_row_says_why():
    with pytest.raises(RuntimeError, match="7 spirals:\n(.|\n)*KeyError"):
        scale.rows((("spirals", (7,)),))


@pytest.mark.parametrize(
    ("count", "labels"),
    [
        (1, ["the only"]),
        (2, ["cheapest", "dearest"]),
        (3, ["cheapest", "middle", "dearest"]),
        (8, ["cheapest", "middle", "dearest"]),
    ],
)
def test_chosen_paths_are_labelled_in_the_order_of_their_cost(count, labels):
    paths = [networks.Path("", (number,), []) for number in range(count)]
    found = networks.select(paths)
    assert [path.label for path in found] == labels
    assert [path.arguments for path in found] == sorted(p.arguments for p in found)


def test_kernels_are_measured_against_a_roof() -> None:
    cases = kernels.cases()
    for name, unit in (("3x3 64@8", "GF/s"), ("linear 1x512->10", "GB/s")):
        row = kernels.measure(name, cases[name])
        assert row["work"] == name
        assert row["roof"].endswith(unit)
        assert float(row["%"]) > 0


def test_operators_are_a_page_with_those_that_are_slower(monkeypatch) -> None:
    monkeypatch.setattr(ops, "ROUNDS", 1)
    table = ops.rows(["topk", "bmm"])
    assert [row["operator"] for row in table] == ["topk", "bmm"]
    assert all(float(row["x"]) > 0 for row in table)
    table[0]["x"], table[1]["x"] = "0.50", "2.00"
    text = ops.page(table)
    assert "| bmm |" in text
    assert text.endswith("Slower than eager: topk.\n")


def test_calls_from_c_and_from_python_are_timed(capsys, monkeypatch) -> None:
    monkeypatch.setattr(calls, "CALLS", 3)
    monkeypatch.setattr(calls, "ROUNDS", 1)
    calls.show_calls(calls.c_loop())
    head, *rows = capsys.readouterr().out.strip().splitlines()
    assert head.split()[0] == "network"
    assert [row.split("  ")[0] for row in rows] == [
        *("a tensor", "two tensors, a float", "state")
    ]
