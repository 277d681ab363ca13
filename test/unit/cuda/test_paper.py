"""What paths cost on paper: `python -m bench.cuda --paper` needs no GPU."""

from test_networks import Collects, Exits, inputs_of_exits, ones

from bench.cuda import examples
from bench.cuda_paper import HEAD, rows_of
from bench.subjects import Recipe


def columns(row):
    return [column.strip() for column in row.strip("| ").split("|")]


def test_a_row_for_each_path():
    inputs = [(x,) for x in inputs_of_exits()]
    rows = rows_of(Recipe("exits", "more", lambda: (Exits().eval(), inputs)))
    names = columns(HEAD.splitlines()[0])
    found = [dict(zip(names, columns(row), strict=True)) for row in rows]
    assert [row["path"] for row in found] == ["cheapest", "middle", "dearest"]
    kernels = [int(row["kernels"]) for row in found]
    assert 0 < kernels[0] < kernels[-1]
    for row in found:
        assert 1 <= int(row["decisions"]) <= 3
        assert float(row["the path alone, us"]) < float(row["us"])
        assert int(row["nodes"]) >= int(row["kernels"])


def test_a_network_that_is_no_graph_is_told():
    inputs = [(ones(2),), (ones(2, of=5.0),)]
    [row] = rows_of(Recipe("collects", "more", lambda: (Collects().eval(), inputs)))
    assert row == "| collects | left out: it is no graph |"


def test_examples_are_those_with_inputs():
    found = examples()
    assert {"branchynet", "skipnet"} <= set(found)
    assert "original" not in found
