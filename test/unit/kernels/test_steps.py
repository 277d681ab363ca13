"""Every step of the kernel pipeline: one file, one name, one folder of text tests."""

import inspect
from pathlib import Path

import pytest

from dycl.kernels.cpu.lower import named_steps

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
