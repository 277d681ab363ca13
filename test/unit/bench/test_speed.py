"""The race against peers: its counting, its turns, its pages; no speed is asserted."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from torch import nn

from bench import (
    contest,
    contestant,
    machine,
    slices,
    speed,
    speed_numbers,
    speed_report,
    subjects,
    worker,
)
from bench.contestant import Entry, Failed, Limits, error_in
from bench.machine import one_thread
from bench.models import Exits, built
from bench.peers import keep
from bench.rewrites import rewritten
from bench.work import Work, work_of
from dycl.checking.values import largest_relative


@pytest.fixture(autouse=True)
def alone():
    """No threads of torch that wait for each other on a busy machine."""
    with one_thread():
        yield


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A pickled subject of two exits, and the inputs of its three ways."""
    model = built(Exits(2))
    generator = torch.Generator().manual_seed(0)
    found = {}
    for _ in range(40):
        x = torch.randn(1, 4, generator=generator)
        found.setdefault(work_of(model, (x,)).flops, (x,))
    inputs = [found[flops] for flops in sorted(found)]
    assert len(inputs) == 2
    subject = subjects.Subject(
        "tiny",
        model,
        ["exit 1", "the end"],
        inputs,
        [model(*given).detach() for given in inputs],
        [work_of(model, given) for given in inputs],
    )
    file = tmp_path_factory.mktemp("subjects") / "tiny.pt"
    subjects.save(subject, file)
    return file


def test_work_counts_what_runs_and_which_weights_meet_one_row():
    linear, x = nn.Linear(8, 4), torch.randn(1, 8)
    work = work_of(linear, (x,))
    assert (work.flops, work.row_flops, work.row_bytes) == (64, 64, 128)
    assert work.weight_bytes == 128 + 16
    rows = work_of(linear, (torch.randn(5, 8),))
    assert (rows.flops, rows.row_flops) == (5 * 64, 0)
    conv = work_of(nn.Conv2d(2, 3, 3, padding=1), (torch.randn(1, 2, 8, 8),))
    assert (conv.flops, conv.row_bytes) == (2 * 3 * 2 * 9 * 64, 0)


def test_nominal_peak_is_operations_and_weights():
    assert Work(110, 10, 40, 40).at_peak(100.0, 10.0) == pytest.approx(1.0 + 4.0)


def test_a_decoder_alone_writes_the_captions_of_its_network():
    whole, images = subjects._captioner("build_twin")()
    alone, features = subjects._decoder("build_twin")()
    captions = [whole(*image) for image in images]
    assert len({caption.size(1) for caption in captions}) > 3
    for given, caption in zip(features, captions, strict=True):
        assert given[0].is_contiguous()
        assert torch.equal(alone(*given), caption)


def test_time_at_nominal_peak_grows_with_the_work(tiny):
    first, last = speed.at_peak(subjects.load(tiny), 1)
    assert 0 < first < last


@pytest.mark.parametrize(
    ("flops", "order", "labels"),
    [
        ([7, 7], [0], ["all"]),
        ([9, 7, 9], [1, 0], ["cheapest", "dearest"]),
        ([5, 3, 9, 4], [1, 0, 2], ["cheapest", "middle", "dearest"]),
    ],
)
def test_three_paths_are_the_first_inputs_of_their_cost(flops, order, labels):
    assert subjects._three(subjects._by_cost(flops)) == (order, labels)


def test_contestants_answer_in_turns(tiny, tmp_path):
    said = []
    entries = contest.race(
        tiny, ["DyCL", "eager"], tmp_path, rounds=2, seconds=0.0, say=said.append
    )
    assert [entry.error for entry in entries] == ["", ""]
    for entry in entries:
        assert [len(times) for times in entry.times] == [2 * contest.FEWEST] * 2
        assert entry.slices == [[0] * 2 * contest.FEWEST] * 2
        assert entry.right(0)
        assert entry.right(1)
        assert 0 < entry.best(0) <= entry.median(0)
        assert entry.peak > 0
    assert entries[0].host == "native"
    assert entries[0].plain == []
    assert entries[1].plain is None


