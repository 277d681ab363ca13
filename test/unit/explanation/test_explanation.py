"""`dycl.explain` tells all of a model, at the user's lines, and never raises.

Each file in `models/` is a network; the `.txt` beside it is what `str()` gives. After
a change of wording, look at the new texts with

    DYCL_ACCEPT=1 pytest test/unit/explanation; git diff test/unit/explanation
"""

import importlib.util
import linecache
import os
import sys
from pathlib import Path

import pytest
import torch

import dycl
from dycl.diag import CompileError
from dycl.passes.infer_shapes import InferShapesPass
from dycl.tools import cli

MODELS = Path(__file__).parent / "models"
NAMES = sorted(path.stem for path in MODELS.glob("*.py"))


@pytest.fixture(autouse=True)
def in_models_folder(monkeypatch):
    monkeypatch.chdir(MODELS)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    linecache.clearcache()
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


def load(name):
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(name, words):
    """The lines of a model's file that end in a comment with these words."""
    text = (MODELS / f"{name}.py").read_text().splitlines()
    return [i for i, line in enumerate(text, 1) if line.endswith(f"# {words}")]


@pytest.mark.parametrize("name", NAMES)
def test_text(name):
    module = load(name)
    text = f"{dycl.explain(module.model, module.inputs)}\n"
    golden = MODELS / f"{name}.txt"
    if os.environ.get("DYCL_ACCEPT"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_each_line_is_told_of_as_it_is_marked(name):
    module = load(name)
    found = dycl.explain(module.model, module.inputs)
    kept = [e.at.line for e in found.entries if e.kept]
    gone = [e.at.line for e in found.entries if not e.kept]
    assert sorted(set(kept)) == lines_of(name, "kept")
    assert sorted(set(gone)) == lines_of(name, "settled")
    refused = [e.at.line for e in found.refusals]
    assert sorted(set(refused)) == lines_of(name, "refused")
    assert found.compiles == (not refused)
    assert all(e.hint for e in found.refusals)


def test_names_are_those_of_the_path():
    module = load("adaptive")
    found = dycl.explain(module.model, module.inputs)
    names = {name for e in found.entries for name in e.names}
    assert names == {name for name, *_ in found.net.decisions}
    before, after = found.kernels
    assert before > after == len(found.net.library.specs)
    (loop,) = [e for e in found.loops if e.kept]
    assert loop.carried == ("x: float32 tensor of shape (1, 4)", "steps: int")
    (unrolled,) = [e for e in found.loops if not e.kept]
    assert unrolled.iterations == (2,)


class Hostile(torch.nn.Module):
    """Its source is fine; looking at it is not."""

    def __getattribute__(self, name):
        if name == "named_modules":
            raise ZeroDivisionError(name)
        return super().__getattribute__(name)

    def forward(self, x):
        return x


class HostileText(torch.nn.Module):
    def __repr__(self):
        raise ZeroDivisionError

    def forward(self, x):
        return x + 1


@pytest.mark.parametrize(
    ("make", "inputs", "words"),
    [
        (lambda: 3, (), "TypeError: int is not a model"),
        (lambda: torch.nn.Linear, (), "TypeError: Linear is a class"),
        (lambda: None, None, "TypeError: NoneType is not a model"),
        (lambda: torch.nn.ReLU().eval(), torch.ones(1), "inputs are given as a tuple"),
        (lambda: torch.nn.ReLU().eval(), ("text",), "must be Tensor, not str"),
        (lambda: torch.nn.ReLU().eval(), ({1},), "the input `input` is a set"),
        (torch.nn.Dropout, (torch.ones(1),), "error[DY120]"),
        (lambda: len, (torch.ones(1),), "error[DY110]"),
        (lambda: Hostile().eval(), (torch.ones(1),), "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_compiled_is_told(make, inputs, words):
    found = dycl.explain(make(), inputs)
    assert not found.compiles
    assert words in str(found)


def test_options_are_checked_as_by_compile():
    model, x = torch.nn.ReLU().eval(), torch.ones(1)
    assert "below zero" in dycl.explain(model, (x,), max_iterations=-1).problem
    assert "no_such" in dycl.explain(model, (x,), no_such=1).problem
    assert dycl.explain(HostileText().eval(), (x,)).compiles


def test_a_bug_of_ours_is_a_part_of_it(monkeypatch, tmp_path):
    module = load("adaptive")
    monkeypatch.chdir(tmp_path)

    def fail(self, ctx, op):
        raise RuntimeError("a bug")

    monkeypatch.setattr(InferShapesPass, "apply", fail)
    found = dycl.explain(module.model, module.inputs)
    assert not found.compiles
    assert "internal error[DY901]: RuntimeError: a bug" in found.problem
    assert [e.words for e in found.loops]


def test_a_kernel_that_cannot_be_built_is_a_refusal(monkeypatch):
    module = load("adaptive")

    def refuse(self, *args, **kwargs):
        raise CompileError("DY502", "kernel @k cannot be built")

    monkeypatch.setattr("dycl.kernels.cpu.CpuBackend.compile", refuse)
    found = dycl.explain(module.model, module.inputs)
    assert [e.code for e in found.refusals] == ["DY502"]
    assert found.kernels is not None


def test_command(capsys):
    assert cli.run(["explain", "adaptive.py:build"]) == 0
    assert capsys.readouterr().out.startswith("Adaptive compiles: ")
    assert cli.run(["explain", "refused.py:build"]) == 1
    assert "error[DY" in capsys.readouterr().out
    assert cli.run(["explain", "dy112"]) == 0
    assert capsys.readouterr().out.startswith("DY112: ")
    assert cli.run(["explain", "DY000"]) == 2


def test_arguments_by_keyword_are_those_of_compile():
    def scaled(x, *, factor):
        return x * factor if x.sum() > 0 else x

    explained = dycl.explain(scaled, (torch.ones(2),), kwargs={"factor": torch.ones(2)})
    assert explained.compiles
    assert explained.decisions[0].kept
