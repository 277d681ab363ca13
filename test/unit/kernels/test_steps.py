"""Every step of the kernel pipeline: one file, one name, one folder of text tests."""

import inspect
from pathlib import Path

import pytest

from dycl.kernels.cpu import lower
from dycl.kernels.cpu.lower import named_steps
from dycl.kernels.cpu.mlir import functions, parse
from dycl.kernels.cpu.settings import Settings

LIT = Path(__file__).resolve().parents[2] / "lit" / "kernels"
STEPS = named_steps()


@pytest.mark.parametrize("name", STEPS)
def test_a_step_has_a_file_of_its_name(name):
    step = STEPS[name]
    assert step.__module__.rpartition(".")[2] == step.__name__


@pytest.mark.parametrize("name", STEPS)
def test_its_file_opens_with_what_it_does(name):
    text = inspect.getdoc(inspect.getmodule(STEPS[name])) or ""
    assert text.startswith(f"`{name}`: ")
    for heading in ("Before", "After", "Needs:", "Leaves:", "Skips:"):
        assert heading in text, heading


def test_each_step_has_text_tests_and_each_folder_a_step():
    folders = {f"cpu-{f.name}" for f in LIT.iterdir() if any(f.glob("*.mlir"))}
    assert folders == set(STEPS)


@pytest.mark.parametrize("each", [True, False])
def test_what_a_step_breaks_is_found_before_the_next_stage(monkeypatch, each):
    def breaks(module):
        functions(module)[0].regions[0].blocks[0].operations[0].erase()

    monkeypatch.setattr(lower, "STAGES", [("first", [(breaks, "no return is left")])])
    module = parse("func.func @kernel() { return }")
    with pytest.raises(lower.LoweringFailed) as caught:
        lower.lower(module, Settings(), verify_each=each)
    assert caught.value.stage == "first"
