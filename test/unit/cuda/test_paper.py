"""What paths cost on paper: `python -m bench.cuda --paper` needs no GPU."""

import torch
from test_networks import Collects, Exits, inputs_of_exits, ones, same
from torch import nn

import dycl
from bench import cuda_launches
from bench.cuda_launches import launches_of
from bench.cuda_paper import (
    COLUMNS,
    HEAD,
    PAGE,
    all_names,
    recipe_of,
    rows_of,
    whole_tree,
    with_rows,
)
from bench.cuda_walk import walk
from bench.subjects import Recipe
from dycl.runtime.decisions import sides_of


def columns(row):
    return [column.strip() for column in row.strip("| ").split("|")]


def found_rows(name, model, inputs):
    rows = rows_of(Recipe(name, "more", lambda: (model, inputs)))
    return [dict(zip(COLUMNS, columns(row), strict=True)) for row in rows]


def test_a_row_for_each_path():
    found = found_rows("exits", Exits().eval(), [(x,) for x in inputs_of_exits()])
    assert [row["path"] for row in found] == ["cheapest", "middle", "dearest"]
    kernels = [int(row["kernels"]) for row in found]
    assert 0 < kernels[0] < kernels[-1]
    for row in found:
        assert row["run as"] == "graph"
        assert 1 <= int(row["decisions"]) <= 3
        assert float(row["the path alone, us"]) < float(row["in all, us"])
        assert int(row["nodes"]) >= int(row["kernels"])
        assert float(row["starts, us"]) > 0 == float(row["compute, us"])


def test_the_tree_launches_what_the_processor_launches():
    """Also where a loop counts, and a condition is computed of the counter."""
    from examples import act_rnn

    [(model, inputs)] = act_rnn.cases()
    net = dycl.compile(model, inputs[0], backend="cuda")
    native = dycl.compile(model, inputs[0])
    functions = {p.name: len(p.functions) for p in net.library.programs}
    for given in inputs:
        with dycl.profile(native) as profile:
            native(*given)
        walked = walk(whole_tree(net), functions, sides_of(native.network.taken()))
        counted = {
            one["kernel"]: one["count"]
            for one in profile.data()["kernels"]
            if one["count"]
        }
        assert walked.launches == counted
        assert walked.nodes["rounds"] >= 5, "a step has one or more"


def test_a_network_that_is_no_graph_is_launched_by_the_host():
    inputs = [(ones(2),), (ones(2, of=5.0),)]
    found = found_rows("collects", Collects().eval(), inputs)
    assert {row["run as"] for row in found} == {"host"}
    for row in found:
        least = 5 * int(row["launches"]) + 19 * int(row["decisions"])
        assert float(row["in all, us"]) >= least > 0


def test_work_is_the_same_by_ops_and_when_it_is_seen(monkeypatch):
    """Of sizes that are fixed; both sides of the decision have a product."""
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend="reference")
    by_ops = [launches_of(net, (x,)) for x in inputs]
    monkeypatch.setattr(cuda_launches, "work_of_kernels", lambda module: {})
    assert [launches_of(net, (x,)) for x in inputs] == by_ops
    assert any(work.flops for run in by_ops for _, work in run)


def test_sizes_that_a_run_decides_are_seen():
    """A product of n rows by 4, for each of the n that grows in a loop."""

    class Grows(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Linear(4, 4, bias=False)

        def forward(self, x):
            while x.sum() < 50 and x.shape[0] < 6:
                x = torch.cat([x, self.weight(x)[:1].abs() + 1])
            return x

    model = Grows().eval()
    net = dycl.compile(model, (ones(1, 4),), backend="reference")
    for x in (ones(1, 4), ones(1, 4, of=30.0)):
        result = net(x)
        launched = launches_of(net, (x,))
        same(net(x), result)
        flops = [work.flops for _, work in launched if work.flops]
        assert flops == [2 * n * 4 * 4 for n in range(1, len(result))]
        assert all(work.bytes for _, work in launched)


def test_networks_have_rows_of_their_own_in_order():
    page = f"# A page\n\n{HEAD}\n| pabee | a |\n| act_rnn | b |\n"
    page = with_rows(page, ["| branchynet | c |", "| branchynet | d |"])
    page = with_rows(page, ["| pabee | e |"])
    rows = [
        "| branchynet | c |",
        "| branchynet | d |",
        "| pabee | e |",
        "| act_rnn | b |",
    ]
    assert page == "\n".join(["# A page\n", HEAD, *rows, ""])
    subjects = [name for name in all_names() if name[0].isdigit()]
    assert {name[0] for name in subjects} == set("123456789")
    assert {"ranet", "switch_moe", "speculative_decoding"} <= set(all_names())


def test_the_page_is_of_today():
    """A network of it, which takes seconds; the others are written by the command."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_rows(page, rows_of(recipe_of("branchynet"))) == page