def test_a_contestant_that_cannot_compile_says_why(tiny, tmp_path):
    [entry] = contest.race(tiny, ["AOTInductor"], tmp_path, say=str)
    assert entry.error.startswith("KeyError: 'tiny'")
    assert entry.times == []
    missing = tmp_path / "none.pt"
    [entry] = contest.race(missing, ["eager"], tmp_path, say=str)
    assert entry.error.startswith("FileNotFoundError")


def test_a_contestant_ends_with_a_race_that_is_interrupted(tiny, tmp_path, monkeypatch):
    begun = []

    def interrupted(self, _):
        begun.append(self._process)
        raise KeyboardInterrupt

    monkeypatch.setattr(contestant.Contestant, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        contestant.Contestant("eager", tiny, tmp_path, 1, Limits())
    assert begun[0].poll() is not None


def test_what_a_peer_could_not_is_remembered(tmp_path, monkeypatch):
    tries = []

    def refuse(*given):
        tries.append(given)
        raise Failed("no")

    monkeypatch.setattr(contestant, "Contestant", refuse)

    def attempt(name, limits):
        with pytest.raises(Failed, match="no"):
            contestant.started(name, tmp_path / "x.pt", tmp_path, 1, limits)
        return len(tries)

    assert attempt("TVM", Limits(10.0, 4.0)) == 1
    assert attempt("TVM", Limits(5.0, 4.0)) == 1
    assert attempt("TVM", Limits(20.0, 4.0)) == 2, "it may have more time"
    assert attempt("DyCL", Limits(5.0, 4.0)) == 3
    assert attempt("DyCL", Limits(5.0, 4.0)) == 4, "ours is tried every time"


def test_ours_is_compiled_again_where_no_other_work_is(tiny, tmp_path):
    options = speed.make_parser().parse_args(["--build", str(tmp_path)])
    entries = [Entry("DyCL", compile=-1.0), Entry("eager", compile=-1.0)]
    speed.compile_alone(entries, tiny, options, 1, slices.Slices())
    assert entries[0].compile > 0
    assert entries[1].compile == -1.0, "a peer has what it cost the first time"


def test_without_rounds_contestants_only_compile(tiny, tmp_path):
    [entry] = contest.race(tiny, ["eager"], tmp_path, rounds=0, say=str)
    assert entry.errors == [0.0, 0.0]
    assert entry.times == [[], []]


def test_a_contestant_has_so_much_memory_and_no_more(tiny, tmp_path):
    limits = Limits(60.0, 0.01)
    [entry] = contest.race(tiny, ["eager"], tmp_path, limits=limits, say=str)
    assert entry.error
    assert not entry.errors


def test_error_of_a_contestant_is_what_its_compiler_calls_one():
    said = "Error invoking x\nDiagnostics:\na.mlir:3:4: error: failed to legalize\n  ^"
    assert worker.first_line(ValueError(said)) == "ValueError: failed to legalize"
    assert worker.first_line(ValueError("no\nmore")) == "ValueError: no"
    assert worker.first_line(ValueError()) == "ValueError: "


def test_error_in_a_traceback():
    text = "Traceback:\n  File x\nValueError: first\n\nThe above\nKeyError: last\n  y"
    assert contestant.error_in(text) == "KeyError: last"
    assert contestant.error_in("") == "it failed"


def report():
    """Numbers: ours, a peer that is right on one path, one that fails."""
    entries = [
        Entry(
            "DyCL",
            compile=7.5,
            errors=[0.0, 1e-7],
            times=[[1e-3, 3e-3, 2e-3], [2e-3]],
        ),
        Entry("eager", errors=[0.0, 0.0], times=[[4e-3], [6e-3]]),
        Entry("ONNX Runtime", errors=[0.0, 0.4], times=[[0.5e-3], [1e-3]]),
        Entry("TVM", error="ValueError: a < b | c"),
    ]
    subject = {
        "title": "tiny",
        "size": "small",
        "threads": 1,
        "labels": ["exit 1", "the end"],
        "floors": [0.5e-3, 1e-3],
        "flops": [1, 2],
        "entries": [entry.__dict__ for entry in entries],
    }
    machine = {"CPU": "some"}
    return {"machine": machine, "command": "c", "subjects": {"tiny 1": subject}}


def test_wrong_answers_are_shown_and_count_for_nothing():
    page = speed_report.markdown(report())
    assert "| DyCL |  | 1.00 (2.00) | 2.00 (2.00) |" in page
    assert "| ONNX Runtime | by hand | 0.50 (0.50) | **wrong** 1.00 (1.00) |" in page
    assert "| at nominal peak |  | 0.50 | 1.00 |" in page
    assert (
        "| DyCL against the best as it is |  | 4.00x (2.00x) | 3.00x (3.00x) |" in page
    )
    slower = "| DyCL against the best of all |  | **slower: 0.50x (0.25x)** | 3.00x"
    assert slower in page
    assert "| DyCL, of nominal peak |  | 50 % | 50 % |" in page
    assert "| TVM | by hand | none |  |" in page
    assert "ValueError: a &lt; b / c" in page


def test_what_threads_could_gain_stands_beside_them():
    assert all(gain > 0 for gain in speed.gains_of(2, 2))
    assert speed.gains_of(1) == []
    assert (
        "1.00x to 2.00x of one, median 1.90x"
        in speed_report.gains({"threads": 2, "gains": [1.0, 1.9, 2.0]})[0]
    )
    assert speed_report.gains({"threads": 1, "gains": []}) == []


def test_summary_names_the_best_of_each_kind():
    [_, _, row] = speed_report.summary(report())
    assert row == (
        "| tiny | 1.00 to 2.00 | 3.00x to 4.00x (eager) | "
        "**0.50x to 3.00x (ONNX Runtime, eager)** | - | 50 % | - | 7.5 | - |"
    )
    numbers = report()
    numbers["subjects"]["tiny 1"]["entries"][0]["errors"] = [1.0, 1.0]
    assert speed_report.summary(numbers)[2] == "| tiny | none |  |  |  |  |  |  |  |"


def traced():
    """The same with a trace per path that is faster than ours on one."""
    numbers = report()
    line = {"peer": "OpenVINO, trace per path", "errors": [0.0, 0.0]}
    line["times"] = [[4e-4], [3e-3]]
    numbers["subjects"]["tiny 1"]["entries"].append(line)
    return numbers


def test_a_path_told_beforehand_is_no_rival_where_a_network_decides():
    numbers = traced()
    [_, _, before] = speed_report.geomeans(report())
    [_, _, line] = speed_report.geomeans(numbers)
    assert line.split(" | ")[1:3] == before.split(" | ")[1:3]
    page = speed_report.markdown(numbers)
    assert "| OpenVINO, trace per path | one path | 0.40" in page
    numbers["subjects"]["tiny 1"]["plain"] = True
    assert speed_numbers.ratios(numbers["subjects"].values()) == [0.4, 1.5]


def test_a_wheel_that_holds_an_engine_back_is_named():
    numbers = report()
    assert "AVX-512" not in speed_report.markdown(numbers)
    line = Entry("MNN, trace per path", version="3", errors=[0.0, 0.0])
    line.times = [[4e-3], [5e-3]]
    numbers["subjects"]["tiny 1"]["entries"].append(line.__dict__)
    page = speed_report.markdown(numbers)
    assert "MNN is held back: its wheel has no AVX-512 code" in page
    assert "largest difference 0e+00; its wheel has no AVX-512 code |" in page


def test_the_page_says_how_long_slices_were():
    numbers = report()
    assert "slices of" not in speed_report.markdown(numbers)
    numbers["subjects"]["tiny 1"]["within"] = 50.0
    assert "in slices of 50 seconds at most" in speed_report.markdown(numbers)


def test_each_network_has_its_date_and_processor():
    numbers = report()
    subject = numbers["subjects"]["tiny 1"]
    assert speed_report.summary(numbers)[2].endswith("| 7.5 | - |")
    subject |= {"raced": "2026-11-27", "processor": "A (family 1)"}
    assert speed_report.summary(numbers)[2].endswith("| 7.5 | 2026-11-27 |")
    page = speed_report.markdown(numbers)
    assert "## tiny, one thread\n\nRaced on 2026-11-27, A (family 1).\n\n!" in page


def test_the_page_has_the_runs_that_its_numbers_are_of():
    numbers = report()
    numbers["command"] = "a`, then `b`, then `c"
    assert speed_report.markdown(numbers).endswith("## Runs\n\n* `a`\n* `b`\n* `c`")
    numbers["subjects"]["tiny 1"]["command"] = "b"
    assert speed_report.markdown(numbers).endswith("## Runs\n\n* `b`")


def test_tables_of_other_pages_are_written_anew(tmp_path):
    page = tmp_path / "page.md"
    text = "a\n<!-- losses -->\nold\n<!-- end -->\nb\n<!-- end -->\n"
    page.write_text(text, encoding="utf-8")
    speed_report.fill(page, report())
    filled = text.replace("old", "\n".join(speed_report.lost(report())))
    assert page.read_text(encoding="utf-8") == filled
    assert "| tiny | exit 1 | ONNX Runtime |" in filled


def test_every_loss_is_listed_the_largest_first():
    page = speed_report.lost(traced())
    assert page[4:] == [
        "| tiny | exit 1 | OpenVINO, trace per path | 0.40x | 0.20x |",
        "| tiny | exit 1 | ONNX Runtime | 0.50x | 0.25x |",
    ]
    numbers = report()
    numbers["subjects"]["tiny 1"]["entries"].pop(2)
    [said] = speed_report.lost(numbers)
    assert said.startswith("On no path")


def test_what_winograd_contributes_stands_beside_the_share_of_the_peak():
    numbers = report()
    line = {"peer": "DyCL, no Winograd", "errors": [0.0, 0.0], "times": [[2e-3]] * 2}
    numbers["subjects"]["tiny 1"]["entries"].append(line)
    page = speed_report.markdown(numbers)
    assert "| without Winograd |  | 25 % | 50 % |" in page
    assert "| 50 % | 25 % to 50 % | 7.5 | - |" in page


def test_each_slice_has_its_own_ratio():
    numbers = report()
    ours, eager, *_ = numbers["subjects"]["tiny 1"]["entries"]
    numbers["subjects"]["tiny 1"]["entries"] = [ours, eager]
    ours |= {"times": [[1e-3, 2e-3], [1e-3]], "slices": [[0, 1], [0]]}
    eager |= {"times": [[4e-3, 5e-3], [2e-3]], "slices": [[0, 1], [0]]}
    page = speed_report.markdown(numbers)
    assert "| the same of all, slice by slice |  | 2.50x to 4.00x | - |" in page


def test_turns_are_in_slices_that_a_command_surrounds(tmp_path):
    file = tmp_path / "said"
    command = f"""sh -c 'echo begun >> {file}; "$@"; echo over >> {file}' x"""
    turns = slices.Slices(command, 10.0)
    turns.room_for(0.0)
    turns.room_for(0.0)
    assert turns.number == 0
    turns.room_for(11.0)
    assert turns.number == 1
    assert file.read_text(encoding="utf-8").split() == ["begun", "over", "begun"]
    turns.close()
    assert file.read_text(encoding="utf-8").split() == ["begun", "over"] * 2
    with pytest.raises(RuntimeError, match="`false cat` gives no answer"):
        slices.Slices("false").room_for(0.0)


def test_the_command_of_the_page_has_no_command_of_the_machine():
    typed = speed.command(["--keep", "--within", "hold-others 9", "--slice", "8"])
    assert typed.endswith("bench.speed --keep --within COMMAND --slice 8")
    typed = speed.command(["--peers", "eager, folded", "--out", "/x", "--build", "y"])
    assert typed == ".venv/bin/python -m bench.speed --peers 'eager, folded'"
    typed = speed.command(["--python", "JAX=/x/bin/python", "--keep"])
    assert typed == ".venv/bin/python -m bench.speed --python JAX=PYTHON --keep"


def test_processors_of_one_name_are_told_apart(monkeypatch):
    said = "processor: 0\nmodel name\t: A B\ncpu family\t: 26\nmodel\t\t: 2\n"
    monkeypatch.setattr(Path, "exists", lambda _: True)
    monkeypatch.setattr(Path, "read_text", lambda _, encoding: said)
    assert machine.processor() == "A B (family 26, model 2)"
    said = "model name : A B\n"
    assert machine.processor() == "A B"


def test_an_error_has_no_colours_of_a_terminal():
    said = "Traceback\n  line\nValueError: \x1b[96mthis is\x1b[0m wrong"
    assert error_in(said) == "ValueError: this is wrong"
    told = worker.first_line(ValueError("\x1b[96mthis is\x1b[0m wrong"))
    assert told == "ValueError: this is wrong"


def test_who_takes_part():
    def named(name, *typed):
        return speed.racing(speed.make_parser().parse_args(typed), name)

    quick = named("6-skipnet", "--quick")
    assert quick[:2] == ["DyCL", "eager"]
    assert "torch.compile, frozen, tuned" not in quick
    installed = contestant.ENVIRONMENT.exists()
    assert ("OpenVINO" in quick) == installed
    every = named("6-skipnet")
    assert ("AOTInductor" in every) == installed
    assert set(quick) < set(every)
    assert named("6-skipnet", "--peers", "OpenVINO") == ["OpenVINO"]
    assert named("pabee", "--peers", "OpenVINO", "eager") == ["eager"]


def test_kept_files_are_made_once_and_their_cost_is_remembered(tmp_path):
    made = []
    before = keep.saved_seconds()
    for _ in range(2):
        assert keep.kept(tmp_path / "x", lambda: made.append(1)) == tmp_path / "x"
    assert made == [1]
    assert keep.saved_seconds() >= before


def test_a_cache_has_the_cost_of_the_first_time(tmp_path, monkeypatch):
    note = tmp_path / "cost.json"
    note.write_text('{"seconds": 1000.0, "peak": 1e9}', encoding="utf-8")
    monkeypatch.setattr(keep, "_saved", {"seconds": 0.0, "peak": 0.0})
    assert keep.known(note, lambda: 5) == 5
    assert 900 < keep.saved_seconds() <= 1000
    assert keep.peak() == 1e9


def test_geometric_means():
    [_, _, line] = speed_report.geomeans(report())
    assert line.split(" | ")[1:] == ["3.46x", "1.22x", "-", "1 of 2 |"]
    assert speed_numbers.mean([]) == "-"


def test_pages_are_written_again_from_kept_numbers(tmp_path, capsys):
    build, out = tmp_path / "build", tmp_path / "out"
    build.mkdir()
    (build / "speed.json").write_text(json.dumps(report()), encoding="utf-8")
    arguments = ["--only-report", "--build", str(build), "--out", str(out)]
    assert speed.main(arguments) == 0
    *table, page, drawing = capsys.readouterr().out.splitlines()
    assert [Path(page).name, Path(drawing).name] == ["README.md", "tiny-1.svg"]
    assert any(line.startswith("| tiny | 1.00 to 2.00 |") for line in table)
    drawn = ElementTree.fromstring((out / "tiny-1.svg").read_text(encoding="utf-8"))
    texts = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("DyCL") == 2
    assert texts.count("ONNX Runtime") == 1, "a wrong answer has no bar"


def test_only_networks_without_decisions_are_plain():
    recipes = subjects.recipes()
    assert {name for name, each in recipes.items() if each.plain is not False} == {
        name for name, each in recipes.items() if each.size == "plain"
    }
    assert recipes["3-sd-resnet"].way == recipes["vgg_exits"].way == "exit"


def test_subjects_stand_in_the_order_of_the_recipes():
    raced = dict.fromkeys(["gated_resnet 1", "9-blockdrop 2", "9-blockdrop 1"])
    assert list(speed.in_order(raced)) == [
        "9-blockdrop 1",
        "9-blockdrop 2",
        "gated_resnet 1",
    ]


def looped(goes_on, step, values):
    """`while_loop` without its compiler."""
    while goes_on(*values):
        values = step(*values)
    return values


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("skipnet", "examples.skipnet"),
        ("skipnet_rnn", "examples.skipnet_rnn"),
        ("blockdrop", "examples.blockdrop"),
        ("early_exit", "examples.shallow_deep_resnet"),
        ("captioning", "examples.captioning"),
        ("gated_resnet", "bench.dynns.gated_resnet"),
        ("vgg_exits", "bench.dynns.vgg_exits"),
        ("short_caption", "bench.dynns.short_caption"),
    ],
)
def test_rewrites_equal_eager(name, module, monkeypatch):
    monkeypatch.setattr(torch, "cond", lambda p, yes, no, x: yes(*x) if p else no(*x))
    for loop in ("captioning", "short_caption"):
        monkeypatch.setattr(f"bench.rewrites.{loop}.while_loop", looped)
    model, inputs = subjects.case_of(module)()
    written = rewritten(name, model)
    with torch.no_grad():
        for given in inputs:
            answer = written.finish(*written(*given))
            assert largest_relative(answer, model(*given)) < 1e-4
