"""The ablation: what is off is off, every form is right, the page says by how much."""

import json
from pathlib import Path

import torch

from bench import ablation, subjects
from bench.models import Gated, built
from bench.work import work_of


def test_every_form_of_a_network_is_right(tmp_path, monkeypatch):
    model = built(Gated(2))
    given = (torch.ones(1, 4),)
    subject = subjects.Subject(
        "6-skipnet",
        model,
        ["all"],
        [given],
        [model(*given).detach()],
        [work_of(model, given)],
    )
    folder = tmp_path / "subjects"
    subjects.save(subject, folder / "6-skipnet.pt")
    forms = ("everything on", "no sharing", "Python host")
    few = {form: ablation.FORMS[form] for form in forms}
    monkeypatch.setattr(ablation, "FORMS", few)
    arguments = ["--subjects", "6-skipnet", "--rounds", "2"]
    arguments += ["--build", str(tmp_path), "--out", str(tmp_path / "out")]
    assert ablation.main(arguments) == 0
    kept = json.loads((tmp_path / "ablation.json").read_text(encoding="utf-8"))
    found = kept["subjects"]["6-skipnet"]["forms"]
    assert [each["error"] for each in found.values()] == ["", "", ""]
    assert [len(each["times"][0]) for each in found.values()] == [2, 2, 2]
    assert found["no sharing"]["kernels"] > found["everything on"]["kernels"]
    assert [each["host"] for each in found.values()] == ["native", "native", "python"]
    page = (tmp_path / "out" / "ablation.md").read_text(encoding="utf-8")
    assert "| no sharing | `-d dycl-share-kernels` |" in page


def test_slower_is_a_geometric_mean_over_paths():
    full = {"times": [[1.0, 3.0], [2.0]]}
    found = {"times": [[4.0, 9.0], [2.0]]}
    assert ablation.slower(found, full) == 2.0
    form = {"everything on": {"error": "", "kernels": 1, "compile": 1.0, **full}}
    form["no arena"] = {"error": "ValueError: x | y"}
    report = {"command": "c", "machine": {}, "subjects": {}}
    report["subjects"]["a"] = {"title": "a", "forms": form}
    form["no pairs"] = {"error": "", "kernels": 1, "compile": 1.0, **found}
    page = ablation.markdown(report)
    assert "no pairs" not in page, "a form of an older run, which is gone"
    assert "| everything on |  | 2000.00 | 1.00x | 1 | 1.0 |" in page
    assert "| no arena | `-d dycl-plan-memory` | ValueError: x / y |" in page


def test_what_no_option_turns_off_is_replaced_while_a_form_is_compiled():
    model, given = built(Gated(1)), (torch.ones(1, 4),)
    work = [work_of(model, given)]
    subject = subjects.Subject("x", model, ["all"], [given], [model(*given)], work)
    chosen = [form for form in ablation.FORMS.values() if "instead" in form]
    assert chosen
    for options in chosen:
        module, name, other = options["instead"]
        before = getattr(module, name)
        assert callable(before)
        assert callable(other)
        net = ablation.compiled(subject, dict(options))
        assert getattr(module, name) is before
        torch.testing.assert_close(net(*given), model(*given).detach())


def test_the_page_shows_forms_that_there_are():
    page = Path(ablation.__file__).parents[1] / "docs" / "speed" / "ablation.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert {*rows} - {"form", "---"} <= {*ablation.FORMS}
    assert "everything on" in rows


def test_a_form_says_what_is_off():
    flags = {form: ablation._flag(options) for form, options in ablation.FORMS.items()}
    assert flags["no Winograd"] == "`-d cpu-winograd`"
    assert flags["Python host"] == "`--host python`"
    assert flags["no strips"] == "`_strip` of `dycl.schedules.tiles`"
    assert flags["everything on"] == ""
